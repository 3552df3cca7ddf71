"""A release of ratings: written, held against its manifest, and counted again to the numbers of the printed page."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client

from annotate.models import Project
from judging.ratings.comparisons import RaterComparison, compare_raters
from judging.ratings.rating_subjects import comparison_options
from lib.stats.agreement.coefficients import Coefficient
from lib.stats.agreement.people_and_judges import Mean
from tests.support.desks import colleague
from tests.support.files import command
from tests.support.pages import html_of, said
from tests.support.people import make_member, make_project
from tests.support.studies import answered_project, drawn, prefers, vote
from tests.support.trusted import checklists_with_votes, material_of, pairs_with_votes
from tests.support.voted import bring, on_an_answer

pytestmark = pytest.mark.django_db
LINE = re.compile(r"<code>(manage (?:export_ratings|verify|agreement) [^<]+)</code>")


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return checklists_with_votes()[0]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def printed(reader: Client, address: str) -> tuple[dict[str, Any], str]:
    """What the page's own commands print at last, run one after another; and the page."""
    html = html_of(reader, address)
    lines = [shlex.split(line) for line in LINE.findall(html)]
    assert [words[1] for words in lines] == ["export_ratings", "verify", "agreement"]
    for words in lines:
        code, told, err = command(*(word for word in words[1:] if word != "--json"))
        assert code == 0, err
        if words[1] == "export_ratings":
            assert told["sha256"] in html
    return told, html


def numbers(one: Mean | Coefficient | dict[str, Any]) -> list[Any]:
    """Value, interval and note, whatever they come from."""
    given = one if isinstance(one, dict) else {name: getattr(one, name) for name in ("value", "low", "high", "note")}
    return [given[name] for name in ("value", "low", "high", "note")]


def of_page(found: RaterComparison) -> list[Any]:
    """Every number of the tables of the printed page, in their order."""
    every: list[Any] = [found.people.units, numbers(found.people.chosen.one), numbers(found.people.raw.one)]
    for one in found.judges:
        every += [one.units, one.alone]
        every += [numbers(side) for side in (one.chosen.one, one.chosen.other, one.chosen.difference)]
        every += [numbers(side) for side in (one.raw.one, one.raw.other, one.raw.difference)]
    return every + [part for two in found.pairs for part in (two.units, numbers(two.chosen), numbers(two.raw))]


def of_file(told: dict[str, Any]) -> list[Any]:
    found, name = told["beside"], told["beside"]["coefficient"]
    people = found["people"]
    every: list[Any] = [people["units"], numbers(people[name]["people"]), numbers(people["percent"]["people"])]
    for one in found["judges"]:
        every += [one["units"], one["with_one_person"]]
        every += [numbers(one[coefficient][side]) for coefficient in (name, "percent")
                  for side in ("people", "judge", "difference")]  # fmt: skip
    return every + [
        part for two in found["between"] for part in (two["units"], numbers(two[name]), numbers(two["percent"]))
    ]


@pytest.mark.parametrize("query", ["", "?coefficient=krippendorff_alpha", "?coefficient=percent"])
def test_the_printed_commands_give_every_number_of_the_page(project: Project, here: Path, query: str) -> None:
    told, html = printed(colleague(project, "lead").client, f"/p/fb/agreement/one-page/{query}")
    given = material_of(project)
    page = compare_raters(project, given, comparison_options(given.subject, coefficient=query.rpartition("=")[2]))
    assert of_file(told) == of_page(page)
    assert page.people.chosen.one.low is not None
    assert f"{page.people.chosen.one.value:.2f}" in said(html)
    assert [one["judge"] for one in told["beside"]["judges"]] == ["judge-m"]


def test_pairs_and_scores_are_counted_again_too(here: Path) -> None:
    pairs = pairs_with_votes(here, 12)
    told, _html = printed(colleague(pairs, "lead").client, f"/p/{pairs.slug}/agreement/one-page/")
    found = material_of(pairs, "preference")
    assert of_file(told) == of_page(compare_raters(pairs, found, comparison_options(found.subject)))
    scores = make_project(slug="scores", kind_slug="score_vote", options={"criteria": ["Clarity"], "scale": 5})
    rows = [
        on_an_answer(f"q{no}", {"Clarity": 1 + (no + place) % 5}, **{sort: name})
        for no in range(8)
        for place, (sort, name) in enumerate([("rater", "anna"), ("rater", "bo"), ("judge", "judge-m")])
    ]
    bring(scores, here, *rows)
    told, _html = printed(colleague(scores, "lead").client, "/p/scores/agreement/one-page/")
    found = material_of(scores, "score")
    assert of_file(told) == of_page(compare_raters(scores, found, comparison_options(found.subject)))


def test_a_row_has_all_that_the_numbers_need(project: Project, here: Path) -> None:
    code, told, _err = command("export_ratings", "fb", "--out", "r.jsonl")
    rows, manifest = rows_of(here / "r.jsonl"), json.loads((here / "r.jsonl.manifest.json").read_text())
    assert (code, told["rows"], told["what"]) == (0, len(rows), "checklist")
    person, judge = (next(row for row in rows if row["kind"] == kind) for kind in ("person", "judge"))
    assert person.items() >= {"rater": "anna", "number": 1, "author": "Alpha-7B", "axis": "1"}.items()
    assert person["unit"].startswith("answer/")
    assert judge.items() >= {"rater": "judge-m", "strategy": "checklist"}.items()
    assert {"item", "group", "language", "value"} <= person.keys()
    assert manifest["sha256"] == told["sha256"]
    assert manifest["counts"]["kind"] == {"person": sum(row["kind"] == "person" for row in rows),
                                          "judge": sum(row["kind"] == "judge" for row in rows)}  # fmt: skip
    assert (manifest["format"], manifest["seed"], manifest["open_studies"]) == ("touchstone-ratings-1", 0, [])


def test_it_is_the_same_file_each_time_and_pseudonyms_change_names_only(project: Project, here: Path) -> None:
    for name, words in (("a", []), ("b", []), ("c", ["--pseudonyms"])):
        command("export_ratings", "fb", "--out", f"{name}.jsonl", *words)
    same, blind = (here / "a.jsonl").read_bytes(), (here / "c.jsonl").read_text()
    assert same == (here / "b.jsonl").read_bytes()
    assert "anna" not in blind
    assert [row["value"] for row in rows_of(here / "a.jsonl")] == [row["value"] for row in rows_of(here / "c.jsonl")]
    assert {row["rater"] for row in rows_of(here / "c.jsonl")} == {"person-1", "person-2", "person-3", "judge-m"}


def test_while_people_vote_there_is_no_release_unless_somebody_insists(here: Path) -> None:
    study = drawn(answered_project(items=2), overlap=2, authors=("Opal-9B", "Beryl"))
    for member in [make_member(study.project, "annotator") for _number in range(2)]:
        vote(member, prefers("first"))
    code, _told, err = command("export_ratings", study.source.slug, "--out", "r.jsonl")
    assert code == 1
    assert study.name in err
    assert not (here / "r.jsonl").exists()
    code, _told, _err = command("export_ratings", study.source.slug, "--out", "r.jsonl", "--unfinished")
    assert code == 0
    assert json.loads((here / "r.jsonl.manifest.json").read_text())["open_studies"] == [study.name]


def test_fields_of_forms_are_ratings_of_people_alone(here: Path) -> None:
    study = drawn(answered_project(items=2), overlap=2, authors=("Opal-9B", "Beryl"))
    for member in [make_member(study.project, "annotator") for _number in range(2)]:
        for _item in range(2):
            vote(member, prefers("first"))
    lead = colleague(study.project, "lead").client
    told, html = printed(lead, "/p/votes/agreement/one-page/")
    assert told["beside"]["people"]["units"] == 2
    assert "--unfinished" in html


def test_what_nobody_rates_is_refused(here: Path) -> None:
    make_project(slug="empty")
    for words, why in (([], "no votes or verdicts"), (["--what", "beauty"], "of 'beauty'")):
        code, _told, err = command("export_ratings", "empty", "--out", "r.jsonl", *words)
        assert code == 1
        assert why in err
    assert list(here.iterdir()) == []


def test_a_file_that_does_not_say_who_is_a_person_has_nothing_beside(here: Path) -> None:
    (here / "r.jsonl").write_text('{"unit": "a", "rater": "x", "value": 1}\n')
    code, _told, err = command("agreement", "r.jsonl", "--beside", "percent")
    assert code == 1
    assert "Line 1, kind" in err


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"rater": "anna"', '"rater": "ann"', "SHA-256"),
        ('"kind": "person"', '"kind": "dog"', "must be one of person"),
        ('"value": 1.0', '"value": true', "must be a number"),
    ],
)
def test_verify_sees_a_changed_file(project: Project, here: Path, old: str, new: str, why: str) -> None:
    command("export_ratings", "fb", "--out", "r.jsonl")
    assert command("verify", "r.jsonl")[:2] == (0, command("verify", "r.jsonl")[1] | {"ok": True})
    (here / "r.jsonl").write_text((here / "r.jsonl").read_text().replace(old, new, 1))
    code, told, _err = command("verify", "r.jsonl")
    assert code == 1
    assert any(why in difference for difference in told["differences"])


def test_the_page_hands_out_the_file_and_its_manifest(project: Project, here: Path) -> None:
    command("export_ratings", "fb", "--out", "named.jsonl")
    command("export_ratings", "fb", "--out", "blind.jsonl", "--pseudonyms")
    for role, name in (("lead", "named"), ("viewer", "blind")):
        reader = colleague(project, role).client
        found = reader.get("/p/fb/agreement/ratings/?about=checklist")
        assert found.content == (here / f"{name}.jsonl").read_bytes()
        assert found["Content-Disposition"] == 'attachment; filename="fb-checklist-ratings.jsonl"'
        told = reader.get("/p/fb/agreement/ratings/manifest/").json()
        assert told["sha256"] == json.loads((here / f"{name}.jsonl.manifest.json").read_text())["sha256"]
    assert colleague(project, "annotator").client.get("/p/fb/agreement/ratings/").status_code == 403


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "."], "is a folder. Name the file to write."),
        (["--out", "nowhere/r.jsonl"], "is not writable"),
        (["--out", "r.jsonl", "--raters", "nobody-*"], "nobody-*"),
        (["--out", "r.jsonl", "--of", "trust"], "so there is nothing to weigh. Judge the project first."),
    ],
)
def test_what_cannot_be_written_or_weighed_is_refused(here: Path, words: list[str], message: str) -> None:
    project = make_project(slug="scores", kind_slug="score_vote", options={"criteria": ["Clarity", "Truth"]})
    bring(project, here, on_an_answer(), on_an_answer(rater="ben"))
    code, report, err = command("export_ratings", project.slug, *words)
    assert (code, report, message in err) == (1, {}, True), err
    assert not (here / "r.jsonl").exists()


def test_a_disk_without_room_is_named_with_the_file(
    project: Project, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_arguments: Any, **_options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("judging.management.commands.export_ratings.write", no_room)
    code, _report, err = command("export_ratings", project.slug, "--out", "r.jsonl")
    assert (code, err) == (1, "r.jsonl: No space left on device.")
