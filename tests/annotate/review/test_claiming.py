"""Taking up a review from the list, and the reason why it is not available."""

import pytest

from annotate.errors import Refused
from annotate.models import Annotation, Member, Slot, User
from annotate.review import claim, decisions
from annotate.review.decisions import Reason
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def take(case: Case, slot: Slot, by: User) -> Slot:
    return claim.take(case.member(by), slot)


def test_a_review_is_taken_up_with_a_draft(case: Case) -> None:
    item = case.item()
    case.written(item)
    slot = take(case, case.open_slot(item, "review"), case.reviewer)
    assert (slot.state, slot.holder) == ("held", case.reviewer)
    assert Annotation.objects.get(slot=slot).author == case.reviewer


def test_whoever_wrote_the_text_is_told_so(case: Case) -> None:
    item = case.item()
    case.written(item)
    Member.objects.filter(user=case.annotator).update(role="reviewer")
    with pytest.raises(Refused, match="wrote text"):
        take(case, case.open_slot(item, "review"), case.annotator)


def test_whoever_disagreed_is_told_so() -> None:
    case = make_case(reviews=2)
    item = case.item()
    case.written(item)
    slots = Slot.objects.filter(item=item, stage="review").order_by("no")
    first, second = (take(case, slot, by) for slot, by in zip(slots, (case.reviewer, case.lead), strict=True))
    decisions.accept(review=Annotation.objects.get(slot=first), token=first.token, by=case.reviewer)
    reasons = [Reason("feedback", "It is too long.")]
    sent_back = Annotation.objects.get(slot=second)
    decisions.send_back(review=sent_back, token=second.token, by=case.lead, reasons=reasons)
    with pytest.raises(Refused, match="took part"):
        take(case, Slot.objects.get(item=item, stage="adjudicate"), case.reviewer)


def test_a_decided_review_is_closed(case: Case) -> None:
    review = case.under_review()
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    with pytest.raises(Refused, match="is closed"):
        take(case, review.slot, case.lead)


def test_a_review_that_somebody_has_begun_names_them(case: Case) -> None:
    review = case.under_review()
    with pytest.raises(Refused, match="reviewer has started"):
        take(case, review.slot, case.lead)
