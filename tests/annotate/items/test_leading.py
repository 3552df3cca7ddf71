from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.errors import WrongState
from annotate.items import actions, leases, queue
from annotate.items.actions import NotApplicable, RefusalReason
from annotate.models import Event, Item, Notification, Skip, Slot
from annotate.review import decisions
from tests.support.reviews import WRITTEN, Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def held(case: Case, item: Item) -> Slot:
    slot = queue.claim(case.open_slot(item, "annotate").pk, case.member(case.annotator))
    assert slot is not None
    return slot


def accepted(case: Case) -> Item:
    review = case.under_review()
    return decisions.accept(review=review, token=review.slot.token, by=case.reviewer)


def why(caught: pytest.ExceptionInfo[NotApplicable]) -> str:
    return caught.value.why


def test_a_dropped_item_keeps_its_reason_and_closes_its_work(case: Case) -> None:
    item = case.item()
    actions.drop(item, by=case.lead, reason="duplicate", note="same as k-2")
    item.refresh_from_db()
    assert (item.state, item.drop_reason) == ("dropped", "duplicate")
    assert not Slot.objects.open().filter(item=item).exists()
    assert Event.objects.get(item=item, verb="dropped").note == "same as k-2"


def test_whoever_holds_a_dropped_item_is_told_and_keeps_the_draft(case: Case) -> None:
    item = case.item()
    case.written(item)
    annotation = case.review(item)
    actions.drop(item, by=case.lead, reason="other")
    assert Notification.objects.get(user=case.reviewer).verb == "removed"
    annotation.refresh_from_db()
    assert annotation.draft == WRITTEN


def test_an_item_is_dropped_once(case: Case) -> None:
    item = case.item()
    actions.drop(item, by=case.lead, reason="other")
    with pytest.raises(NotApplicable) as caught:
        actions.drop(item, by=case.lead, reason="other")
    assert why(caught) == RefusalReason.DROPPED


def test_a_restored_item_is_work_again_from_its_last_text(case: Case) -> None:
    item = case.item()
    annotation = case.written(item)
    actions.drop(item, by=case.lead, reason="other")
    actions.restore(item, by=case.lead)
    item.refresh_from_db()
    assert (item.state, item.round, item.drop_reason, item.base_id) == ("ready", 2, "", annotation.pk)
    assert Slot.objects.open().get(item=item).round == 2


def test_only_dropped_items_are_restored(case: Case) -> None:
    with pytest.raises(NotApplicable) as caught:
        actions.restore(case.item(), by=case.lead)
    assert why(caught) == RefusalReason.NOT_DROPPED


def test_a_reopened_item_starts_from_the_accepted_text(case: Case) -> None:
    item = accepted(case)
    base = item.base_id
    actions.reopen(item, by=case.lead, note="a new rule")
    item.refresh_from_db()
    assert (item.state, item.round, item.base_id) == ("ready", 2, base)


def test_only_accepted_items_are_reopened(case: Case) -> None:
    with pytest.raises(NotApplicable) as caught:
        actions.reopen(case.item(), by=case.lead)
    assert why(caught) == RefusalReason.NOT_ACCEPTED


def test_requeueing_takes_an_item_from_its_reviewer(case: Case) -> None:
    review = case.under_review()
    item = Item.objects.get(pk=review.item_id)
    item.project = case.project
    actions.requeue(item, by=case.lead)
    item.refresh_from_db()
    assert (item.state, item.round) == ("ready", 2)
    assert Slot.objects.get(pk=review.slot_id).state == "void"
    assert Notification.objects.filter(user=case.reviewer, verb="removed").exists()


def test_what_waits_in_the_queue_is_not_requeued(case: Case) -> None:
    with pytest.raises(NotApplicable) as caught:
        actions.requeue(case.item(), by=case.lead)
    assert why(caught) == RefusalReason.QUEUED


def test_an_item_waiting_for_its_suggestion_can_be_sent_to_work(case: Case) -> None:
    item = Item.objects.create(project=case.project, key="k", facts={}, content_hash="k")
    actions.requeue(item, by=case.lead)
    assert item.state == "ready"
    assert case.open_slot(item, "annotate")


@pytest.mark.parametrize("verb", [actions.drop, actions.restore, actions.reopen, actions.requeue])
def test_an_item_that_somebody_moved_meanwhile_is_left_alone(case: Case, verb) -> None:
    item = accepted(case)
    if verb is actions.restore:
        actions.drop(item, by=case.lead, reason="other")
    if verb is actions.requeue:
        actions.reopen(item, by=case.lead)
        held(case, item)
    Item.objects.filter(pk=item.pk).update(round=9)
    reason = {"reason": "other"} if verb is actions.drop else {}
    with pytest.raises(WrongState):
        verb(item, by=case.lead, **reason)
    assert Item.objects.get(pk=item.pk).round == 9


def test_priority_reaches_the_queue(case: Case) -> None:
    first, second = case.item("k-1"), case.item("k-2")
    actions.set_priority(second, by=case.lead, priority=5)
    claimed = queue.claim_next(case.member(case.annotator), "annotate")
    assert claimed is not None
    assert claimed.item_id == second.pk != first.pk
    assert Item.objects.get(pk=second.pk).priority == 5


def test_assigned_work_comes_to_its_person_and_to_nobody_else(case: Case) -> None:
    item = case.item()
    actions.assign(item, to=case.member(case.annotator), by=case.lead)
    assert queue.claim_next(case.member(case.reviewer), "annotate") is None
    claimed = queue.claim_next(case.member(case.annotator), "annotate")
    assert claimed is not None
    assert claimed.item_id == item.pk


def test_assignment_does_not_run_out(case: Case) -> None:
    slot = actions.assign(case.item(), to=case.member(case.annotator), by=case.lead)
    assert Slot.objects.get(pk=slot.pk).reserved_until is None


def test_assignment_reaches_beyond_a_persons_languages(case: Case) -> None:
    member = case.member(case.annotator)
    member.languages = ["zh"]
    member.save()
    item = case.item()
    assert queue.claim_next(member, "annotate") is None
    actions.assign(item, to=member, by=case.lead)
    assert queue.claim_next(member, "annotate") is not None


def test_a_skipped_item_is_not_assigned_to_the_skipper(case: Case) -> None:
    item = case.item()
    Skip.objects.create(item=item, person=case.annotator, reason="too_hard")
    with pytest.raises(NotApplicable) as caught:
        actions.assign(item, to=case.member(case.annotator), by=case.lead)
    assert why(caught) == RefusalReason.SKIPPED


def test_a_review_is_not_assigned_to_the_author(case: Case) -> None:
    member = case.member(case.annotator)
    member.role = "reviewer"
    member.save()
    item = case.item()
    case.written(item)
    with pytest.raises(NotApplicable) as caught:
        actions.assign(item, to=member, by=case.lead)
    assert why(caught) == RefusalReason.OWN_WORK


def test_an_annotator_is_not_assigned_a_review(case: Case) -> None:
    item = case.item()
    case.written(item, by=case.lead)
    with pytest.raises(NotApplicable) as caught:
        actions.assign(item, to=case.member(case.annotator), by=case.lead)
    assert why(caught) == RefusalReason.NO_OPEN_WORK


def test_a_decided_item_is_not_assigned(case: Case) -> None:
    with pytest.raises(NotApplicable) as caught:
        actions.assign(accepted(case), to=case.member(case.annotator), by=case.lead)
    assert why(caught) == RefusalReason.DECIDED


def test_the_same_assignment_counts_once(case: Case) -> None:
    item = case.item()
    actions.assign(item, to=case.member(case.annotator), by=case.lead)
    with pytest.raises(NotApplicable) as caught:
        actions.assign(item, to=case.member(case.annotator), by=case.lead)
    assert why(caught) == RefusalReason.ASSIGNED


def test_an_assignment_can_be_taken_back(case: Case) -> None:
    item = case.item()
    actions.assign(item, to=case.member(case.annotator), by=case.lead)
    actions.unassign(item, by=case.lead)
    assert queue.claim_next(case.member(case.reviewer), "annotate") is not None


def test_a_lease_taken_back_leaves_the_draft_and_tells_the_holder(case: Case) -> None:
    item = case.item()
    case.written(item)
    review = case.review(item)
    slot = Slot.objects.select_related("item__project", "holder").get(pk=review.slot_id)
    actions.take_lease(slot, by=case.lead)
    assert Slot.objects.get(pk=slot.pk).state == "open"
    assert type(review).objects.filter(pk=review.pk).exists()
    assert Notification.objects.get(user=case.reviewer).verb == "removed"


def test_a_lease_that_ended_meanwhile_is_not_taken(case: Case) -> None:
    slot = held(case, case.item())
    leases.release(slot, slot.token)
    with pytest.raises(WrongState):
        actions.take_lease(Slot.objects.select_related("item__project", "holder").get(pk=slot.pk), by=case.lead)


def test_an_assignment_takes_the_place_of_a_reservation_that_ends(case: Case) -> None:
    item, until = case.item(), timezone.now() + timedelta(days=1)
    Slot.objects.filter(item=item).update(reserved_for=case.annotator, reserved_until=until)
    actions.assign(item, to=case.member(case.annotator), by=case.lead)
    slot = Slot.objects.get(item=item)
    assert (slot.reserved_for, slot.reserved_until) == (case.annotator, None)


def test_the_history_says_who_set_which_priority(case: Case) -> None:
    item = case.item()
    actions.set_priority(item, by=case.lead, priority=3)
    event = Event.objects.get(item=item, verb="priority")
    assert (event.actor, event.note) == (case.lead, "3")
