from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotate.items import actions, drafts, queue
from annotate.models import Annotation, Item, Member, Slot, User
from annotate.review import adjudication, claim, decisions
from annotate.review.corrections import Correction, corrections, counts
from annotate.review.decisions import Reason
from annotate.work import desk, submit
from tests.support.people import DRAFT, make_item, make_member, make_project
from tests.support.people import written as draft_of
from tests.support.reviews import SUGGESTED, WRITTEN, Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def mine(case: Case, **filters: Any) -> list[Correction]:
    return list(corrections(case.member(case.annotator), **filters).rows)


def only(case: Case, **filters: Any) -> Correction:
    (one,) = mine(case, **filters)
    return one


def test_what_nobody_has_looked_at_is_not_decided(case: Case) -> None:
    case.written(case.item())
    found = only(case)
    assert (found.became, found.by, found.may_be_disputed) == ("waiting", [], False)


def test_an_accepted_text_names_who_accepted_it(case: Case) -> None:
    review = case.under_review()
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    found = only(case)
    assert (found.became, found.by, found.may_be_disputed) == ("accepted", ["reviewer"], False)


def test_a_fix_shows_what_was_changed_and_why(case: Case) -> None:
    review = case.fix(case.under_review(), feedback="Both weigh the same.")
    decisions.fix_and_accept(review=review, token=review.slot.token, by=case.reviewer, note="Shorter is better.")
    found = only(case)
    assert (found.became, found.notes, found.may_be_disputed) == ("fixed", ["Shorter is better."], True)
    assert [one.field.name for one in found.changed] == ["feedback"]
    assert found.changed[0].steps[0].text == WRITTEN["feedback"]


def test_a_return_gives_its_reasons_and_the_next_round_is_a_text_of_its_own(case: Case) -> None:
    review = case.under_review()
    reasons = [Reason("feedback", "Too long."), Reason("", "And in all.")]
    item = decisions.send_back(review=review, token=review.slot.token, by=case.reviewer, reasons=reasons)
    found = only(case)
    assert found.became == "returned"
    assert [(one.field, one.text) for one in found.reasons] == [("Feedback", "Too long."), ("", "And in all.")]
    case.written(item, SUGGESTED)
    assert [(one.became, one.text.slot.round) for one in mine(case)] == [("waiting", 2), ("returned", 1)]


def test_a_drop_says_why(case: Case) -> None:
    review = case.under_review()
    decisions.drop(review=review, token=review.slot.token, by=case.reviewer, reason="duplicate", note="As k-7.")
    found = only(case)
    assert (found.became, found.drop_reason, found.notes) == ("dropped", "Duplicate", ["As k-7."])


def test_what_a_lead_dropped_later_is_dropped_by_the_lead(case: Case) -> None:
    review = case.under_review()
    item = decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    actions.drop(item, by=case.lead, reason="too_easy", note="Everybody knows.")
    found = only(case)
    assert (found.became, found.drop_reason) == ("dropped", "Too easy")
    assert case.lead.pk in found.deciders


def test_what_was_work_stays_listed_when_it_becomes_a_check(case: Case) -> None:
    item = case.item()
    case.written(item)
    Item.objects.filter(pk=item.pk).update(purpose="gold")
    assert only(case).text.item_id == item.pk


def test_filters_and_counts_say_the_same(case: Case) -> None:
    accepted = case.under_review("right")
    decisions.accept(review=accepted, token=accepted.slot.token, by=case.reviewer)
    case.written(case.item("open"))
    assert {name: n for name, n in counts(case.member(case.annotator)).items() if n} == {"accepted": 1, "waiting": 1}
    assert [one.text.item.key for one in mine(case, became="accepted")] == ["right"]
    assert mine(case, became="returned") == []
    assert mine(case, disputed="open") == []


def test_pages_go_back_in_time(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotate.review.corrections.PAGE", 2)
    for number in range(3):
        case.written(case.item(f"k-{number}"))
    first = corrections(case.member(case.annotator))
    assert [one.text.item.key for one in first.rows] == ["k-2", "k-1"]
    rest = corrections(case.member(case.annotator), before=first.older)
    assert ([one.text.item.key for one in rest.rows], rest.older) == (["k-0"], None)


def test_the_queries_do_not_grow_with_the_texts(case: Case, django_assert_num_queries: Any) -> None:
    for number in range(6):
        review = case.fix(case.under_review(f"k-{number}"), feedback="Both weigh the same.")
        decisions.fix_and_accept(review=review, token=review.slot.token, by=case.reviewer)
    member = case.member(case.annotator)
    with django_assert_num_queries(2):  # texts and decisions; a drop would take one more
        assert [len(one.changed) for one in corrections(member).rows] == [1] * 6


# --- several people -------------------------------------------------------------------------------------------------
def shared(texts: list[dict[str, Any]]) -> tuple[list[Member], Item]:
    """Two annotators wrote these texts about one item."""
    project = make_project(overlap=2, reviews=0)
    item, members = make_item(project), [make_member(project) for _ in texts]
    for member, text in zip(members, texts, strict=True):
        slot = desk.open_next(member)
        assert slot is not None
        annotation = draft_of(slot, member, text)
        submit.submit(annotation=annotation, token=slot.token, by=member.user)
    return members, item


def other(draft: dict[str, Any]) -> dict[str, Any]:
    return {**draft, "task_type": "Knowledge Q&A", "sub_task_type": "Concept Explanation"}


def test_while_the_first_is_alone_nothing_is_known(case: Case) -> None:
    members, _item = shared([DRAFT, other(DRAFT)])
    for member in members:
        (one,) = corrections(member).rows
        assert (one.became, one.may_be_disputed) == ("waiting", False)


def test_an_adjudication_takes_one_text_and_replaces_the_other(case: Case) -> None:
    members, item = shared([DRAFT, other(DRAFT)])
    judge = make_member(members[0].project, "reviewer")
    Slot.objects.filter(item=item).update(opens_at=timezone.now() - timedelta(seconds=1))
    slot = claim.take_next(judge)
    review = Annotation.objects.get(slot=slot, author=judge.user)
    Annotation.objects.filter(pk=review.pk).update(
        draft=DRAFT, decided=["task_type", "sub_task_type", "feedback", "checklist"]
    )
    review.refresh_from_db()
    adjudication.accept(review=review, token=slot.token, by=judge.user)
    became = {User.objects.get(pk=one.user_id): corrections(one).rows[0].became for one in members}
    assert list(became.values()) == ["accepted", "replaced"]


def test_two_reviews_are_unknown_until_both_are_in(case: Case) -> None:
    type(case.project).objects.filter(pk=case.project.pk).update(reviews=2)
    case.project.refresh_from_db()
    second = User.objects.create_user("second")
    Member.objects.create(project=case.project, user=second, role="reviewer")
    item = case.item()
    case.written(item)
    slots = list(Slot.objects.open().filter(item=item, stage="review").order_by("no"))
    assert len(slots) == 2
    reviews = []
    for slot, person in zip(slots, (case.reviewer, second), strict=True):
        held = queue.claim(slot.pk, case.member(person))
        item.refresh_from_db()
        reviews.append(drafts.open_draft(held, author=person, item=item, project=case.project))
    decisions.accept(review=reviews[0], token=reviews[0].slot.token, by=case.reviewer)
    assert only(case).became == "waiting"
    decisions.accept(review=reviews[1], token=reviews[1].slot.token, by=second)
    assert (only(case).became, len(only(case).by)) == ("accepted", 2)
