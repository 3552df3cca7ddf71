from collections import Counter

import pytest
from pytest_django import DjangoAssertNumQueries

from annotate.audit.trail import record
from annotate.items import actions
from annotate.items.actions import Instruction, RefusalReason
from annotate.models import Event, Item
from annotate.review import decisions
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def drop(case: Case) -> Instruction:
    return Instruction(verb="drop", by=case.lead, reason="too_easy")


def test_what_is_done_and_what_is_left_out_are_counted(case: Case) -> None:
    items = [case.item(f"k-{n}") for n in range(3)]
    actions.drop(items[1], by=case.lead, reason="other")
    outcome = actions.work_through(Item.objects.all(), drop(case).apply, project=case.project)
    assert (outcome.done, outcome.left_out, outcome.finished) == (2, Counter({RefusalReason.DROPPED: 1}), True)
    assert Event.objects.filter(verb="dropped").count() == 3


def test_a_large_selection_is_worked_in_parts(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "AT_ONCE", 2)
    for n in range(5):
        case.item(f"k-{n}")
    done, after, parts, finished = 0, 0, 0, False
    while not finished:
        part = actions.work_through(Item.objects.all(), drop(case).apply, project=case.project, after=after)
        done, after, parts, finished = done + part.done, part.after, parts + 1, part.finished
    assert (done, parts) == (5, 3)


def test_at_most_so_many_are_done(case: Case) -> None:
    for n in range(4):
        case.item(f"k-{n}")
    assign = Instruction(verb="assign", by=case.lead, to=case.member(case.annotator))
    outcome = actions.work_through(Item.objects.all(), assign.apply, project=case.project, most=3)
    assert (outcome.done, outcome.finished) == (3, True)


def test_what_was_left_out_does_not_count_towards_the_most(case: Case) -> None:
    items = [case.item(f"k-{n}") for n in range(3)]
    actions.drop(items[0], by=case.lead, reason="other")
    outcome = actions.work_through(Item.objects.all(), drop(case).apply, project=case.project, most=2)
    assert outcome.done == 2


def test_one_raced_item_does_not_stop_the_others(case: Case) -> None:
    raced, fine = case.item("k-1"), case.item("k-2")

    def verb(item: Item) -> None:
        if item.pk == raced.pk:
            Item.objects.filter(pk=item.pk).update(round=7)
        actions.drop(item, by=case.lead, reason="other")

    outcome = actions.work_through(Item.objects.all(), verb, project=case.project)
    assert outcome.left_out == {RefusalReason.RACED: 1}
    assert Item.objects.get(pk=fine.pk).state == "dropped"


@pytest.mark.parametrize("verb", ["assign", "unassign", "priority", "drop", "requeue", "restore", "reopen"])
def test_every_verb_is_known(case: Case, verb: str) -> None:
    case.item()
    order = Instruction(verb=verb, by=case.lead, to=case.member(case.annotator), priority=3, reason="other")
    outcome = actions.work_through(Item.objects.all(), order.apply, project=case.project)
    assert outcome.done + sum(outcome.left_out.values()) == 1


def test_an_unknown_verb_is_a_fault_of_the_program(case: Case) -> None:
    with pytest.raises(ValueError, match="explode"):
        Instruction(verb="explode", by=case.lead).apply(case.item())


def test_dropping_costs_few_queries_an_item(case: Case, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for n in range(10):
        case.item(f"k-{n}")
    # 1 reads the selection, 2 are the transaction; each item: a savepoint opened and closed (2), the move, its
    # history, the holders, how many slots are held, and their closing; 3 are the entry in the audit trail
    record("project.changed", case.project, after={"name": "the first entry makes the row of the end"})
    with django_assert_num_queries(1 + 2 + 10 * 7 + 3):
        actions.work_through(Item.objects.all(), drop(case).apply, project=case.project)


def test_a_part_without_items_ends_where_it_began(case: Case) -> None:
    item = case.item()
    outcome = actions.work_through(Item.objects.all(), drop(case).apply, project=case.project, after=item.pk)
    assert (outcome.done, outcome.after, outcome.finished) == (0, item.pk, True)


def test_accepted_texts_get_one_more_review_and_the_rest_is_left_out(case: Case) -> None:
    review = case.under_review("accepted")
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    case.item("waiting")
    instruction = Instruction(verb="recheck", by=case.lead)
    outcome = actions.work_through(Item.objects.all(), instruction.apply, project=case.project)
    assert (outcome.done, outcome.left_out) == (1, Counter({RefusalReason.NO_TEXT: 1}))
    item = Item.objects.get(key="accepted")
    assert (item.state, item.round) == ("reviewing", 2)
    assert case.open_slot(item, "review").about == item.base
