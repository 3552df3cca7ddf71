from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotate.errors import LeaseLost, WrongState
from annotate.items import actions, comments, drafts, flow, leases, queue
from annotate.models import Annotation, Comment, Event, Item, Notification, Slot
from annotate.review import decisions
from annotate.review.decisions import Reason
from annotate.review.take_back import GRACE, take_back
from tests.support.reviews import WRITTEN, Case, make_case

pytestmark = pytest.mark.django_db
DECISIONS: dict[str, dict[str, Any]] = {
    "accept": {},
    "fix_and_accept": {"note": "Shorter."},
    "send_back": {"reasons": [Reason("feedback", "Too harsh."), Reason("", "And late.")]},
    "drop": {"reason": "duplicate", "note": "As k-7."},
}


@pytest.fixture
def case() -> Case:
    return make_case()


@pytest.fixture
def decided(case: Case) -> Callable[[str], Annotation]:
    """A review of the reviewer that was decided in this way a moment ago; a fix has a text of its own."""

    def decide(verb: str) -> Annotation:
        review = case.under_review()
        if verb == "fix_and_accept":
            case.fix(review, feedback="Both weigh the same.")
        getattr(decisions, verb)(review=review, token=review.slot.token, by=case.reviewer, **DECISIONS[verb])
        return stored(review)

    return decide


def stored(review: Annotation) -> Annotation:
    return Annotation.objects.select_related("item", "slot").get(pk=review.pk)


every_decision = pytest.mark.parametrize("verb", DECISIONS)


@every_decision
def test_whatever_was_decided_the_reviewer_holds_it_again(
    case: Case, decided: Callable[[str], Annotation], verb: str
) -> None:
    before = decided(verb)
    take_back(review=before, by=case.reviewer)
    review = stored(before)
    item, slot = review.item, review.slot
    assert (item.state, item.round, item.drop_reason, item.base_id) == ("reviewing", 1, "", slot.about_id)
    assert (slot.state, slot.holder) == ("held", case.reviewer)
    assert (review.submitted_at, review.outcome, review.authored) == (None, "", False)
    assert Slot.objects.filter(item=item).count() == 2


@every_decision
def test_the_author_hears_nothing_of_it(case: Case, decided: Callable[[str], Annotation], verb: str) -> None:
    review = decided(verb)
    assert Notification.objects.filter(user=case.annotator).exists()
    take_back(review=review, by=case.reviewer)
    assert not Notification.objects.exists()
    assert not Comment.objects.exists()


@every_decision
def test_another_decision_can_follow(case: Case, decided: Callable[[str], Annotation], verb: str) -> None:
    review = decided(verb)
    take_back(review=review, by=case.reviewer)
    again = stored(review)
    decisions.send_back(
        review=again, token=again.slot.token, by=case.reviewer, reasons=[Reason("checklist", "One more.")]
    )
    assert (stored(review).item.state, stored(review).item.round) == ("ready", 2)
    assert Comment.objects.get().text == "One more."


@every_decision
def test_both_stand_in_the_history(case: Case, decided: Callable[[str], Annotation], verb: str) -> None:
    review = decided(verb)
    before = list(Event.objects.values_list("pk", flat=True))
    take_back(review=review, by=case.reviewer)
    after = list(Event.objects.order_by("id"))
    assert [event.pk for event in after[:-1]] == before
    assert after[-1].verb == ("recalled" if verb == "send_back" else "reconsidered")
    assert after[-1].actor == case.reviewer


def test_a_fix_keeps_its_text(case: Case, decided: Callable[[str], Annotation]) -> None:
    review = decided("fix_and_accept")
    take_back(review=review, by=case.reviewer)
    assert stored(review).draft["feedback"] == "Both weigh the same."
    assert Annotation.objects.get(pk=review.slot.about_id).draft == WRITTEN


def test_whoever_agreed_that_an_item_is_unsuitable_can_take_that_back(case: Case) -> None:
    review = case.under_review(draft={**WRITTEN, "suitable": False})
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    take_back(review=review, by=case.reviewer)
    assert (stored(review).item.state, stored(review).item.drop_reason) == ("reviewing", "")


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("accept", ("accepted", [], "", "")),
        ("fix_and_accept", ("fixed", [], "Shorter.", "")),
        ("send_back", ("returned", DECISIONS["send_back"]["reasons"], "Too harsh.\nAnd late.", "")),
        ("drop", ("dropped", [], "As k-7.", "duplicate")),
    ],
)
def test_no_word_is_written_twice(
    case: Case, decided: Callable[[str], Annotation], verb: str, said: tuple[Any, ...]
) -> None:
    given = take_back(review=decided(verb), by=case.reviewer)
    assert (given.outcome, given.reasons, given.note, given.drop_reason) == said


# --- when it is too late ----------------------------------------------------------------------------------------------
def refused(review: Annotation, case: Case, match: str) -> None:
    before = Item.objects.values().get(pk=review.item_id)
    with pytest.raises(WrongState, match=match):
        take_back(review=review, by=case.reviewer)
    assert Item.objects.values().get(pk=review.item_id) == before
    assert stored(review).submitted_at is not None


@pytest.mark.parametrize("verb", ["accept", "fix_and_accept", "drop"])
def test_a_decision_stands_after_its_time_of_grace(case: Case, decided: Callable[[str], Annotation], verb: str) -> None:
    review = decided(verb)
    Event.objects.update(at=timezone.now() - GRACE - timedelta(seconds=1))
    Annotation.objects.filter(pk=review.pk).update(submitted_at=timezone.now() - 2 * GRACE)
    refused(review, case, "This decision is now final")


def test_what_was_sent_back_comes_back_as_long_as_nobody_has_begun(
    case: Case, decided: Callable[[str], Annotation]
) -> None:
    review = decided("send_back")
    hours_ago = timezone.now() - timedelta(hours=5)
    Event.objects.update(at=hours_ago)
    Comment.objects.update(created_at=hours_ago)
    Annotation.objects.filter(pk=review.pk).update(submitted_at=hours_ago)
    take_back(review=review, by=case.reviewer)
    assert stored(review).item.round == 1


def test_nothing_comes_back_from_an_author_who_has_begun(case: Case, decided: Callable[[str], Annotation]) -> None:
    review = decided("send_back")
    assert queue.claim_next(case.member(case.annotator), "annotate") is not None
    refused(review, case, "already started on this again")


def test_a_text_that_was_handed_back_unfinished_is_not_thrown_away(
    case: Case, decided: Callable[[str], Annotation]
) -> None:
    review = decided("send_back")
    slot = queue.claim_next(case.member(case.annotator), "annotate")
    assert slot is not None
    begun = drafts.open_draft(slot, author=case.annotator, item=slot.item, project=case.project)
    drafts.save(begun, {**begun.draft, "feedback": "Half a"}, revision=0, decided=[])
    leases.release(slot, slot.token)
    refused(review, case, "already started on this again")
    assert Annotation.objects.get(pk=begun.pk).draft["feedback"] == "Half a"


def test_a_look_that_left_no_word_hinders_nobody(case: Case, decided: Callable[[str], Annotation]) -> None:
    review = decided("send_back")
    slot = queue.claim_next(case.member(case.annotator), "annotate")
    assert slot is not None
    drafts.open_draft(slot, author=case.annotator, item=slot.item, project=case.project)
    leases.release(slot, slot.token)
    take_back(review=review, by=case.reviewer)
    assert stored(review).slot.state == "held"


def test_an_answer_to_a_reason_is_not_thrown_away(case: Case, decided: Callable[[str], Annotation]) -> None:
    review = decided("send_back")
    comments.answer(thread=Comment.objects.get(field="feedback"), by=case.annotator, text="But why?")
    refused(review, case, "answered")
    assert Comment.objects.count() == 3


def test_a_remark_made_since_stays(case: Case, decided: Callable[[str], Annotation]) -> None:
    review = decided("send_back")
    comments.start(item=review.item, by=case.reviewer, text="By the way.", field="feedback")
    take_back(review=review, by=case.reviewer)
    assert Comment.objects.get().text == "By the way."


def test_what_a_lead_has_moved_since_stays(case: Case, decided: Callable[[str], Annotation]) -> None:
    review = decided("accept")
    actions.drop(stored(review).item, by=case.lead, reason="other")
    refused(review, case, "moved on")


def test_what_was_dropped_restored_and_dropped_again_stays(case: Case, decided: Callable[[str], Annotation]) -> None:
    review = decided("drop")
    item = stored(review).item
    flow.move(item, "restored", by=case.lead)
    flow.move(item, "dropped", by=case.reviewer, drop_reason="other")
    refused(review, case, "moved on")


def test_nobody_takes_back_the_decision_of_another(case: Case, decided: Callable[[str], Annotation]) -> None:
    review = decided("accept")
    with pytest.raises((WrongState, LeaseLost)):
        take_back(review=review, by=case.lead)
    assert stored(review).item.state == "accepted"


def test_it_is_taken_back_once(case: Case, decided: Callable[[str], Annotation]) -> None:
    review = decided("accept")
    take_back(review=review, by=case.reviewer)
    with pytest.raises(WrongState):
        take_back(review=review, by=case.reviewer)
    assert Event.objects.filter(verb="reconsidered").count() == 1
