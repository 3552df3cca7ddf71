from pathlib import Path

import pytest

from annotate.models import Project
from judging.boards.agreement.numbers import Agreement, compare
from judging.ratings.raters import ratings
from judging.ratings.rating_subjects import RatingSubject
from judging.ratings.tables import unit_table
from judging.ratings.units import PREFERENCE, SCORE
from lib.stats.agreement.table import NEVER_MEET, ONE_RATER
from tests.support.people import make_project
from tests.support.voted import bring, by_judge, on_a_pair, on_an_answer, preference_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return preference_project()


def compared(project: Project, what: str = PREFERENCE, by: str = "") -> Agreement:
    return compare(project, what, ratings(project, what), by=by, resamples=50)


def test_people_and_judges_are_compared_by_the_same_code(project: Project, tmp_path: Path) -> None:
    """anna and bo: 3 of 4 alike; anna says first 2, second 2, bo first 3, second 1: κ = (3/4 - 1/2) / (1/2) = 1/2."""
    for key, anna, bo, judged in (
        ("q1", "first", "first", "first"),
        ("q2", "first", "first", "tie"),
        ("q3", "second", "first", "second"),
        ("q4", "second", "second", "second"),
    ):
        bring(project, tmp_path, on_a_pair(key, anna), on_a_pair(key, bo, rater="bo"), *by_judge(key, judged, "tie"))
    found = compared(project)
    pairs = {tuple(rater.name for rater in each.raters): each for each in found.pairs}
    assert list(pairs) == [("anna", "bo"), ("anna", "judge-m"), ("bo", "judge-m")]
    assert pairs["anna", "bo"].coefficients["percent"].value == 0.75
    assert pairs["anna", "bo"].coefficients["cohen_kappa"].value == pytest.approx(0.5)
    assert pairs["anna", "judge-m"].coefficients["percent"].value == 0.75
    assert [rater.name for rater in found.people.raters] == ["anna", "bo"]
    assert found.people.coefficients["percent"].value == 0.75
    assert len(found.everybody.raters) == 3
    assert found.majority == {"": 1, "first": 2, "second": 1}


def test_a_judge_counts_with_what_it_said_first(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, on_a_pair(choice="tie"), *by_judge(straight="tie", swapped="first"))
    [pair] = compared(project).pairs
    assert (len(pair.units), pair.coefficients["percent"].value) == (1, 1.0)


def test_what_is_no_rating_is_counted(project: Project, tmp_path: Path) -> None:
    bring(
        project,
        tmp_path,
        *[on_a_pair(key, rater=rater) for key in ("q1", "q2") for rater in ("anna", "bo")],
        on_a_pair("q1", None, judge="judge-m"),
        on_a_pair("q3"),
    )
    found = compared(project)
    assert [len(each.units) for each in found.pairs] == [2]
    assert found.everybody.skipped == {"missing": 1, "rated by one": 1}
    [against] = found.judges
    assert (against.unreadable, against.as_ties, against.hits.accuracy.n) == (1, 0, 0)


def test_criteria_and_groups_are_taken_apart(tmp_path: Path) -> None:
    project = make_project(kind_slug="score_vote", options={"criteria": ["Clarity", "Truth"]})
    for no in range(4):
        scores = {"Clarity": no + 1, "Truth": no + 1}
        bring(project, tmp_path, on_an_answer(f"q{no}", scores, group=f"g{no % 2}"))
        bring(project, tmp_path, on_an_answer(f"q{no}", scores | {"Truth": 4 - no}, rater="bo", group=f"g{no % 2}"))
    by_axis = {each.group: each.coefficients["spearman"].value for each in compared(project, SCORE, "axis").pairs}
    assert by_axis == {"Clarity": pytest.approx(1.0), "Truth": pytest.approx(-1.0)}
    by_group = compared(project, SCORE, "group")
    assert {each.group: len(each.units) for each in by_group.groups} == {"g0": 4, "g1": 4}
    assert by_group.level == "ordinal"
    assert set(by_group.axes) == {"Clarity", "Truth"}


def test_the_note_says_whether_one_rater_is_alone_or_several_never_meet(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, on_a_pair("q1"), on_a_pair("q2"))
    alone = compared(project).everybody
    assert alone.coefficients["percent"].note == ONE_RATER
    assert (alone.units, alone.skipped) == ([], {"rated by one": 2})
    bring(project, tmp_path, on_a_pair("q3", rater="bo"))
    found = compared(project)
    assert (found.pairs, found.everybody.coefficients["percent"].note) == ([], NEVER_MEET)


@pytest.mark.parametrize("clustered", [True, False])
def test_ratings_of_a_remembered_table_are_read_when_a_page_opens_them(
    project: Project, tmp_path: Path, clustered: bool
) -> None:
    bring(project, tmp_path, on_a_pair("q1", "first"), on_a_pair("q2", "tie"), *by_judge("q1", "first", "tie"))
    subject = RatingSubject(PREFERENCE, "Preference", PREFERENCE)
    made, again = (unit_table(project, subject, clustered=clustered) for _look in range(2))
    assert [person.name for person in again.people] == ["anna"]
    assert [judge.name for judge in again.judges] == ["judge-m"]
    assert len(again.said) == 2
    assert "_mapping" not in vars(again.said), "no page has opened them"
    assert dict(again.said) == dict(made.said)
    assert dict(again.clusters) == dict(made.clusters)
    assert set(again.turned) == set(made.turned)
    assert len(again.clusters) == (2 if clustered else 0)
