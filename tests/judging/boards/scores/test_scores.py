"""Scores of ratings by group: by hand, on the page, in files, in the report; hidden columns are for leads."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client

from annotate.models import Project
from annotate.project.actions import create_project
from tests.support.desks import colleague
from tests.support.files import command, imported, write_rows
from tests.support.pages import html_of, said
from tests.support.people import make_project

pytestmark = pytest.mark.django_db

DEFINITION = """show: [{field: target}, {field: topic, optional: true}]
questions:
  - {name: errors, type: spans, on: [target], labels: [form, sense]}
scores:
  penalty: {sum: errors, rules: [{label: sense, points: 10}, {points: 0.5}], lower_is_better: true}
  found: {sum: errors, rules: [{points: 1}]}
unit: doc
"""
PAGE = "/p/own/scores/"


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Two systems on two documents each; system b has more errors. One item has no system."""
    project = create_project(slug="own", kind="form", definition=DEFINITION)
    items = [
        {"key": f"{system}{doc}", "target": "It go.", "topic": f"t{doc}", "system": system, "doc": f"d{doc}"}
        for system in "ab"
        for doc in range(2)
    ]
    items.append({"key": "c", "target": "It goes.", "doc": "d2"})
    assert imported(project, write_rows(tmp_path / "items.jsonl", items), "--no-checks")["kept"] == 5
    rows = [rating("a0", "Ann"), rating("a0", "Bo", "form"), rating("a1", "Ann", "form", "form")]
    rows += [rating("b0", "Ann", "sense"), rating("b1", "Ann", "sense", "form"), rating("c", "Ann")]
    assert command("import_ratings", "own", write_rows(tmp_path / "ratings.jsonl", rows))[1]["ratings"] == 6
    return project


def rating(key: str, rater: str, *labels: str) -> dict[str, Any]:
    place = {"field": "target", "start": 3, "end": 5, "text": "go"}
    return {"key": key, "rater": rater, "errors": [{**place, "label": label} for label in labels]}


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def report(*words: str) -> dict[str, Any]:
    code, found, err = command("report", "own", "scores", *words)
    assert code == 0, err
    return found


def test_means_are_over_ratings_and_the_best_group_comes_first(project: Project) -> None:
    # a: 0, 0.5, 1 -> 0.5; b: 10, 10.5 -> 10.25. Errors found: a 0, 1, 2 -> 1; b 1, 2 -> 1.5.
    found = report("--by", "system")
    assert [(row["score"], row["group"], row["n"], row["mean"]) for row in found["rows"]] == [
        ("penalty", "a", 3, 0.5),
        ("penalty", "b", 2, 10.25),
        ("found", "b", 2, 1.5),
        ("found", "a", 3, 1.0),
    ]
    assert found["left_out"] == {"no value in this column": 2}
    # Of b, each document has one rating: resampling two documents gives means from 10 to 10.5.
    assert (found["rows"][1]["low"], found["rows"][1]["high"]) == (10.0, 10.5)


def test_without_a_column_all_items_stand_together(project: Project) -> None:
    penalty, _found = report()["rows"]
    assert (penalty["group"], penalty["n"], penalty["mean"]) == ("", 6, pytest.approx(22 / 6))


def test_a_column_that_there_is_not_is_refused_with_those_that_there_are(project: Project) -> None:
    code, _found, err = command("report", "own", "scores", "--by", "colour")
    assert code == 1
    assert "No rated item has a value in the column “colour”. Columns that fit: system, target, topic." in err


def test_projects_without_scores_or_ratings_are_told_what_to_do(project: Project) -> None:
    make_project(slug="fb")
    create_project(slug="new", kind="form", definition=DEFINITION)
    for slug, message in (("fb", "has no `scores`"), ("new", "Nothing has been rated yet")):
        code, _found, err = command("report", slug, "scores")
        assert (code, message in err) == (1, True)


def test_the_page_shows_groups_that_lead_to_their_items(lead: Client) -> None:
    html = html_of(lead, f"{PAGE}?by=system")
    assert "penalty lower is better" in said(html)
    assert re.findall(r'<th scope="row" dir="auto">(\w)</th>', html) == ["a", "b", "b", "a"]
    address = re.findall(r'href="(/p/own/scores/units/[^"]+)"', html)[0].replace("&amp;", "&")
    assert re.findall(r'class="row-link" href="[^"]+">(\w+)</a>', html_of(lead, address)) == ["a1", "a0"]
    assert lead.get(f"{PAGE}units/?by=system&of=nothing").status_code == 404


def test_its_files_and_its_print_have_the_same_numbers(lead: Client) -> None:
    value = json.loads(lead.get(f"{PAGE}scores.json?by=system").content)
    assert value == report("--by", "system") == report("--option", "by=system")
    rows = list(csv.DictReader(io.StringIO(lead.get(f"{PAGE}scores.csv?by=system").content.decode("utf-8-sig"))))
    assert [(row["group"], float(row["mean"])) for row in rows[:2]] == [("a", 0.5), ("b", 10.25)]
    printed = html_of(lead, f"{PAGE}one-page/?by=system")
    assert "--option by=system" in said(printed)
    assert "figure-link" not in printed


def test_a_rating_more_changes_the_page(lead: Client, tmp_path: Path) -> None:
    assert len(json.loads(lead.get(f"{PAGE}scores.json").content)["rows"]) == 2
    row = rating("a0", "Cy", "sense")
    assert command("import_ratings", "own", write_rows(tmp_path / "more.jsonl", [row]))[1]["ratings"] == 1
    assert json.loads(lead.get(f"{PAGE}scores.json").content)["rows"][0]["n"] == 7


@pytest.mark.parametrize("role", ["reviewer", "viewer"])
def test_hidden_columns_group_for_leads_only(project: Project, role: str) -> None:
    client = colleague(project, role).client
    html = html_of(client, PAGE)
    assert "topic" in html
    assert "system" not in said(html)
    for address in ("", "scores.json", "scores.csv", "one-page/", "units/"):
        assert client.get(f"{PAGE}{address}?by=system").status_code == 404
    assert client.get(f"{PAGE}?by=topic").status_code == 200


def test_strange_words_choose_nothing(lead: Client) -> None:
    for word in ("%00", "x" * 5000, "__proto__"):
        assert len(json.loads(lead.get(f"{PAGE}scores.json?by={word}").content)["rows"]) == 2
