"""Two reviews of one text: blind to each other; nothing moves until both are in; what differs is adjudicated."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.errors import WrongState
from annotate.items import actions, comments, drafts, leases, queue
from annotate.items.history import history_of
from annotate.models import Annotation, Comment, Event, Item, Member, Notification, Slot, User
from annotate.people import tokens
from annotate.review import decisions
from annotate.review.adjudication import table_of
from annotate.review.decisions import Reason
from annotate.review.desks import DECIDED, SEALED, review_desk
from annotate.review.take_back import GRACE, take_back
from annotate.work import submit
from tests.support.reviews import WRITTEN, Case, make_case

pytestmark = pytest.mark.django_db
Decide = Callable[[Annotation, User], Item]


@pytest.fixture
def case() -> Case:
    return make_case(reviews=2)


@pytest.fixture
def item(case: Case) -> Item:
    made = case.item()
    case.written(made)
    return made


def begin(case: Case, item: Item, by: User) -> Annotation:
    slot = queue.claim_next(case.member(by), "review")
    assert slot is not None
    assert slot.item_id == item.pk
    return drafts.open_draft(slot, author=by, item=item, project=case.project)


def accept(review: Annotation, by: User) -> Item:
    return decisions.accept(review=review, token=review.slot.token, by=by)


def fix(text: str) -> Decide:
    def decide(review: Annotation, by: User) -> Item:
        Case.fix(review, feedback=text)
        review.refresh_from_db()
        return decisions.fix_and_accept(review=review, token=review.slot.token, by=by, note="shorter")

    return decide


def send_back(review: Annotation, by: User) -> Item:
    said = [Reason("feedback", f"{by.username} says why.")]
    return decisions.send_back(review=review, token=review.slot.token, by=by, reasons=said)


def drop(reason: str) -> Decide:
    def decide(review: Annotation, by: User) -> Item:
        return decisions.drop(review=review, token=review.slot.token, by=by, reason=reason)

    return decide


def both(case: Case, item: Item, one: Decide, two: Decide) -> tuple[Annotation, Annotation]:
    first, second = begin(case, item, case.reviewer), begin(case, item, case.lead)
    one(first, case.reviewer)
    item.refresh_from_db()
    assert item.state == "reviewing"
    two(second, case.lead)
    item.refresh_from_db()
    return first, second


def test_equal_acceptance_settles(case: Case, item: Item) -> None:
    both(case, item, accept, accept)
    assert (item.state, item.base.author) == ("accepted", case.annotator)
    assert Notification.objects.filter(user=case.annotator, verb="accepted").count() == 1


def test_equal_fixes_settle_on_the_text_of_the_first(case: Case, item: Item) -> None:
    first, _ = both(case, item, fix("Both weigh one kilogram."), fix("Both weigh one kilogram."))
    assert (item.state, item.base) == ("accepted", first)


def test_two_returns_go_back_with_both_reasons(case: Case, item: Item) -> None:
    both(case, item, send_back, send_back)
    assert (item.state, item.round) == ("ready", 2)
    assert set(Comment.objects.values_list("text", "annotation__author__username")) == {
        ("reviewer says why.", "annotator"),
        ("lead says why.", "annotator"),
    }
    assert item.slots.get(round=2).reserved_for == case.annotator
    assert "reviewer says why.\nlead says why." in Notification.objects.get(verb="returned").note


def test_one_reason_drops_and_two_do_not(case: Case) -> None:
    for key, second, state in (("a", "duplicate", "dropped"), ("b", "other", "adjudicating")):
        item = case.item(key)
        case.written(item)
        both(case, item, drop("duplicate"), drop(second))
        assert item.state == state


@pytest.mark.parametrize(
    ("one", "two"),
    [(accept, send_back), (accept, fix("Shorter.")), (fix("Shorter."), fix("Longer.")), (drop("other"), send_back)],
)
def test_anything_else_is_adjudicated_by_a_third(case: Case, item: Item, one: Decide, two: Decide) -> None:
    both(case, item, one, two)
    assert item.state == "adjudicating"
    assert Comment.objects.count() == 0
    slot = item.slots.get(stage="adjudicate")
    assert slot.about.author == case.annotator
    Slot.objects.filter(pk=slot.pk).update(opens_at=timezone.now())
    Member.objects.filter(user=case.annotator).update(role="lead")
    for person in (case.annotator, case.reviewer, case.lead):
        assert queue.claim_next(case.member(person), "adjudicate") is None
        assert queue.claim(slot.pk, case.member(person)) is None
    Member.objects.filter(user=case.viewer).update(role="reviewer")
    assert queue.claim_next(case.member(case.viewer), "adjudicate") == slot


def test_the_adjudicator_sees_the_text_and_both_decisions(case: Case, item: Item) -> None:
    decisions_made = both(case, item, accept, send_back)
    slot = item.slots.get(stage="adjudicate")
    table = table_of(slot, item)
    assert (table.written, table.decisions) == ([slot.about], list(decisions_made))


def test_one_person_reviews_once(case: Case, item: Item) -> None:
    begin(case, item, case.reviewer)
    other = Slot.objects.open().get(stage="review")
    assert queue.claim(other.pk, case.member(case.reviewer)) is None


def seen(case: Case, item: Item, by: User, annotation: Annotation) -> bool:
    """Whether anything of this decision reaches that person."""
    past = history_of(Item.objects.get(pk=item.pk), kind=item.project.kind, seen_by=case.member(by))
    read = annotation.pk in [chapter.annotation.pk for chapter in past.chapters]
    told = annotation.pk in [event.annotation_id for event in past.events]
    shown = review_desk(case.member(by), annotation.slot_id).mode == DECIDED
    assert read == told == shown
    return read


def test_neither_knows_of_the_other_until_both_are_in(case: Case, item: Item) -> None:
    first, second = begin(case, item, case.reviewer), begin(case, item, case.lead)
    comments.start(item=item, by=case.reviewer, text="I would drop this.")
    fix("Shorter.")(first, case.reviewer)
    for person in (case.lead, case.viewer, case.annotator):
        past = history_of(Item.objects.get(pk=item.pk), kind=item.project.kind, seen_by=case.member(person))
        assert first.pk not in [chapter.annotation.pk for chapter in past.chapters]
        assert comments.threads(item, seen_by=person) == []
    assert not seen(case, item, case.lead, first)
    assert review_desk(case.member(case.lead), first.slot_id).mode == SEALED
    assert seen(case, item, case.reviewer, first)
    assert len(comments.threads(item, seen_by=case.reviewer)) == 1
    fix("Shorter.")(second, case.lead)
    assert seen(case, item, case.lead, first)
    assert len(comments.threads(item, seen_by=case.lead)) == 1


def test_while_they_can_take_it_back_the_two_stay_blind(case: Case, item: Item) -> None:
    first, second = both(case, item, accept, send_back)
    assert not seen(case, item, case.lead, first)
    assert not seen(case, item, case.reviewer, second)
    slot = item.slots.get(stage="adjudicate")
    Slot.objects.filter(pk=slot.pk).update(opens_at=timezone.now())
    Member.objects.filter(user=case.viewer).update(role="reviewer")
    queue.claim_next(case.member(case.viewer), "adjudicate")
    assert seen(case, item, case.lead, first)
    with pytest.raises(WrongState, match="adjudicating"):
        take_back(review=first, by=case.reviewer)


def test_the_first_is_taken_back_while_the_second_is_missing(case: Case, item: Item) -> None:
    first, second = begin(case, item, case.reviewer), begin(case, item, case.lead)
    send_back(first, case.reviewer)
    Event.objects.update(at=timezone.now() - 2 * GRACE)
    said = take_back(review=first, by=case.reviewer)
    assert said.reasons == [Reason("feedback", "reviewer says why.")]
    assert Slot.objects.get(pk=first.slot_id).holder == case.reviewer
    accept(second, case.lead)
    item.refresh_from_db()
    assert item.state == "reviewing"


@pytest.mark.parametrize("other", [accept, send_back])
def test_either_takes_it_back_when_both_are_in(case: Case, item: Item, other: Decide) -> None:
    first, _ = both(case, item, accept, other)
    take_back(review=first, by=case.reviewer)
    item.refresh_from_db()
    assert item.state == "reviewing"
    assert not item.slots.filter(stage="adjudicate").exists()
    again = Annotation.objects.select_related("slot").get(pk=first.pk)
    decisions.accept(review=again, token=again.slot.token, by=case.reviewer)
    item.refresh_from_db()
    assert item.state == ("accepted" if other is accept else "adjudicating")


def test_a_return_of_two_is_recalled_whole(case: Case, item: Item) -> None:
    first, _ = both(case, item, send_back, send_back)
    assert take_back(review=first, by=case.reviewer).reasons == [Reason("feedback", "reviewer says why.")]
    item.refresh_from_db()
    assert (item.state, item.round) == ("reviewing", 1)
    assert Comment.objects.count() == 0
    assert Notification.objects.filter(verb="returned").count() == 0


def test_who_skips_one_review_never_gets_the_other(case: Case, item: Item) -> None:
    review = begin(case, item, case.reviewer)
    leases.skip(review.slot, review.slot.token, person=case.reviewer, reason="too_hard")
    assert queue.claim_next(case.member(case.reviewer), "review") is None
    assert Slot.objects.open().filter(stage="review").count() == 2


def test_only_the_drawn_share_is_reviewed_twice() -> None:
    case = make_case(slug="share", reviews=2, second_share=Decimal("0.5"))
    numbers = set()
    for number in range(30):
        item = case.item(f"k-{number}")
        slot = queue.claim(case.open_slot(item, "annotate").pk, case.member(case.annotator))
        text = drafts.open_draft(slot, author=case.annotator, item=item, project=case.project)
        drafts.save(text, WRITTEN, revision=0, decided=[])
        submit.submit(annotation=text, token=slot.token, by=case.annotator)
        numbers.add(item.slots.filter(stage="review").count())
    assert numbers == {1, 2}


def test_whoever_wrote_in_an_older_round_does_not_adjudicate_a_later_one(case: Case, item: Item) -> None:
    both(case, item, fix("Both weigh one kilogram."), fix("Both weigh one kilogram."))
    actions.reopen(Item.objects.select_related("project").get(pk=item.pk), by=case.lead)
    item.refresh_from_db()
    colleagues = [User.objects.create_user(name) for name in ("third", "fourth", "fifth")]
    for person in colleagues:
        Member.objects.create(project=case.project, user=person, role="reviewer")
    case.written(item, by=case.annotator)
    for person, decide in ((colleagues[0], accept), (colleagues[1], send_back)):
        decide(begin(case, item, person), person)
    slot = item.slots.get(stage="adjudicate", round=2)
    Slot.objects.filter(pk=slot.pk).update(opens_at=timezone.now())
    for person in (case.reviewer, case.lead, case.annotator, colleagues[0], colleagues[1]):
        Member.objects.filter(user=person).update(role="lead")
        assert queue.claim(slot.pk, case.member(person)) is None, person
    assert queue.claim(slot.pk, case.member(colleagues[2])) is not None


def test_the_api_tells_the_second_reviewer_nothing(case: Case, item: Item, client: Client) -> None:
    first = begin(case, item, case.reviewer)
    comments.start(item=item, by=case.reviewer, text="I would drop this.")
    send_back(first, case.reviewer)
    secret = tokens.make(by=case.member(case.lead), name="mine", role="lead").secret
    headers = {"Authorization": f"Bearer {secret}"}
    for name in ("api_item_history", "api_item_comments", "api_item"):
        answer = client.get(reverse(name, args=["fb", item.pk]), headers=headers)
        assert answer.status_code == 200
        said = answer.content.decode()
        assert "says why" not in said
        assert "returned" not in said
        assert "I would drop this." not in said
