"""A text that came back: what its author had decided stands, and nothing is claimed that was not done."""

import pytest

from annotate.errors import Refused
from annotate.items import comments, drafts
from annotate.models import Annotation, Comment, Item
from annotate.review import decisions
from annotate.review.decisions import Reason
from annotate.work import desk as work_desk
from tests.support.reviews import SUGGESTED, WRITTEN, Case, make_case

pytestmark = pytest.mark.django_db
REASONS = [Reason("feedback", "Too harsh.")]


@pytest.fixture
def case() -> Case:
    return make_case()


def returned(case: Case, *, decided: list[str] | None = None, reasons: list[Reason] = REASONS) -> work_desk.Desk:
    """The annotator has it in hand again; of the suggestion only the feedback was changed."""
    item = case.item()
    text = case.written(item)
    Annotation.objects.filter(pk=text.pk).update(decided=decided or [])
    review = case.review(item)
    decisions.send_back(review=review, token=review.slot.token, by=case.reviewer, reasons=reasons)
    slot = work_desk.open_next(case.member(case.annotator))
    assert slot is not None
    desk = work_desk.desk(case.member(case.annotator), slot.pk)
    assert desk is not None
    return desk


def changed(desk: work_desk.Desk, **fields: object) -> work_desk.Desk:
    text = desk.annotation
    drafts.save(text, {**text.draft, **fields}, revision=text.revision, decided=text.decided)
    again = work_desk.desk(desk.member, desk.slot.pk)
    assert again is not None
    return again


def test_what_was_kept_of_the_suggestion_stays_kept(case: Case) -> None:
    desk = returned(case, decided=["task_type", "checklist"])
    assert desk.draft == WRITTEN
    assert desk.annotation.decided == ["task_type", "checklist"]


def test_what_a_newer_suggestion_says_otherwise_is_to_be_decided(case: Case) -> None:
    item = case.item()
    text = case.written(item)
    Annotation.objects.filter(pk=text.pk).update(decided=["task_type", "checklist"])
    newer = SUGGESTED | {"checklist": [["Is it short?", 1.0]]}
    Annotation.objects.create(item=item, model="drafter-b", draft=newer)
    review = case.review(item)
    decisions.send_back(review=review, token=review.slot.token, by=case.reviewer, reasons=REASONS)
    slot = work_desk.open_next(case.member(case.annotator))
    assert slot is not None
    assert slot.annotations.get(author=case.annotator).decided == ["task_type"]


def test_somebody_else_decides_for_themselves(case: Case) -> None:
    item = case.item()
    text = case.written(item)
    Annotation.objects.filter(pk=text.pk).update(decided=["task_type"])
    review = case.review(item)
    decisions.send_back(review=review, token=review.slot.token, by=case.reviewer, reasons=REASONS)
    item.slots.open().update(reserved_for=None, reserved_until=None)
    slot = work_desk.open_next(case.member(case.lead))
    assert slot is not None
    assert slot.annotations.get(author=case.lead).decided == []


def test_an_untouched_text_leaves_its_comments_unanswered(case: Case) -> None:
    desk = returned(case)
    assert [thread.text for thread in desk.unanswered] == ["Too harsh."]
    assert changed(desk, feedback="Both weigh the same.").unanswered == []


def test_an_answer_is_enough(case: Case) -> None:
    desk = returned(case)
    thread = Comment.objects.get()
    comments.answer(thread=thread, by=case.annotator, text="It is not.", answer="disagree")
    again = work_desk.desk(desk.member, desk.slot.pk)
    assert again is not None
    assert again.unanswered == []


def test_a_first_draft_has_nothing_to_answer(case: Case) -> None:
    item = case.item()
    comments.start(item=item, by=case.lead, text="Be careful here.")
    slot = work_desk.open_next(case.member(case.annotator))
    assert slot is not None
    desk = work_desk.desk(case.member(case.annotator), slot.pk)
    assert desk is not None
    assert desk.unanswered == []


def test_fixed_is_refused_where_nothing_was_changed(case: Case) -> None:
    desk = returned(case)
    thread = Comment.objects.select_related("item").get()
    changed(desk, error_type=["Factual Error"])
    with pytest.raises(Refused, match="You have not changed Feedback since this was returned"):
        comments.answer(thread=thread, by=case.annotator, answer="fixed")
    assert not thread.answers.exists()
    comments.answer(thread=thread, by=case.annotator, text="The deficiency was wrong instead.", answer="fixed")


def test_fixed_needs_no_words_once_its_field_was_changed(case: Case) -> None:
    desk = returned(case, reasons=[Reason("checklist[1]", "Weigh it less.")])
    thread = Comment.objects.select_related("item").get()
    changed(desk, checklist=[*SUGGESTED["checklist"][:1], ["Is it short?", 0.4]])
    assert comments.answer(thread=thread, by=case.annotator, answer="fixed").text == ""


def test_a_comment_on_the_whole_item_is_fixed_by_any_change(case: Case) -> None:
    desk = returned(case, reasons=[Reason("", "Look again.")])
    thread = Comment.objects.select_related("item").get()
    with pytest.raises(Refused, match="You have not changed anything since this was returned"):
        comments.answer(thread=thread, by=case.annotator, answer="fixed")
    changed(desk, error_type=["Factual Error"])
    assert comments.answer(thread=thread, by=case.annotator, answer="fixed")
    assert Item.objects.get().round == 2
