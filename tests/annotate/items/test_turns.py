"""Items that belong together go to one person, in the order of the file."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotate.definitions.actions import write_definition
from annotate.doors.waiting import waiting_for
from annotate.items import actions, leases, queue
from annotate.models import Item, Member, Slot, UnitTurn
from annotate.people.members import change_member
from annotate.people.own_record import as_file
from annotate.work import progress
from annotate.work.desk import take_up
from tests.support.people import make_item, make_member, make_project
from tests.support.units import ALONE, IN_DOCUMENTS, answered, documents, sentences, taken

pytestmark = pytest.mark.django_db


def docs_of(items: list[Item]) -> list[str]:
    return [item.facts["sentence"].split()[0] for item in items]


def away(member: Member) -> None:
    """The lease and the turn of this person are over."""
    past = timezone.now() - timedelta(seconds=1)
    Slot.objects.held_by(member.user).update(lease_until=past)
    UnitTurn.objects.filter(holder=member.user).update(until=past)
    leases.sweep()


def test_a_person_gets_the_items_of_a_unit_in_the_order_of_the_file() -> None:
    project = documents()
    items = sentences(project, "a", "b", "a", "b", "a", "b")
    member = make_member(project)
    got = [answered(member) for _item in items]
    assert docs_of(got) in (["a"] * 3 + ["b"] * 3, ["b"] * 3 + ["a"] * 3)
    assert [got[:3], got[3:]] == [sorted(got[:3], key=lambda item: item.pk), sorted(got[3:], key=lambda item: item.pk)]


def test_a_unit_that_somebody_has_begun_goes_to_nobody_else() -> None:
    project = documents()
    sentences(project, "a", "a", "b", "b", "c")
    first, second, third, fourth = [make_member(project) for _person in range(4)]
    begun = [taken(member).item.facts["sentence"][0] for member in (first, second, third)]
    assert sorted(begun) == ["a", "b", "c"]
    assert queue.claim_next(fourth, "annotate") is None
    nothing = progress.why_empty(fourth)
    assert (nothing.why, nothing.count) == ("others", 5)
    assert nothing.until > timezone.now()
    assert progress.within_reach(fourth) == 0
    assert waiting_for(fourth).to_annotate == 0
    assert sum(waiting_for(member).to_annotate or 0 for member in (first, second, third)) == 2


def test_what_waits_is_counted_by_turns_in_one_statement(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    project = documents()
    sentences(project, "a", "a", "b", "b")
    annotator, reviewer = make_member(project), make_member(project, role="reviewer")
    taken(annotator)
    for member, count in ((annotator, 3), (reviewer, 2)):
        assert member.project.kind.unit_column
        with django_assert_num_queries(1):
            assert waiting_for(member).to_annotate == count


def test_between_two_items_the_unit_stays_with_its_person() -> None:
    project = documents()
    sentences(project, "a", "a", "a")
    first, second = make_member(project), make_member(project)
    answered(first)
    assert queue.claim_next(second, "annotate") is None
    assert progress.why_empty(second).until is not None
    assert docs_of([answered(first), answered(first)]) == ["a", "a"]
    assert progress.why_empty(second).why == "none"


def test_what_an_absent_person_has_left_goes_on_to_another() -> None:
    project = documents(lease_minutes=5)
    a1, a2, a3 = sentences(project, "a", "a", "a")
    first, second = make_member(project), make_member(project)
    assert answered(first) == a1
    taken(first)
    away(first)
    assert [answered(second), taken(second).item] == [a2, a3]
    assert queue.claim_next(first, "annotate") is None


def test_who_comes_back_goes_on_with_what_nobody_has_taken_over() -> None:
    project = documents()
    sentences(project, "a", "b", "a", "b", "a", "b")
    member = make_member(project)
    first = answered(member)
    away(member)
    assert docs_of([answered(member), answered(member)]) == docs_of([first]) * 2


def test_a_renewed_lease_renews_the_turn() -> None:
    project = documents()
    sentences(project, "a", "a")
    member = make_member(project)
    slot = taken(member)
    past = timezone.now() - timedelta(seconds=1)
    UnitTurn.objects.update(until=past)
    leases.extend(slot, slot.token)
    assert queue.claim_next(make_member(project), "annotate") is None


def test_with_an_overlap_everybody_works_on_whole_units() -> None:
    project = documents(overlap=2)
    sentences(project, "a", "b", "a", "b", "a", "b")
    people = [make_member(project) for _person in range(3)]
    got: dict[int, list[str]] = {}
    for _turn in range(6):
        for member in people:
            if queue.claim_next(member, "annotate"):
                got.setdefault(member.pk, []).extend(docs_of([answered(member)]))
    assert sum(map(len, got.values())) == 12
    assert all(docs.count("a") in (0, 3) and docs.count("b") in (0, 3) for docs in got.values())
    assert not Slot.objects.open().exists()


def test_a_share_of_the_overlap_is_drawn_by_unit() -> None:
    project = documents(overlap=2, overlap_share=Decimal("0.5"))
    sentences(project, *[f"d{n}" for n in range(20) for _item in range(3)])
    by_unit: dict[str, set[int]] = {}
    for item in Item.objects.prefetch_related("slots"):
        by_unit.setdefault(item.metadata["doc"], set()).add(item.slots.count())
    assert {len(counts) for counts in by_unit.values()} == {1}
    assert {next(iter(counts)) for counts in by_unit.values()} == {1, 2}


def test_what_somebody_skips_goes_to_others_once_they_have_nothing_left_in_the_unit() -> None:
    project = documents()
    a1, a2 = sentences(project, "a", "a")
    first, second = make_member(project), make_member(project)
    slot = taken(first)
    leases.skip(slot, slot.token, person=first.user, reason="too_hard")
    assert answered(first) == a2
    assert queue.claim_next(second, "annotate") is None
    assert queue.claim_next(first, "annotate") is None
    assert taken(second).item == a1


def test_what_is_reserved_comes_first_and_needs_no_turn() -> None:
    project = documents()
    items = sentences(project, "a", "a", "a")
    first, second = make_member(project), make_member(project)
    lead = make_member(project, "lead")
    taken(first)
    actions.assign(items[2], to=second, by=lead.user)
    assert taken(second).item == items[2]
    assert UnitTurn.objects.get().holder == first.user


def test_items_without_a_unit_go_to_anybody_and_priority_counts_between_units() -> None:
    project = documents()
    sentences(project, "a", "a")
    alone = sentences(project, "", "")
    urgent = sentences(project, "z", "z", priority=5)
    first, second = make_member(project), make_member(project)
    assert taken(first).item == urgent[0]
    assert answered(first) == urgent[0]
    assert taken(first).item == urgent[1]
    got = [answered(second) for _item in range(4)]
    assert sorted(item.pk for item in got if item in alone) == [item.pk for item in alone]


def test_a_slot_by_its_number_needs_the_turn_too() -> None:
    project = documents()
    items = sentences(project, "a", "a")
    first, second = make_member(project), make_member(project)
    taken(first)
    assert take_up(second, Slot.objects.get(item=items[1]).pk) is None
    away(first)
    assert take_up(second, Slot.objects.get(item=items[1]).pk) is not None


@pytest.mark.parametrize("how", ["freed", "demoted"])
def test_a_lead_ends_a_turn_with_the_work(how: str) -> None:
    project = documents()
    items = sentences(project, "a", "a")
    first, second, lead = make_member(project), make_member(project), make_member(project, "lead")
    slot = taken(first)
    if how == "freed":
        actions.take_lease(slot, by=lead.user)
    else:
        change_member(first, by=lead.user, role="viewer")
    assert taken(second).item == items[0]


def test_a_person_limited_to_a_language_gets_their_part_of_a_unit_in_order() -> None:
    project = documents()
    sentences(project, "a", language="en")
    [zh1] = sentences(project, "a", language="zh")
    sentences(project, "a", language="en")
    [zh2] = sentences(project, "a", language="zh")
    member = make_member(project, languages=["zh"])
    assert [answered(member), answered(member)] == [zh1, zh2]
    assert queue.claim_next(member, "annotate") is None


def test_another_unit_column_regroups_what_is_there() -> None:
    project = documents(definition=ALONE)
    sentences(project, "a", "b", "a", "b")
    assert set(Slot.objects.values_list("unit", flat=True)) == {None}
    write_definition(project, text=IN_DOCUMENTS, by=None, based_on=1)
    units = list(Slot.objects.order_by("item_id").values_list("unit", flat=True))
    assert units[0] == units[2] != units[1] == units[3]
    taken(make_member(project))
    write_definition(project, text=ALONE, by=None, based_on=2)
    assert set(Slot.objects.values_list("unit", flat=True)) == {None}
    assert not UnitTurn.objects.exists()


def test_an_item_in_its_next_round_keeps_its_unit() -> None:
    project = documents()
    [item] = sentences(project, "a")
    member, lead = make_member(project), make_member(project, "lead")
    answered(member)
    actions.reopen(Item.objects.get(), by=lead.user, note="again")
    first, second = Slot.objects.filter(item=item, stage="annotate").order_by("round")
    assert first.unit == second.unit is not None


def test_the_file_about_a_person_says_no_units() -> None:
    project = documents()
    sentences(project, "a")
    member = make_member(project)
    slot = taken(member)
    assert slot.unit is not None
    assert slot.unit not in "".join(as_file(member.user))


def statements(member: Member) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        assert queue.claim_next(member, "annotate") is not None
    return [query["sql"] for query in queries]


def test_a_project_without_units_sends_what_it_always_sent() -> None:
    forms, feedback = documents(definition=ALONE), make_project()
    sentences(forms, "a", "a"), make_item(feedback)
    sent = {len(statements(make_member(project))) for project in (forms, feedback)}
    assert len(sent) == 1
    again = statements(make_member(forms))
    assert not [sql for sql in again if "unitturn" in sql or "turn_of" in sql]


def test_a_unit_takes_few_more_statements() -> None:
    project = documents()
    sentences(project, *"aaabbb")
    member = make_member(project)
    assert len(statements(member)) == 15
    Slot.objects.held().update(state="submitted", lease_until=None)
    assert len(statements(member)) == 8
