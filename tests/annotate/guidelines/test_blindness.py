"""A question says what its asker thinks: nobody who can still do the same work independently reads it."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotate.errors import Refused
from annotate.guidelines import rulings
from annotate.guidelines.rulings import last_event
from annotate.items import drafts, leases, queue
from annotate.models import Annotation, Item, Member, Notification, Precedent, Slot, User
from annotate.review import decisions
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case(reviews=2)


@pytest.fixture
def second(case: Case) -> User:
    user = User.objects.create_user("second")
    Member.objects.create(project=case.project, user=user, role="reviewer")
    return user


def take(case: Case, item: Item, user: User) -> Annotation:
    slot = Slot.objects.open().filter(item=item, stage="review").order_by("no").first()
    assert slot is not None
    held = queue.claim(slot.pk, case.member(user))
    assert held is not None
    return drafts.open_draft(held, author=user, item=item, project=case.project)


@pytest.fixture
def asked(case: Case, second: User) -> tuple[Item, Annotation, Precedent]:
    """The first of two reviewers asks about the item."""
    item = case.item("k")
    case.written(item)
    review = take(case, item, case.reviewer)
    item = Item.objects.select_related("project").get(pk=item.pk)
    one = rulings.ask(item=item, field="feedback", by=case.reviewer, question="I would drop it: right?")
    return item, review, one


def sees(user: Any) -> bool:
    return rulings.shown_to(Precedent.objects.all(), user).exists()


def test_only_the_asker_sees_it_while_another_review_is_open(
    case: Case, second: User, asked: tuple[Item, Annotation, Precedent]
) -> None:
    assert sees(case.reviewer)
    assert not any(sees(user) for user in (second, case.lead, case.annotator, case.viewer))
    assert rulings.at_fields(asked[0], seen_by=second) == {}


def test_a_ruling_is_hidden_with_its_question(
    case: Case, second: User, asked: tuple[Item, Annotation, Precedent]
) -> None:
    _item, _review, one = asked
    rulings.rule(precedent=one, by=case.lead, ruling="Yes, drop it.", everywhere=True, based_on=last_event(one))
    other = Item.objects.select_related("project").get(pk=case.item("elsewhere").pk)
    assert rulings.at_fields(other, seen_by=second) == {}
    assert "feedback" in rulings.at_fields(other, seen_by=case.reviewer)


def test_a_lead_hears_that_there_is_a_question_and_not_what_it_says(
    case: Case, asked: tuple[Item, Annotation, Precedent]
) -> None:
    assert Notification.objects.get(user=case.lead, verb="asked").note == ""


def test_it_is_shown_once_the_other_review_is_in(
    case: Case, second: User, asked: tuple[Item, Annotation, Precedent]
) -> None:
    item, first, _one = asked
    other = take(case, item, second)
    assert not sees(second)
    for review, user in ((first, case.reviewer), (other, second)):
        decisions.accept(review=review, token=review.slot.token, by=user)
    assert all(sees(user) for user in (second, case.lead, case.annotator))


def test_who_decided_otherwise_sees_it_only_when_somebody_adjudicates(
    case: Case, second: User, asked: tuple[Item, Annotation, Precedent]
) -> None:
    item, first, _one = asked
    other = take(case, item, second)
    decisions.accept(review=first, token=first.slot.token, by=case.reviewer)
    decisions.drop(review=other, token=other.slot.token, by=second, reason="other", note="")
    assert Item.objects.get(pk=item.pk).state == "adjudicating"
    assert not sees(second)
    Slot.objects.filter(stage="adjudicate").update(opens_at=timezone.now() - timedelta(seconds=1))
    assert queue.claim(Slot.objects.get(stage="adjudicate").pk, case.member(case.lead)) is not None
    assert sees(second)


def test_who_handed_it_back_after_asking_tells_the_next_one_nothing(
    case: Case, second: User, asked: tuple[Item, Annotation, Precedent]
) -> None:
    _item, review, _one = asked
    leases.release(review.slot, review.slot.token)
    assert not sees(second)


def test_several_writers_do_not_read_each_others_questions(case: Case) -> None:
    case.project.overlap, case.project.reviews = 2, 0
    case.project.save(update_fields=["overlap", "reviews"])
    item = Item.objects.select_related("project").get(pk=case.item("both").pk)
    slot = queue.claim_next(case.member(case.annotator), "annotate")
    assert slot is not None
    drafts.open_draft(slot, author=case.annotator, item=item, project=case.project)
    rulings.ask(item=item, field="feedback", by=case.annotator, question="It is wrong, is it not?")
    assert (sees(case.annotator), sees(case.reviewer), sees(case.lead)) == (True, False, False)


class TestALeadWhoWantsToRule:
    def test_gives_the_item_up_to_read_it(self, case: Case, asked: tuple[Item, Annotation, Precedent]) -> None:
        item, _review, one = asked
        rulings.read_anyway(precedent=one, by=case.lead)
        assert sees(case.lead)
        left = Slot.objects.open().get(item=item, stage="review")
        assert queue.claim(left.pk, case.member(case.lead)) is None
        assert queue.claim_next(case.member(case.lead), "review") is None
        assert leases.unskip(left.pk, case.member(case.lead), lambda: None) is None
        assert queue.claim(left.pk, case.member(case.lead)) is None

    def test_cannot_while_the_other_review_is_in_their_hands(
        self, case: Case, asked: tuple[Item, Annotation, Precedent]
    ) -> None:
        item, _review, one = asked
        take(case, item, case.lead)
        with pytest.raises(Refused):
            rulings.read_anyway(precedent=one, by=case.lead)
        assert not sees(case.lead)

    def test_what_they_skipped_before_is_given_up_too(
        self, case: Case, asked: tuple[Item, Annotation, Precedent]
    ) -> None:
        item, _review, one = asked
        mine = take(case, item, case.lead)
        leases.skip(mine.slot, mine.slot.token, person=case.lead, reason="too_hard", note="")
        assert not sees(case.lead)
        rulings.read_anyway(precedent=one, by=case.lead)
        assert sees(case.lead)
