"""Curves by the number of criteria: derived by hand, and made without a call."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Call, Project
from judging.models import Answer, Verdict
from judging.ratings.branch_pairs import NOT_BOTH, curves, labels_of, pairs_behind
from judging.ratings.consistency import NO_VOTES, ONE_ORDER, UNREADABLE
from tests.support.branched import (
    alone,
    answer_by,
    answers_there,
    branching_project,
    compared,
    decided_pair,
    in_both_orders,
    pair_judge,
    single_judge,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return branching_project(slug="trees")


def values(project: Project, figure: str, *, ties: bool = True) -> list[float | None]:
    (curve,) = [one for one in curves(project).all if one.ties == ties]
    return [getattr(point.orders, figure).value for point in curve.points]


def three_pairs(project: Project) -> None:
    """Choices by 1, 2, 3 criteria, first order and second:

    people say second:  second second second · first tie second
    people say tie:     tie tie tie          · tie tie tie
    people say first:   first tie second     · first first first
    """
    items = [decided_pair(project, label) for label in ("second", "tie", "first")]
    answers_there(project)
    judge = pair_judge(project)
    in_both_orders(items[0], judge, [(1, 3), (1, 3), (1, 3)], [(3, 1), (1, 3), (1, 3)])
    in_both_orders(items[1], judge, [(2, 2), (3, 3), (1, 1)], [(5, 5), (4, 4), (1, 1)])
    in_both_orders(items[2], judge, [(4, 3), (3, 4), (1, 5)], [(4, 3), (4, 3), (1, 1)])


def test_each_number_of_criteria_has_its_own_shares(project: Project) -> None:
    three_pairs(project)
    assert values(project, "consistency") == [2 / 3, 1 / 3, 2 / 3]
    assert values(project, "agreement") == [2 / 3, 1 / 3, 2 / 3]
    assert values(project, "accuracy") == [1, 2 / 3, 2 / 3]
    assert values(project, "agreement_of_consistent") == [1, 1, 1]


def test_without_ties_only_pairs_that_people_decide_count(project: Project) -> None:
    three_pairs(project)
    assert values(project, "consistency", ties=False) == [1 / 2, 0, 1 / 2]
    assert values(project, "accuracy", ties=False) == [1, 1 / 2, 1 / 2]


def test_nothing_is_asked_and_queries_do_not_grow(project: Project) -> None:
    counts = []
    for _time in range(2):
        three_pairs(project)
        with CaptureQueriesContext(connection) as queries:
            curves(project)
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert Call.objects.count() == 0


def test_groups_stand_apart(project: Project) -> None:
    for group, scores in (("Code", [(1, 3)]), ("Mail", [(3, 1)])):
        item = decided_pair(project, "second", group=group)
        answers_there(project)
        in_both_orders(item, pair_judge(project), scores, scores)
    found = curves(project, "group").groups
    assert [(one.group, one.last.orders.agreement.value) for one in found] == [("Code", 1), ("Mail", 0)]


def test_what_does_not_count_is_counted(project: Project) -> None:
    items = [decided_pair(project, label) for label in ("first", "first", "first", None)]
    answers_there(project)
    judge = pair_judge(project)
    for item in items:
        in_both_orders(item, judge, [(3, 1)], [(3, 1)])
    Verdict.objects.filter(item=items[1], swapped=True).delete()
    unread = Verdict.objects.get(item=items[2], swapped=True)
    Verdict.objects.filter(pk=unread.pk).update(reading="unparsed", choice="", score_first=None, score_second=None)
    (curve,) = [one for one in curves(project).all if one.ties]
    assert curve.left_out == {ONE_ORDER: 1, UNREADABLE: 1, NO_VOTES: 1}
    assert curve.last.orders.n == 1


def test_without_labels_judges_are_held_to_themselves(project: Project) -> None:
    item = decided_pair(project, None)
    answers_there(project)
    in_both_orders(item, pair_judge(project), [(1, 3)], [(1, 3)])
    found = curves(project)
    assert not found.labelled
    assert found.all[0].last.orders.consistency.value == 1
    assert found.all[0].last.orders.agreement.value is None


def test_a_judge_of_single_answers_has_accuracy_alone(project: Project) -> None:
    """By one criterion a is ahead, by both b is: 4 + 1 against 3 + 4."""
    items = [decided_pair(project, "second") for _number in range(2)]
    answers_there(project)
    judge = single_judge(project)
    for item in items:
        alone(answer_by(item, "model-a"), judge, [4, 1])
    alone(answer_by(items[0], "model-b"), judge, [3, 4])
    (curve, _without) = curves(project).all
    assert [point.orders.accuracy.value for point in curve.points] == [0, 1]
    assert curve.last.orders.consistency.value is None
    assert curve.left_out == {NOT_BOTH: 1}


def test_answers_count_as_the_unit_names_them_whichever_is_the_older(project: Project) -> None:
    """The pair is named by the smaller number, which is the second answer's here."""
    item = decided_pair(project, "second")
    answers_there(project)
    first = answer_by(item, "model-a")
    columns = {"item": item, "author": first.author, "text": first.text}
    first.delete()
    Answer.objects.create(**columns)
    in_both_orders(item, pair_judge(project), [(1, 5)], [(1, 5)])
    assert values(project, "agreement") == [1]


def test_an_item_with_fewer_criteria_leaves_the_curve_where_it_ends(project: Project) -> None:
    items = [decided_pair(project, "first") for _number in range(2)]
    answers_there(project)
    for item, scores in zip(items, ([(3, 1)], [(3, 1), (1, 5)]), strict=True):
        in_both_orders(item, pair_judge(project), scores, scores)
    points = curves(project).all[0].points
    assert [(point.orders.n, point.fewer) for point in points] == [(2, 0), (1, 1)]


def test_a_share_opens_the_pairs_it_stands_on(project: Project) -> None:
    three_pairs(project)
    (curve, _without) = curves(project).all
    for figure in ("agreement", "consistency", "accuracy", "agreement_of_consistent"):
        for point in curve.points:
            pairs = pairs_behind(curve.pairs, figure, point.branches)
            share = getattr(point.orders, figure)
            assert len(pairs) == share.n
            assert sum(counts for _pair, counts in pairs) == pytest.approx(share.value * share.n)


def test_outdated_labels_and_labels_without_answers_do_not_count(project: Project) -> None:
    item = decided_pair(project, "second")
    assert curves(project).all == []
    answers_there(project)
    old = answer_by(item, "model-a")
    new = Answer.objects.create(item=item, author=old.author, version=2, text="Another text.")
    in_both_orders(item, pair_judge(project), [(1, 3)], [(1, 3)])
    assert answer_by(item, "model-a") == new
    found = curves(project)
    assert (found.labelled, found.left_out["people"]) == (False, {"outdated": 1})


def test_whether_labels_were_kept_is_known_of_judges_that_we_asked(project: Project) -> None:
    assert labels_of(pair_judge(project)) == "exchanged"
    assert labels_of(pair_judge(project, labels="labels=kept")) == "kept"
    assert labels_of(single_judge(project)) == ""
    judge = pair_judge(project)
    judge.strategy = "somebody else's"
    assert labels_of(judge) == ""


def test_a_verdict_in_one_order_of_several_repeats_counts_once(project: Project) -> None:
    item = decided_pair(project, "second")
    answers_there(project)
    judge = pair_judge(project)
    again = compared(item, judge, [(5, 1)])
    Verdict.objects.filter(pk=again.pk).update(repeat=2)
    in_both_orders(item, judge, [(1, 3)], [(1, 3)])
    assert values(project, "agreement") == [1]
