"""Releases with one row per rater, the JSON schema of rows and the card beside them; they verify and come back."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from annotate.definitions.actions import write_definition
from annotate.definitions.templates import all_templates
from annotate.items import queue
from annotate.models import Annotation, Project, Release, Slot
from annotate.project.actions import create_project
from annotate.work import submit
from tests.support.files import command, imported, row, write_rows
from tests.support.pages import client_of
from tests.support.people import make_member, make_project, written

pytestmark = pytest.mark.django_db

TEXT = """show:
  - {field: prompt}
  - {field: a, title: {en: One, zh: 一}}
  - {field: b, optional: true}
  - {field: more, as: texts}
questions:
  - {name: good, type: rating, ask: "How | good?", scale: {"1": bad, "5": good}}
  - {name: safe, type: choice, options: ["yes", "no"], when: {good: at least 2}}
  - {name: topics, type: choices, options: [news, code], required: false}
  - {name: order, type: ranking, of: [a, b], required: false}
  - {name: price, type: number, min: "0", step: "0.5", required: false}
  - {name: why, type: text, required: false}
"""
ANSWERS = {"good": 4, "safe": "yes", "topics": [], "order": [], "price": 2.5, "why": ""}


def filled(slug: str, folder: Path) -> Project:
    project = create_project(slug=slug, kind="form", definition=TEXT, reviews=0)
    rows = [{"key": f"k{n}", "prompt": f"Number {n}", "a": "x", "b": "y", "more": ["t"], "doc": n} for n in range(3)]
    assert imported(project, write_rows(folder / "items.jsonl", rows))["kept"] == 3
    return project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Three items; a person has answered about one of them, and raters of a file about two."""
    project = filled("own", tmp_path)
    member = make_member(project)
    Slot.objects.filter(item__key="k0").update(priority=10)  # handed out first
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    submit.submit(annotation=written(slot, member, ANSWERS), token=slot.token, by=member.user)
    ratings = [
        {"key": "k0", "rater": "Ann", "good": 1, "topics": ["news"]},
        {"key": "k0", "rater": "Bo", "good": 2, "safe": "no", "order": [2, 1]},
        {"key": "k1", "rater": "Ann", "good": 5, "safe": "yes", "why": "So."},
    ]
    assert command("import_ratings", "own", write_rows(tmp_path / "ratings.jsonl", ratings))[1]["ratings"] == 3
    return project


def exported(slug: str, out: Path, *words: str) -> list[dict[str, Any]]:
    code, _told, err = command("export_items", slug, "--out", out, *words)
    assert code == 0, err
    return [json.loads(line) for line in out.read_text().splitlines()] if out.suffix == ".jsonl" else []


def without_provenance(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "provenance"} for row in rows]


def test_raters_have_numbers_and_only_the_answers_that_they_gave(project: Project, tmp_path: Path) -> None:
    rows = exported("own", tmp_path / "raters.jsonl", "--rows", "raters")
    assert without_provenance(rows) == [
        {"key": "k0", "rater": "person-1", "good": 4, "safe": "yes", "topics": [], "price": 2.5},
        {"key": "k0", "rater": "person-2", "good": 1, "topics": ["news"]},
        {"key": "k0", "rater": "person-3", "good": 2, "safe": "no", "order": [2, 1]},
        {"key": "k1", "rater": "person-2", "good": 5, "safe": "yes", "why": "So."},
    ]
    assert [row["provenance"]["imported"] for row in rows] == [False, True, True, True]
    assert "Ann" not in (tmp_path / "raters.jsonl").read_text()


def test_ratings_leave_and_come_back(project: Project, tmp_path: Path) -> None:
    words = ("--rows", "raters", "--names")
    there = exported("own", tmp_path / "there.jsonl", *words)
    [account] = Annotation.objects.filter(author__isnull=False).values_list("author__username", flat=True)
    assert {row["rater"] for row in there} == {account, "Ann", "Bo"}
    filled("other", tmp_path)
    report = command("import_ratings", "other", tmp_path / "there.jsonl")[1]
    assert (report["ratings"], report["problems"]) == (4, [])
    assert without_provenance(exported("other", tmp_path / "back.jsonl", *words)) == without_provenance(there)
    table = tmp_path / "there.csv"
    exported("own", table, *words, "--format", "csv")
    assert command("verify", table)[0] == 0
    assert command("import_ratings", "other", table)[1]["duplicates"] == 4


def test_what_others_may_still_answer_is_left_out_and_counted(tmp_path: Path) -> None:
    project = create_project(slug="own", kind="form", definition=TEXT, reviews=0, overlap=2)
    rows = [{"key": "k0", "prompt": "p", "a": "x", "b": "y", "more": []}]
    imported(project, write_rows(tmp_path / "items.jsonl", rows))
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    submit.submit(annotation=written(slot, member, ANSWERS), token=slot.token, by=member.user)
    assert exported("own", tmp_path / "x.jsonl", "--rows", "raters") == []
    manifest = json.loads((tmp_path / "x.jsonl.manifest.json").read_text())
    assert manifest["left_out"] == {"others may still do the same work": 1}


def test_rows_are_what_their_schema_says(project: Project, tmp_path: Path) -> None:
    for name, words in (("raters", ("--rows", "raters")), ("items", ("--state", "any", "--metadata"))):
        out = tmp_path / f"{name}.jsonl"
        rows = exported("own", out, *words)
        schema = json.loads(out.with_name(f"{out.name}.schema.json").read_text())
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        assert rows
        assert [error.message for row in rows for error in validator.iter_errors(row)] == []
        for wrong in ({"good": 9}, {"colour": "red"}, {"topics": "news"}, {"key": None}):
            assert not validator.is_valid(rows[0] | wrong) or (wrong == {"good": 9} and name == "items")
        assert command("verify", out)[0] == 0


def test_rows_of_every_template_are_what_their_schema_says(tmp_path: Path) -> None:
    for slug, template in all_templates().items():
        project = create_project(slug=slug.replace("_", "-"), kind="form", definition=template.definition)
        (tmp_path / "sample.jsonl").write_text(template.sample, encoding="utf-8")
        report = imported(project, tmp_path / "sample.jsonl")
        assert report["kept"], report["problems"]
        out = tmp_path / f"{slug}.jsonl"
        rows = exported(project.slug, out, "--state", "any", "--metadata")
        validator = Draft202012Validator(json.loads(out.with_name(f"{out.name}.schema.json").read_text()))
        assert [error.message for row in rows for error in validator.iter_errors(row)] == [], slug
        assert command("verify", out)[0] == 0


def test_answers_under_an_older_version_are_valid_too(project: Project, tmp_path: Path) -> None:
    newer = TEXT.replace('options: ["yes", "no"]', 'options: ["no", "never"]').replace("name: why", "name: reason")
    write_definition(project, text=newer, by=None, based_on=1)
    rows = exported("own", tmp_path / "raters.jsonl", "--rows", "raters")
    validator = Draft202012Validator(json.loads((tmp_path / "raters.jsonl.schema.json").read_text()))
    assert rows[3]["safe"] == "yes"
    assert rows[3]["why"] == "So."
    assert [error.message for row in rows for error in validator.iter_errors(row)] == []


def test_verify_looks_at_what_lies_beside(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "x.jsonl"
    exported("own", out, "--rows", "raters")
    schema = tmp_path / "x.jsonl.schema.json"
    schema.write_text(schema.read_text().replace("integer", "number"))
    assert "x.jsonl.schema.json: The file's SHA-256 is" in command("verify", out)[2]
    schema.unlink()
    assert command("verify", out)[0] == 0
    lines = out.read_text().splitlines()
    out.write_text("\n".join([lines[0], lines[0].replace('"good": 4', '"good": "many"'), *lines[2:]]) + "\n")
    told = command("verify", out)[1]["differences"]
    assert "Line 2, good: must be a whole number." in told
    assert "Line 2, rater: is also in an earlier row." in told


def test_the_card_says_what_was_asked_by_how_many(project: Project, tmp_path: Path) -> None:
    exported("own", tmp_path / "x.jsonl", "--rows", "raters", "--licence", "CC BY 4.0")
    card = (tmp_path / "x.jsonl.card.md").read_text()
    assert "4 ratings by 3 raters" in card
    assert "| `good` | rating | How \\| good? | 1: bad; 2; 3; 4; 5: good |  |" in card
    assert "| `safe` | choice | safe | yes; no | good: at least 2 |" in card
    assert "CC BY 4.0" in card
    exported("own", tmp_path / "y.jsonl")
    card = (tmp_path / "y.jsonl.card.md").read_text()
    assert "One person wrote these texts." in card
    assert "## Left out\n\n| Items | Number |\n|---|---:|\n| ready | 2 |" in card


def test_names_of_raters_are_for_leads(project: Project, tmp_path: Path) -> None:
    exported("own", tmp_path / "x.jsonl", "--rows", "raters", "--names")
    exported("own", tmp_path / "y.jsonl", "--rows", "raters")
    lead, viewer = (client_of(make_member(project, role).user) for role in ("lead", "viewer"))
    for part in ("", "download/", "manifest/", "card/", "download/?format=csv", "download/?schema=1"):
        assert viewer.get(f"/p/own/releases/1/{part}").status_code == 403
        assert viewer.get(f"/p/own/releases/2/{part}").status_code == 200
        assert lead.get(f"/p/own/releases/1/{part}").status_code == 200
    page = lead.get("/p/own/releases/1/").content.decode()
    assert "?format=csv" in page
    assert "?format=label_studio" not in page
    assert lead.get("/p/own/releases/1/download/?format=label_studio").status_code == 404


def test_a_lead_asks_for_rows_by_rater_on_the_page(project: Project) -> None:
    lead = client_of(make_member(project, "lead").user)
    assert lead.post("/p/own/releases/", {"state": "any", "rows": "raters"}).status_code == 302
    command("reconcile")
    release = Release.objects.get()
    assert (release.rows, release.manifest["one_row_per"], release.manifest["people"]) == (4, "rater", 3)
    lead.post("/p/own/releases/", {"state": "any", "rows": "raters", "names": "on"})
    lead.post("/p/own/releases/", {"state": "any", "names": "on"})
    command("reconcile")
    assert [*Release.objects.order_by("pk").values_list("filters__names", flat=True)] == [False, True, False]
    assert "by rater" in lead.get("/p/own/releases/").content.decode()
    told = lead.get("/p/own/releases/compare/?old=1&new=2&format=json").json()
    assert (len(told["added"]), len(told["removed"]), told["same"]) == (4, 4, 0)


def test_texts_to_agree_on_have_no_rows_by_rater(tmp_path: Path) -> None:
    project = make_project(slug="fb")
    imported(project, write_rows(tmp_path / "in.jsonl", [row(1)]))
    code, _told, err = command("export_items", "fb", "--out", tmp_path / "x.jsonl", "--rows", "raters")
    assert (code, Release.objects.exists()) == (1, False)
    assert "are texts to agree on" in err
    assert (
        command("export_items", "fb", "--out", tmp_path / "x.jsonl", "--rows", "raters", "--format", "argilla")[0] == 2
    )
    assert 'name="rows"' not in client_of(make_member(project, "lead").user).get("/p/fb/releases/").content.decode()
