import uuid
from typing import Any

import pytest
from django.utils import timezone

from annotate.errors import LeaseLost, NotReady, Refused, WrongState
from annotate.items import drafts, flow, queue, slots
from annotate.models import Annotation, Comment, Item, Notification, Slot
from annotate.review import decisions
from annotate.review.decisions import Reason
from tests.support.reviews import WRITTEN, Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def decide(verb: str, review: Annotation, case: Case, **given: Any) -> Item:
    return getattr(decisions, verb)(review=review, token=review.slot.token, by=case.reviewer, **given)


def stored(review: Annotation) -> Annotation:
    return Annotation.objects.select_related("item", "slot").get(pk=review.pk)


# --- accepting ------------------------------------------------------------------------------------------------------
def test_an_accepted_item_stands_on_the_annotators_text(case: Case) -> None:
    review = case.under_review()
    decide("accept", review, case)
    item = stored(review).item
    assert (item.state, item.base_id, item.base.draft) == ("accepted", review.slot.about_id, WRITTEN)


def test_accepting_makes_nobody_an_author(case: Case) -> None:
    review = case.under_review()
    decide("accept", review, case)
    kept = stored(review)
    assert (kept.outcome, kept.authored, kept.slot.state) == ("accepted", False, "submitted")
    assert kept.submitted_at is not None


def test_the_author_hears_that_their_work_was_accepted(case: Case) -> None:
    decide("accept", case.under_review(), case)
    told = Notification.objects.get()
    assert (told.user, told.verb, told.actor) == (case.annotator, "accepted", case.reviewer)


def test_accepting_is_refused_while_there_are_edits_and_keeps_them(case: Case) -> None:
    review = case.fix(case.under_review(), feedback="Shorter.")
    with pytest.raises(Refused, match="edits"):
        decide("accept", review, case)
    kept = stored(review)
    assert (kept.draft["feedback"], kept.submitted_at, kept.item.state) == ("Shorter.", None, "reviewing")


def test_blanks_that_a_form_posts_are_no_edits(case: Case) -> None:
    review = case.fix(case.under_review(), reference_first_response="", reference_second_response=None)
    assert decide("accept", review, case).state == "accepted"


def test_edits_that_are_no_valid_draft_are_edits_too(case: Case) -> None:
    review = case.fix(case.under_review(), checklist=[["Half a", "0.x"]])
    with pytest.raises(Refused):
        decide("accept", review, case)


def test_what_does_not_pass_the_checks_is_not_accepted(case: Case) -> None:
    review = case.under_review()
    Annotation.objects.filter(pk=review.slot.about_id).update(draft={**WRITTEN, "checklist": []})
    Annotation.objects.filter(pk=review.pk).update(draft={**WRITTEN, "checklist": []})
    with pytest.raises(NotReady) as refused:
        decide("accept", stored(review), case)
    assert refused.value.findings[0].field == "checklist"
    assert stored(review).slot.state == "held"


def test_agreeing_that_an_item_is_unsuitable_takes_it_out(case: Case) -> None:
    review = case.under_review(draft={**WRITTEN, "suitable": False})
    item = decide("accept", review, case)
    assert (item.state, item.drop_reason) == ("dropped", "unsuitable")
    assert Notification.objects.get().verb == "dropped"


# --- fixing ---------------------------------------------------------------------------------------------------------
def test_a_fix_is_what_the_item_stands_on(case: Case) -> None:
    review = case.fix(case.under_review(), feedback="Both weigh the same.")
    item = decide("fix_and_accept", review, case, note="Shorter.")
    assert (item.state, item.base_id) == ("accepted", review.pk)
    kept = stored(review)
    assert (kept.outcome, kept.authored, kept.note) == ("fixed", True, "Shorter.")
    assert kept.draft == {**WRITTEN, "feedback": "Both weigh the same."}


def test_the_annotators_text_stays_as_it_was_under_a_fix(case: Case) -> None:
    review = case.fix(case.under_review(), feedback="Both weigh the same.")
    decide("fix_and_accept", review, case)
    assert Annotation.objects.get(pk=review.slot.about_id).draft == WRITTEN


def test_a_fix_without_a_change_is_an_acceptance(case: Case) -> None:
    review = case.under_review()
    item = decide("fix_and_accept", review, case)
    assert (item.base_id, stored(review).outcome, stored(review).authored) == (review.slot.about_id, "accepted", False)


def test_a_fix_that_does_not_pass_the_checks_changes_nothing(case: Case) -> None:
    review = case.fix(case.under_review(), checklist=[["Is it kind?", 0.5]])
    with pytest.raises(NotReady) as refused:
        decide("fix_and_accept", review, case)
    assert refused.value.findings[0].field == "checklist"
    kept = stored(review)
    assert (kept.submitted_at, kept.slot.state, kept.item.state) == (None, "held", "reviewing")


def test_a_reviewer_who_calls_the_item_unsuitable_takes_it_out(case: Case) -> None:
    review = case.fix(case.under_review(), suitable=False)
    item = decide("fix_and_accept", review, case)
    assert (item.state, item.drop_reason, item.base_id) == ("dropped", "unsuitable", review.pk)


def test_whoever_fixed_an_item_never_reviews_it_again(case: Case) -> None:
    review = case.fix(case.under_review(), feedback="Both weigh the same.")
    item = decide("fix_and_accept", review, case)
    flow.move(item, "reopened", by=case.lead)
    slots.open_annotating(item, case.project)
    case.written(item)
    assert queue.claim(case.open_slot(item, "review").pk, case.member(case.reviewer)) is None
    assert queue.claim(case.open_slot(item, "review").pk, case.member(case.lead)) is not None


# --- sending back ---------------------------------------------------------------------------------------------------
def test_sending_back_opens_another_round_for_its_author(case: Case) -> None:
    review = case.under_review()
    item = decide("send_back", review, case, reasons=[Reason("feedback", "Too harsh.")])
    assert (item.state, item.round, item.base_id) == ("ready", 2, review.slot.about_id)
    slot = case.open_slot(item, "annotate")
    assert (slot.round, slot.reserved_for) == (2, case.annotator)
    assert queue.claim_next(case.member(case.annotator), "annotate") == slot


def test_a_sent_back_item_comes_before_everything_else(case: Case) -> None:
    review = case.under_review("returned")
    for place in range(3):
        case.item(f"other-{place}")
    Item.objects.filter(key="other-0").update(priority=9)
    Slot.objects.filter(item__key="other-0").update(priority=9)
    item = decide("send_back", review, case, reasons=[Reason("", "Again, please.")])
    claimed = queue.claim_next(case.member(case.annotator), "annotate")
    assert claimed is not None
    assert claimed.item_id == item.pk


def test_nobody_else_gets_it_while_it_is_reserved(case: Case) -> None:
    item = decide("send_back", case.under_review(), case, reasons=[Reason("", "Again.")])
    assert queue.claim(case.open_slot(item, "annotate").pk, case.member(case.lead)) is None
    Slot.objects.open().update(reserved_until=timezone.now())
    assert queue.claim(case.open_slot(item, "annotate").pk, case.member(case.lead)) is not None


def test_every_reason_is_a_thread_on_its_field(case: Case) -> None:
    review = case.under_review()
    reasons = [Reason("feedback", "Too harsh."), Reason("checklist", "Weigh the first more."), Reason("", "Nearly.")]
    decide("send_back", review, case, reasons=reasons)
    pinned = Comment.objects.values_list("field", "text", "round", "annotation_id", "author_id")
    about, by = review.slot.about_id, case.reviewer.pk
    assert list(pinned) == [(reason.field, reason.text, 1, about, by) for reason in reasons]


def test_the_author_is_told_all_reasons(case: Case) -> None:
    decide("send_back", case.under_review(), case, reasons=[Reason("", "One."), Reason("feedback", "Two.")])
    told = Notification.objects.get()
    assert (told.user, told.verb, told.note) == (case.annotator, "returned", "One.\nTwo.")


@pytest.mark.parametrize("reasons", [[], [Reason("feedback", "  \n")]])
def test_nothing_comes_back_without_a_reason(case: Case, reasons: list[Reason]) -> None:
    review = case.under_review()
    with pytest.raises(Refused, match="at least one reason"):
        decide("send_back", review, case, reasons=reasons)
    assert stored(review).slot.state == "held"


def test_the_next_round_starts_from_what_was_sent_back(case: Case) -> None:
    item = decide("send_back", case.under_review(), case, reasons=[Reason("", "Again.")])
    slot = queue.claim_next(case.member(case.annotator), "annotate")
    assert slot is not None
    draft = drafts.open_draft(slot, author=case.annotator, item=Item.objects.get(pk=item.pk), project=case.project)
    assert draft.draft == WRITTEN


def test_edits_made_before_sending_back_are_kept_with_the_review(case: Case) -> None:
    review = case.fix(case.under_review(), feedback="As I would say it.")
    decide("send_back", review, case, reasons=[Reason("", "See my text.")])
    kept = stored(review)
    assert (kept.outcome, kept.authored, kept.draft["feedback"]) == ("returned", False, "As I would say it.")


def test_what_comes_from_somebody_who_left_is_open_to_everybody(case: Case) -> None:
    review = case.under_review()
    case.member(case.annotator).delete()
    item = decide("send_back", review, case, reasons=[Reason("", "Again.")])
    assert case.open_slot(item, "annotate").reserved_for is None


def test_an_author_who_may_only_look_now_gets_nothing_back(case: Case) -> None:
    review = case.under_review()
    case.project.members.filter(user=case.annotator).update(role="viewer")
    item = decide("send_back", review, case, reasons=[Reason("", "Again.")])
    assert case.open_slot(item, "annotate").reserved_for is None


def test_the_reviewer_of_one_round_may_review_the_next(case: Case) -> None:
    item = decide("send_back", case.under_review(), case, reasons=[Reason("", "Again.")])
    case.written(item, {**WRITTEN, "feedback": "Better now."})
    review = case.review(item)
    assert review.draft["feedback"] == "Better now."
    assert decide("accept", review, case).round == 2


# --- dropping -------------------------------------------------------------------------------------------------------
def test_a_dropped_item_says_why_and_who(case: Case) -> None:
    review = case.under_review()
    item = decide("drop", review, case, reason="duplicate", note="As k-7.")
    assert (item.state, item.drop_reason) == ("dropped", "duplicate")
    event = item.events.get(verb="dropped")
    assert (event.actor, event.note, event.from_state) == (case.reviewer, "As k-7.", "reviewing")


@pytest.mark.parametrize("reason", ["", "because"])
def test_nothing_is_dropped_without_a_known_reason(case: Case, reason: str) -> None:
    review = case.under_review()
    with pytest.raises(Refused, match="Choose a reason"):
        decide("drop", review, case, reason=reason)
    assert stored(review).item.state == "reviewing"


# --- races ----------------------------------------------------------------------------------------------------------
DECISIONS = [
    ("accept", {}),
    ("fix_and_accept", {}),
    ("send_back", {"reasons": [Reason("", "Again.")]}),
    ("drop", {"reason": "other"}),
]
every_decision = pytest.mark.parametrize(("verb", "given"), DECISIONS)


@every_decision
def test_a_decision_needs_the_lease(case: Case, verb: str, given: dict[str, Any]) -> None:
    review = case.under_review()
    with pytest.raises(LeaseLost):
        getattr(decisions, verb)(review=review, token=uuid.uuid4(), by=case.reviewer, **given)
    kept = stored(review)
    assert (kept.submitted_at, kept.item.state, kept.item.round) == (None, "reviewing", 1)
    assert not Comment.objects.exists()
    assert not Notification.objects.exists()


@every_decision
def test_a_decision_about_an_item_that_moved_changes_nothing(case: Case, verb: str, given: dict[str, Any]) -> None:
    review = case.under_review()
    flow.move(Item.objects.get(pk=review.item_id), "dropped", by=case.lead, drop_reason="withdrawn")
    with pytest.raises(WrongState):
        decide(verb, review, case, **given)
    kept = stored(review)
    assert (kept.submitted_at, kept.slot.state, kept.item.drop_reason) == (None, "held", "withdrawn")
    assert not Comment.objects.exists()


@every_decision
def test_a_decision_counts_once(case: Case, verb: str, given: dict[str, Any]) -> None:
    review = case.under_review()
    decide(verb, review, case, **given)
    with pytest.raises(LeaseLost):
        decide(verb, stored(review), case, **given)
    assert Notification.objects.count() == 1


@every_decision
def test_a_decision_is_one_line_of_history(case: Case, verb: str, given: dict[str, Any]) -> None:
    review = case.under_review()
    before = review.item.events.count()
    decide(verb, review, case, **given)
    assert review.item.events.count() == before + 1


def test_a_review_of_imported_work_tells_nobody(case: Case) -> None:
    review = case.under_review()
    Annotation.objects.filter(pk=review.slot.about_id).update(author=None, rater="expert-3")
    item = decide("send_back", review, case, reasons=[Reason("", "Again.")])
    assert not Notification.objects.exists()
    assert case.open_slot(item, "annotate").reserved_for is None
