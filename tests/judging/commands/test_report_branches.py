"""The reports on judging by criteria: what they print, and what they refuse."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotate.models import Project
from judging.models import Author, Judge
from tests.support.branched import (
    alone,
    answer_by,
    answers_there,
    branching_project,
    decided_pair,
    in_both_orders,
    pair_judge,
    single_judge,
)
from tests.support.judged import answer_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return branching_project(slug="trees")


def told(*words: str) -> dict[str, Any]:
    out = StringIO()
    call_command("report", "trees", *words, "--json", stdout=out)
    return dict(json.loads(out.getvalue()))


def in_words(*words: str) -> str:
    out = StringIO()
    call_command("report", "trees", *words, stdout=out)
    return out.getvalue()


@pytest.fixture
def judged(project: Project) -> Project:
    """Two pairs, on which people say second and tie; the judge says second in all orders of both."""
    for label in ("second", "tie"):
        item = decided_pair(project, label)
        answers_there(project)
        in_both_orders(item, pair_judge(project, labels="labels=kept"), [(1, 2), (2, 4)], [(3, 3), (2, 4)])
    return project


def test_curves_have_a_row_for_each_number_of_criteria(judged: Project) -> None:
    """First order: second, second; other order: tie, second. By one criterion no pair is consistent."""
    found = told("curves")
    kept = ("branches", "labels", "n", "consistency", "agreement", "accuracy", "agreement_of_consistent")
    assert [tuple(row[name] for name in kept) for row in found["rows"]] == [
        (1, "kept", 2, 0.0, 0.0, 50.0, None),
        (2, "kept", 2, 100.0, 50.0, 50.0, 50.0),
    ]
    assert [(row["branches"], row["agreement"]) for row in found["without_ties"]] == [(1, 0.0), (2, 100.0)]
    assert found["calls"] == 0
    assert told("curves", "--by", "group")["groups"][0]["group"] == "Advice"
    assert "no call was sent" in in_words("curves")


def test_the_last_point_of_a_curve_is_what_the_report_on_consistency_says(judged: Project) -> None:
    last, (row,) = told("curves")["rows"][-1], told("consistency")["rows"]
    assert {name: last[name] for name in ("agreement", "consistency", "accuracy")} == {
        name: row[name] for name in ("agreement", "consistency", "accuracy")
    }
    assert told("consistency")["without_ties"][0]["agreement"] == 100.0
    assert any("labels in the swapped order: kept" in note for note in told("consistency")["notes"])


def test_criteria_say_what_decides(judged: Project) -> None:
    by_judge, trees = told("criteria")["rows"]
    assert [(row["place"], row["tells"], row["decides"]) for row in by_judge["places"]] == [
        (1, 50.0, 0.0),
        (2, 100.0, 50.0),
    ]
    assert by_judge["never_decide"] == []
    assert trees["judge"] == "trees"
    assert "Never decide" in in_words("criteria", "--judge", "judge-m")


def test_gain_and_systems_are_told(project: Project) -> None:
    for before, after in ((2, 4), (3, 4), (1, 4)):
        item = decided_pair(project)
        answers_there(project)
        judge = single_judge(project, n=1)
        alone(answer_by(item, "model-a"), judge, [before])
        alone(answer_of(item, "model-a+correction"), judge, [after])
        alone(answer_by(item, "model-b"), judge, [5])
    whose = Author.objects.get(name="model-a")
    Author.objects.filter(name="model-a+correction").update(corrects=whose)
    (row,) = told("gain")["rows"]
    assert (row["author"], row["n"], row["before"], row["after"], row["gain"]) == ("model-a", 3, 2, 4, 2)
    assert (row["interval"], row["simulated"]) == ([1.0, 3.0], False)
    found = told("systems")
    assert [(one["author"], one["mean"]) for one in found["rows"][0]["systems"]] == [
        ("model-b", 5),
        ("model-a+correction", 4),
        ("model-a", 2),
    ]
    assert found["beside"][0]["raters"][1] == "people, pairs"
    assert [one["simulated"] for one in found["rows"]] == [False, False]
    assert found["beside"][0]["kendall"] == 1
    for name in ("gain", "systems"):
        assert "model-a" in in_words(name)


@pytest.mark.parametrize("simulated", [True, False])
def test_rows_say_whether_a_judge_is_simulated(judged: Project, simulated: bool) -> None:
    Judge.objects.filter(project=judged).update(simulated=simulated)
    by_judge, trees = told("criteria")["rows"]
    assert {row["simulated"] for row in told("curves")["rows"]} == {simulated}
    assert (by_judge["simulated"], trees["simulated"]) == (simulated, False)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("curves", "No judge has gone through criteria"),
        ("criteria", "Nobody has compared answers by criteria"),
        ("gain", "Nobody has corrected an answer"),
        ("systems", "Nobody has scored answers of two authors"),
    ],
)
def test_where_there_is_nothing_the_remedy_is_said(project: Project, name: str, why: str) -> None:
    with pytest.raises((CommandError, SystemExit)):
        call_command("report", "trees", name)
    out = StringIO()
    with pytest.raises((CommandError, SystemExit)) as refused:
        call_command("report", "trees", name, stderr=out)
    assert why in f"{refused.value}{out.getvalue()}"
