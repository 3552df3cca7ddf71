"""Items that several people write on: nothing moves before all are in; agreement is the kind's word."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from annotate.errors import WrongState
from annotate.items import drafts, leases, queue
from annotate.items.history import history_of
from annotate.models import Annotation, Event, Item, Member, Notification, Slot
from annotate.work import submit
from tests.support.people import DRAFT, make_item, make_member, make_project, written

pytestmark = pytest.mark.django_db
OTHER = {**DRAFT, "error_type": ["Logical Error"]}


def hand_in(item: Item, member: Member, draft: dict[str, Any] = DRAFT) -> Annotation:
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    assert slot.item_id == item.pk
    annotation = written(slot, member, draft)
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
    item.refresh_from_db()
    return annotation


def overlapped(people: int = 2, **project: Any) -> tuple[Item, list[Member]]:
    made = make_project(overlap=people, reviews=0, **project)
    return make_item(made), [make_member(made) for _ in range(people)]


def adjudication(item: Item) -> Slot:
    slot = item.slots.get(stage="adjudicate")
    Slot.objects.filter(pk=slot.pk).update(opens_at=timezone.now() - timedelta(seconds=1))
    return slot


def test_nothing_moves_before_all_are_in() -> None:
    item, people = overlapped(3)
    for member in people[:2]:
        hand_in(item, member)
        assert (item.state, item.base) == ("ready", None)
    hand_in(item, people[2])
    assert item.state == "accepted"


def test_the_first_text_stands_where_all_agree_whatever_they_wrote_freely() -> None:
    item, (one, two) = overlapped()
    first = hand_in(item, one)
    rows = list(reversed(DRAFT["checklist"]))
    hand_in(item, two, {**DRAFT, "feedback": "Two, not three.", "checklist": rows})
    assert (item.state, item.base) == ("accepted", first)


def test_disagreement_goes_to_somebody_else() -> None:
    item, (one, two) = overlapped()
    hand_in(item, one)
    hand_in(item, two, OTHER)
    assert (item.state, item.base) == ("adjudicating", None)
    slot = adjudication(item)
    lead = make_member(item.project, "lead")
    for writer in (one, two):
        Member.objects.filter(pk=writer.pk).update(role="lead")
        assert queue.claim_next(Member.objects.get(pk=writer.pk), "adjudicate") is None
        assert queue.claim(slot.pk, writer) is None
    assert queue.claim_next(lead, "adjudicate") == slot


@pytest.mark.parametrize(("other", "state"), [({**DRAFT, "suitable": False}, "dropped"), (DRAFT, "adjudicating")])
def test_unsuitable_is_for_all_to_say(other: dict[str, Any], state: str) -> None:
    item, (one, two) = overlapped()
    hand_in(item, one, {**DRAFT, "suitable": False, "feedback": "Unclear."})
    hand_in(item, two, other)
    assert item.state == state
    assert item.drop_reason == ("unsuitable" if state == "dropped" else "")


def test_one_takes_back_while_others_write() -> None:
    item, (one, two) = overlapped()
    mine = hand_in(item, one)
    submit.undo(annotation=mine, by=one.user)
    assert Slot.objects.held_by(one.user).count() == 1
    hand_in(item, two)
    assert item.state == "ready"


@pytest.mark.parametrize("other", [DRAFT, OTHER])
def test_the_last_word_is_taken_back_until_somebody_adjudicates(other: dict[str, Any]) -> None:
    item, (one, two) = overlapped()
    first = hand_in(item, one)
    hand_in(item, two, other)
    submit.undo(annotation=first, by=one.user)
    item.refresh_from_db()
    assert item.state == "ready"
    assert not item.slots.filter(stage="adjudicate").exists()


def test_what_is_being_adjudicated_stays_handed_in() -> None:
    item, (one, two) = overlapped()
    first = hand_in(item, one)
    hand_in(item, two, OTHER)
    assert queue.claim(adjudication(item).pk, make_member(item.project, "lead"))
    with pytest.raises(WrongState):
        submit.undo(annotation=first, by=one.user)


def test_a_withdrawn_text_is_not_where_others_begin() -> None:
    item, (one, two) = overlapped()
    first = hand_in(item, one)
    hand_in(item, two)
    submit.undo(annotation=first, by=one.user)
    held = Slot.objects.held_by(one.user).get()
    leases.release(held, held.token)
    third = make_member(item.project)
    slot = queue.claim_next(third, "annotate")
    assert slot is not None
    fresh = drafts.open_draft(slot, author=third.user, item=slot.item, project=item.project)
    assert fresh.draft["feedback"] == ""


def test_the_others_read_nothing_until_all_are_in() -> None:
    item, (one, two) = overlapped()
    lead = make_member(item.project, "lead")
    first = hand_in(item, one)

    def seen_by(member: Member) -> set[int]:
        past = history_of(Item.objects.get(pk=item.pk), kind=item.project.kind, seen_by=member)
        assert all(event.annotation_id != first.pk for event in past.events) or first.pk in [
            chapter.annotation.pk for chapter in past.chapters
        ]
        return {chapter.annotation.pk for chapter in past.chapters}

    assert seen_by(lead) == set()
    assert seen_by(one) == {first.pk}
    second = hand_in(item, two)
    assert seen_by(lead) == {first.pk, second.pk}


def test_only_the_drawn_share_is_written_twice() -> None:
    project = make_project(overlap=2, overlap_share=Decimal("0.5"), reviews=0)
    sizes = [make_item(project).slots.count() for _ in range(60)]
    assert {1, 2} == set(sizes)
    assert Event.objects.filter(verb="ready").count() == 60


def test_no_opinion_is_called_accepted_and_no_co_voter_is_named() -> None:
    project = make_project(overlap=2, reviews=0, kind_slug="preference")
    item = make_item(project, facts={"prompt": "How many?", "first": "Two.", "second": "Three."})
    people = [make_member(project) for _ in range(2)]
    for member in people:
        slot = queue.claim_next(member, "annotate")
        assert slot is not None
        annotation = written(slot, member, {"choice": "first", "reason": "", "recognised": False})
        submit.submit(annotation=annotation, token=slot.token, by=member.user)
    item.refresh_from_db()
    assert item.state == "accepted"
    assert not Notification.objects.exists()


def test_who_agreed_first_hears_of_it_without_the_name_of_the_other() -> None:
    item, (one, two) = overlapped()
    hand_in(item, one)
    hand_in(item, two)
    notification = Notification.objects.get()
    assert (notification.user, notification.verb, notification.actor) == (one.user, "accepted", None)
