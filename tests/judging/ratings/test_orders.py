from pathlib import Path

import pytest

from annotate.models import Project
from judging.models import Judge, Verdict
from judging.ratings.consistency import SteadinessRow, steadiness
from tests.support.perturbed import brought, pairwise, perturbation_project, perturbations
from tests.support.voted import bring, by_judge, on_a_pair, preference_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return preference_project()


def shares(row: SteadinessRow) -> list[float | None]:
    found = row.orders
    return [each.value for each in (found.agreement, found.consistency, found.accuracy, found.agreement_of_consistent)]


def test_a_judge_is_held_against_what_most_people_said(project: Project, tmp_path: Path) -> None:
    votes = [on_a_pair("q1", "second", rater=rater) for rater in ("anna", "bo")] + [on_a_pair("q1", "tie", rater="cy")]
    bring(
        project, tmp_path, *votes, *by_judge("q1", "second", "second"), on_a_pair("q2"), *by_judge("q2", "tie", "first")
    )
    [row] = steadiness(project).rows
    assert (row.judge.name, row.group, row.orders.n) == ("judge-m", None, 2)
    assert shares(row) == [0.5, 0.5, 0.5, 1.0]
    assert [len(one.sources) for one in row.seen] == [2, 2]
    assert {pk for one in row.seen for pk in one.sources} == set(Verdict.objects.values_list("pk", flat=True))


def test_what_does_not_count_is_counted_by_its_reason(project: Project, tmp_path: Path) -> None:
    bring(
        project,
        tmp_path,
        on_a_pair("counts"),
        *by_judge("counts"),
        *by_judge("unvoted"),
        on_a_pair("untold", "cannot_tell"),
        *by_judge("untold"),
        on_a_pair("split"),
        on_a_pair("split", "tie", rater="bo"),
        *by_judge("split"),
        on_a_pair("once"),
        by_judge("once")[0],
        on_a_pair("unread"),
        *by_judge("unread", "first", None),
    )
    [row] = steadiness(project).rows
    assert row.orders.n == 1
    assert row.left_out == {"no votes": 2, "no majority": 1, "one order": 1, "unreadable": 1}


def test_what_could_not_be_read_is_a_tie_where_its_published_figures_count_it_so(
    project: Project, tmp_path: Path
) -> None:
    bring(project, tmp_path, on_a_pair(choice="tie"), on_a_pair(choice=None, judge="judge-m"))
    [row] = steadiness(project).rows
    assert (row.orders.n, row.left_out) == (0, {"unreadable": 1})
    Judge.objects.update(variant="unreadable=tie")
    found = steadiness(project)
    assert shares(found.rows[0]) == [None, None, 1.0, None]
    assert found.ties == {"judge-m": 1}


def test_without_votes_a_judge_is_only_held_to_itself(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, *by_judge("q1"), *by_judge("q2", "first", "second"))
    [row] = steadiness(project).rows
    assert shares(row) == [None, 0.5, None, None]


def test_judges_of_gold_and_perturbed_answers_are_held_to_themselves_too(tmp_path: Path) -> None:
    """`inconsistent` is A both times: whatever stood first."""
    source = perturbation_project()
    first, second = perturbations(source, 2)
    brought(source, tmp_path, [pairwise(first, "gold"), pairwise(second, "inconsistent")])
    [row] = steadiness(source).rows
    assert (row.judge.name, shares(row)) == ("judge-m", [None, 0.5, None, None])


def test_groups_have_their_own_rows(project: Project, tmp_path: Path) -> None:
    for key, group, swapped in (("q1", "maths", "first"), ("q2", "code", "second"), ("q3", "code", "first")):
        rows = [one | {"group": group} for one in (on_a_pair(key), *by_judge(key, "first", swapped))]
        bring(project, tmp_path, *rows)
    found = {row.group: (row.orders.n, shares(row)[0]) for row in steadiness(project, "group").rows}
    assert found == {"maths": (1, 1.0), "code": (2, 0.5)}
