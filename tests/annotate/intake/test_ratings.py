"""Ratings of named raters from files: stored once, checked, beside people's own; and what they agree on."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.items import queue
from annotate.models import Annotation, AuditEntry, Project
from annotate.project.actions import create_project
from annotate.work import submit
from tests.support.files import command, imported, messages, write_rows
from tests.support.people import make_member, written

pytestmark = pytest.mark.django_db

TEXT = """show: [{field: prompt}, {field: a}, {field: b}]
questions:
  - {name: good, type: rating, scale: {"1": bad, "5": good}}
  - {name: safe, type: choice, options: ["yes", "no"], when: {good: at least 2}}
  - {name: topics, type: choices, options: [news, code], required: false}
  - {name: order, type: ranking, of: [a, b], required: false}
  - {name: better, type: pair, of: [a, b], scale: strength, required: false}
  - {name: why, type: text, required: false}
unit: doc
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = create_project(slug="own", kind="form", definition=TEXT, reviews=0)
    rows = [{"key": f"k{n}", "prompt": f"Number {n}", "a": "x", "b": "y", "doc": f"d{n // 2}"} for n in range(4)]
    assert imported(project, write_rows(tmp_path / "items.jsonl", rows))["kept"] == 4
    return project


def rated(folder: Path, *rows: dict[str, Any]) -> dict[str, Any]:
    return command("import_ratings", "own", write_rows(folder / "ratings.jsonl", rows))[1]


def agreement(*words: str) -> dict[str, Any]:
    code, told, err = command("report", "own", "agreement", *words)
    assert code == 0, err
    return told


def test_each_rater_rates_an_item_once(project: Project, tmp_path: Path) -> None:
    row = {"key": "k0", "rater": "Ann", "good": 4, "safe": "yes"}
    report = rated(tmp_path, row, row, row | {"rater": "Bo", "good": "2"}, row | {"good": 5})
    assert {name: report[name] for name in ("read", "kept", "duplicates", "rejected", "ratings")} == {
        "read": 4,
        "kept": 2,
        "duplicates": 2,
        "rejected": 0,
        "ratings": 2,
    }
    assert messages(report) == ["is rated otherwise by this rater already; the stored rating stays."]
    assert dict(Annotation.objects.values_list("rater", "draft__good")) == {"Ann": 4, "Bo": 2}
    assert AuditEntry.objects.filter(verb="ratings.imported").count() == 1
    assert rated(tmp_path, row)["duplicates"] == 1


@pytest.mark.parametrize(
    ("row", "path", "said"),
    [
        ({"key": "k9"}, "key", "there is no item with this key"),
        ({"rater": " "}, "rater", "must be the name of the rater"),
        ({"rater": 7}, "rater", "must be the name of the rater"),
        ({"colour": "red"}, "colour", "is not a question of this project; it has: good, safe,"),
        ({"good": 9}, "good", "9 is not on the scale"),
        ({"good": "many"}, "good", "must be a whole number"),
        ({"topics": ["sport"]}, "topics", "“sport” is not one of the options"),
        ({"good": None}, "", "has no answer to any question"),
    ],
)
def test_a_row_that_cannot_be_a_rating_is_refused(
    project: Project, tmp_path: Path, row: dict[str, Any], path: str, said: str
) -> None:
    report = rated(tmp_path, {"key": "k0", "rater": "Ann", "good": 1} | row)
    assert (report["rejected"], report["kept"]) == (1, 0)
    assert report["problems"][0]["path"] == path
    assert said in report["problems"][0]["message"]


def test_a_row_may_repeat_the_columns_of_its_item(project: Project, tmp_path: Path) -> None:
    row = {"key": "k0", "good": 1, "prompt": "Number 0 ", "a": "x", "doc": "d0"}
    report = rated(
        tmp_path, row | {"rater": "Ann"}, row | {"rater": "Bo", "a": "z"}, row | {"rater": "Cy", "doc": "d1"}
    )
    assert (report["ratings"], report["rejected"]) == (1, 2)
    assert [(problem["line"], problem["path"]) for problem in report["problems"]] == [(2, "a"), (3, "doc")]
    assert "is not what the item has in this column" in report["problems"][0]["message"]


def test_kinds_whose_drafts_are_texts_take_no_ratings(tmp_path: Path) -> None:
    create_project(slug="own", kind="feedback")
    code, _report, err = command("import_ratings", "own", write_rows(tmp_path / "r.jsonl", [{"key": "k"}]))
    assert code == 1
    assert "are texts to agree on" in err


def test_questions_are_compared_at_their_levels_with_people_beside(project: Project, tmp_path: Path) -> None:
    rows = [
        {
            "key": f"k{n}",
            "rater": rater,
            "good": n + 1,
            "topics": ["news"] if n % 2 else ["news", "code"],
            "order": [1, 2] if n % 2 else [2, 1],
            "better": "first" if n % 2 else "second_much",
        }
        for n in range(4)
        for rater in ("Ann", "Bo")
    ]
    assert rated(tmp_path, *rows)["ratings"] == 8
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    topics = ["news"] if int(slot.item.key[1:]) % 2 else ["code", "news"]
    draft = {"good": 1, "topics": topics, "order": [], "better": None, "why": "", "safe": None}
    submit.submit(annotation=written(slot, member, draft), token=slot.token, by=member.user)
    good = agreement("--what", "good")
    assert (good["question"], good["type"], good["units"], good["raters"], good["ratings"]) == (
        "good",
        "rating",
        4,
        3,
        9,
    )
    assert [found["name"] for found in good["coefficients"]] == ["alpha_ordinal", "alpha_interval"]
    for what, name in (("topics", "alpha_masi"), ("order", "kendall_w"), ("better", "alpha_ordinal")):
        first = agreement("--what", what)["coefficients"][0]
        assert (first["name"], first["value"], first["n"]) == (name, 1.0, 4)
    everything = agreement()["questions"]
    assert [found["question"] for found in everything] == ["good", "safe", "topics", "order", "better"]


def test_an_answer_that_was_not_asked_for_is_not_compared(project: Project, tmp_path: Path) -> None:
    rows = [{"key": "k0", "rater": rater, "good": 1, "safe": "yes"} for rater in ("Ann", "Bo")]
    assert rated(tmp_path, *rows)["ratings"] == 2
    assert agreement("--what", "safe")["ratings"] == 0


def test_a_question_that_a_row_leaves_out_was_not_answered(project: Project, tmp_path: Path) -> None:
    assert (
        rated(tmp_path, {"key": "k0", "rater": "Ann", "good": 1}, {"key": "k0", "rater": "Bo", "topics": []})["ratings"]
        == 2
    )
    assert agreement("--what", "topics")["ratings"] == 1


def test_a_question_that_is_not_compared_is_refused_by_name(project: Project) -> None:
    for what in ("why", "nothing"):
        code, _told, err = command("report", "own", "agreement", "--what", what)
        assert code == 1
        assert "questions with agreement: good, safe, topics, order, better." in err


SPANS = """show: [{field: target}]
questions:
  - {name: errors, type: spans, on: [target], labels: [wrong, style], attributes: {severity: [Minor, Major]}}
  - {name: why, type: text, required: false}
"""


def test_spans_are_refused_with_their_place_and_leave_as_they_came(tmp_path: Path) -> None:
    project = create_project(slug="own", kind="form", definition=SPANS, reviews=0)
    items = [{"key": f"k{n}", "target": "It go away.", "system": f"s{n}"} for n in range(2)]
    assert imported(project, write_rows(tmp_path / "items.jsonl", items))["kept"] == 2
    span = {"field": "target", "start": 3, "end": 5, "text": "go", "label": "wrong", "severity": "Major"}
    report = rated(
        tmp_path,
        {"key": "k0", "rater": "Ann", "errors": [span]},
        {"key": "k0", "rater": "Bo", "errors": []},
        {"key": "k1", "rater": "Ann", "errors": [span, span | {"text": "goes"}]},
        {"key": "k1", "rater": "Bo", "errors": [span | {"label": "other"}]},
    )
    assert (report["ratings"], report["rejected"]) == (2, 2)
    assert [problem["path"] for problem in report["problems"]] == ["errors[1].text", "errors[0].label"]
    assert "“goes” is not at 3 to 5 of “target”, where “go” is" in report["problems"][0]["message"]
    assert dict(Annotation.objects.values_list("rater", "draft__errors")) == {"Ann": [span], "Bo": []}


def test_labels_that_are_not_listed_are_kept_with_a_warning_where_the_question_says_so(tmp_path: Path) -> None:
    project = create_project(
        slug="own", kind="form", definition=SPANS.replace("attributes", "others: true, attributes")
    )
    assert imported(project, write_rows(tmp_path / "items.jsonl", [{"key": "k0", "target": "It go."}]))["kept"] == 1
    span = {"field": "target", "start": 3, "end": 5, "text": "go", "label": "rude", "severity": "Major"}
    report = rated(tmp_path, {"key": "k0", "rater": "Ann", "errors": [span]})
    assert (report["ratings"], report["rejected"]) == (1, 0)
    assert [(problem["level"], problem["path"]) for problem in report["problems"]] == [("warning", "errors[0].label")]


def test_spans_of_decided_items_lie_where_they_lay_after_a_release_and_an_import(tmp_path: Path) -> None:
    spans = [
        {"field": "target", "start": 3, "end": 5, "text": "go", "label": "wrong", "severity": "Major", "note": "n"}
    ]
    hidden = [{"field": "target", "start": 5, "end": 14, "text": "http://a.", "label": "wrong", "severity": "Major"}]
    rows = [
        {"key": "k0", "target": "It go.", "errors": spans},
        {"key": "k1", "target": "It goes.", "errors": []},
        {"key": "k2", "target": "[It](http://a.b) **goes**.", "errors": hidden},
    ]
    outs = []
    for slug, path in (("one", write_rows(tmp_path / "0.jsonl", rows)), ("two", tmp_path / "one.jsonl")):
        project = create_project(slug=slug, kind="form", definition=SPANS, reviews=0)
        assert imported(project, path, "--accept")["kept"] == 3
        assert command("export_items", slug, "--out", tmp_path / f"{slug}.jsonl")[1]["rows"] == 3
        outs.append([json.loads(line) for line in (tmp_path / f"{slug}.jsonl").read_text().splitlines()])
    assert [[row["errors"] for row in rows] for rows in outs] == [[spans, [], hidden]] * 2
