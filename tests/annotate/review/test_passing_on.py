"""A reviewer who changes what others are to judge: the text goes to somebody else, as an annotator's change does."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.errors import WrongState
from annotate.items import drafts, queue
from annotate.models import Annotation, Item, Member, Slot
from annotate.review import decisions
from annotate.review.take_back import take_back
from annotate.work.submit import hand_in
from tests.support.canals import DRAFT, FACTS
from tests.support.people import make_item, make_member, make_project

pytestmark = pytest.mark.django_db
CORRECTED = "The canal is 28 km long."


@pytest.fixture
def item() -> Item:
    return make_item(make_project(kind_slug="perturbation", reviews=1), facts=FACTS, suggestion=DRAFT)


def opened(member: Member, stage: str) -> Annotation:
    Slot.objects.update(opens_at=timezone.now())
    slot = queue.claim_next(member, stage)
    assert slot is not None
    item = Item.objects.select_related("project", "base").get(pk=slot.item_id)
    return drafts.open_draft(slot, author=member.user, item=item, project=item.project)


def validated(member: Member) -> Annotation:
    mine = opened(member, "annotate")
    drafts.save(mine, {**mine.draft, "verdict": "valid"}, revision=mine.revision, decided=[])
    mine.refresh_from_db()
    item = Item.objects.select_related("project", "base").get(pk=mine.item_id)
    hand_in(annotation=mine, token=mine.slot.token, by=member.user, item=item)
    return mine


def fixed(member: Member, **changes: str) -> Annotation:
    review = opened(member, "review")
    drafts.save(review, {**review.draft, **changes}, revision=review.revision, decided=[])
    review.refresh_from_db()
    decisions.fix_and_accept(review=review, token=review.slot.token, by=member.user, note="82, not 28.")
    return review


def test_a_changed_text_is_judged_by_others_who_do_not_see_the_verdict(item: Item) -> None:
    reviewer = make_member(item.project, "reviewer")
    validated(make_member(item.project))
    review = fixed(reviewer, perturbed_answer=CORRECTED)
    item.refresh_from_db()
    assert (item.state, item.round, item.base, review.outcome) == ("ready", 2, review, "revised")
    assert item.events.last().verb == "revised"
    assert queue.claim_next(reviewer, "annotate") is None
    other = opened(make_member(item.project), "annotate")
    assert other.draft == {"perturbed_answer": CORRECTED, "verdict": None, "note": ""}


def test_the_reviewer_gets_neither_the_next_round_nor_its_review(item: Item) -> None:
    reviewer = make_member(item.project, "reviewer")
    writer = make_member(item.project)
    validated(writer)
    fixed(reviewer, perturbed_answer=CORRECTED)
    validated(writer)
    Slot.objects.update(opens_at=timezone.now())
    assert queue.claim_next(reviewer, "review") is None
    assert not any(queue.claim(slot.pk, reviewer) for slot in Slot.objects.open())
    review = opened(make_member(item.project, "reviewer"), "review")
    decisions.accept(review=review, token=review.slot.token, by=review.author)
    item.refresh_from_db()
    assert (item.state, item.base.draft["perturbed_answer"]) == ("accepted", CORRECTED)


def test_another_verdict_or_note_alone_is_accepted_as_before(item: Item) -> None:
    validated(make_member(item.project))
    review = fixed(make_member(item.project, "reviewer"), verdict="score_invariant", note="Same worth.")
    item.refresh_from_db()
    assert (item.state, item.base, review.outcome) == ("accepted", review, "fixed")


def test_what_others_have_in_hand_is_not_taken_back(item: Item) -> None:
    reviewer = make_member(item.project, "reviewer")
    validated(make_member(item.project))
    review = fixed(reviewer, perturbed_answer=CORRECTED)
    with pytest.raises(WrongState, match="others are reviewing it"):
        take_back(review=review, by=reviewer.user)
    item.refresh_from_db()
    assert (item.state, item.round) == ("ready", 2)


def test_two_reviewers_who_make_the_same_change_have_both_seen_it() -> None:
    item = make_item(make_project(kind_slug="perturbation", reviews=2), facts=FACTS, suggestion=DRAFT)
    validated(make_member(item.project))
    for _reviewer in range(2):
        fixed(make_member(item.project, "reviewer"), perturbed_answer=CORRECTED)
    item.refresh_from_db()
    assert (item.state, item.base.draft["perturbed_answer"]) == ("accepted", CORRECTED)


def test_two_reviewers_of_whom_one_changes_it_are_adjudicated() -> None:
    item = make_item(make_project(kind_slug="perturbation", reviews=2), facts=FACTS, suggestion=DRAFT)
    validated(make_member(item.project))
    fixed(make_member(item.project, "reviewer"), perturbed_answer=CORRECTED)
    other = opened(make_member(item.project, "reviewer"), "review")
    decisions.accept(review=other, token=other.slot.token, by=other.author)
    item.refresh_from_db()
    assert item.state == "adjudicating"


def test_the_page_says_where_it_goes_and_offers_no_undo(item: Item, client: Client) -> None:
    reviewer = make_member(item.project, "reviewer")
    validated(make_member(item.project))
    review = opened(reviewer, "review")
    client.force_login(reviewer.user)
    form = {"token": str(review.slot.token), "revision": review.revision, **review.draft}
    form["perturbed_answer"] = CORRECTED
    parts = {"HX-Request": "true"}
    saved = client.post(reverse("review_save", args=[item.project.slug, review.slot_id]), form, headers=parts)
    assert "someone else reviews it next" in saved.content.decode()
    form["revision"] += 1
    answer = client.post(reverse("review_fix", args=[item.project.slug, review.slot_id]), form, follow=True)
    assert "another person reviews it next" in answer.content.decode()
    assert 'id="toast"' not in answer.content.decode()
    item.refresh_from_db()
    assert (item.state, item.round) == ("ready", 2)
