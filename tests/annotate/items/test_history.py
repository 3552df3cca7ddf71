import pytest

from annotate.items import drafts, leases, queue
from annotate.items.history import Chapter, ItemHistory, history_of
from annotate.kinds import find_kind
from annotate.models import Annotation, Item, Slot, User
from annotate.review import decisions
from annotate.review.decisions import Reason
from tests.support.reviews import WRITTEN, Case, make_case
from tests.support.suggestions import maintained

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def seen(case: Case, item: Item, user: User) -> ItemHistory:
    return history_of(item, kind=find_kind("feedback"), seen_by=case.member(user))


def names(history: ItemHistory) -> list[str]:
    return [chapter.annotation.by for chapter in history.chapters]


def sent_back_and_fixed(case: Case) -> Item:
    review = case.under_review()
    decisions.send_back(review=review, token=review.slot.token, by=case.reviewer, reasons=[Reason("feedback", "Why?")])
    item = Item.objects.get()
    case.written(item, {**WRITTEN, "feedback": "Second try."})
    review = case.fix(case.review(item), feedback="Third try.")
    decisions.fix_and_accept(review=review, token=review.slot.token, by=case.reviewer)
    return Item.objects.get()


def test_the_story_goes_from_suggestion_to_fix(case: Case) -> None:
    item = sent_back_and_fixed(case)
    told = seen(case, item, case.lead).chapters
    assert [(one.annotation.by, one.round) for one in told] == [
        ("drafter-a", None),
        ("annotator", 1),
        ("reviewer", 1),
        ("annotator", 2),
        ("reviewer", 2),
    ]


def test_each_text_is_compared_with_what_it_was_written_from(case: Case) -> None:
    suggestion, first, returned, second, fix = seen(case, sent_back_and_fixed(case), case.lead).chapters
    origins = [one.before and one.before.pk for one in (suggestion, first, returned, second, fix)]
    first_pk = first.annotation.pk
    assert origins == [None, suggestion.annotation.pk, first_pk, first_pk, second.annotation.pk]


def test_a_chapter_says_which_fields_changed(case: Case) -> None:
    *_, second, fix = seen(case, sent_back_and_fixed(case), case.lead).chapters
    assert [field.field.name for field in fix.changed] == ["feedback"]
    assert "<ins>Third</ins>" in fix.changed[0].last.html
    assert [field.field.name for field in second.changed] == ["feedback"]


def test_a_text_written_from_a_candidate_is_compared_with_that_candidate(case: Case) -> None:
    """Not with the suggestion beside it, which leaves open what there is to pick from."""
    item, suggestion = maintained(case.project)
    slot = queue.claim(Slot.objects.get(item=item).pk, case.member(case.annotator))
    assert slot is not None
    text = drafts.open_draft(slot, author=case.annotator, item=item, project=case.project)
    rewritten = {**text.draft, "feedback": "NASA says three moons.", "feedback_type": ["Credibility Support"]}
    drafts.save(text, rewritten, revision=text.revision, decided=[], picked=2)
    suggested, told = seen(case, item, case.annotator).chapters
    assert suggested.candidates[2] == ("Credibility Support", "NASA says three.")
    assert told.before == suggestion
    assert [(one.field.name, one.last.text_before) for one in told.changed] == [("feedback", "NASA says three.")]


def test_nobody_sees_the_drafts_of_others(case: Case) -> None:
    review = case.under_review()
    drafts.save(review, {**WRITTEN, "feedback": "half a"}, revision=0, decided=[])
    assert names(seen(case, review.item, case.lead)) == ["drafter-a", "annotator"]
    assert names(seen(case, review.item, case.reviewer)) == ["drafter-a", "annotator", "reviewer"]


def test_an_annotator_sees_the_review_of_their_work_once_it_is_in(case: Case) -> None:
    review = case.fix(case.under_review(), feedback="Fixed.")
    assert names(seen(case, review.item, case.annotator)) == ["drafter-a", "annotator"]
    decisions.fix_and_accept(review=review, token=review.slot.token, by=case.reviewer)
    assert names(seen(case, review.item, case.annotator)) == ["drafter-a", "annotator", "reviewer"]


def test_an_annotator_does_not_see_what_another_annotator_wrote(case: Case) -> None:
    item = sent_back_and_fixed(case)
    Annotation.objects.filter(item=item, author=case.annotator).update(author=case.lead)
    other = User.objects.create_user("other")
    case.project.members.create(user=other, role="annotator")
    history = seen(case, item, other)
    assert (names(history), history.slots, history.skips) == ([], [], [])


def test_the_suggestion_is_hidden_from_whoever_works_blind(case: Case) -> None:
    item = case.item()
    Slot.objects.update(blind=True)
    slot = queue.claim(case.open_slot(item, "annotate").pk, case.member(case.lead))
    assert slot is not None
    drafts.open_draft(slot, author=case.lead, item=item, project=case.project)
    assert names(seen(case, item, case.lead)) == ["lead"]
    assert names(seen(case, item, case.viewer)) == ["drafter-a"]


def test_skips_and_slots_are_told_to_those_who_see_everything(case: Case) -> None:
    item = case.item()
    slot = queue.claim_next(case.member(case.annotator), "annotate")
    assert slot is not None
    leases.skip(slot, slot.token, person=case.annotator, reason="too_hard", note="Physics.")
    history = seen(case, item, case.viewer)
    assert [(skip.person, skip.reason) for skip in history.skips] == [(case.annotator, "too_hard")]
    assert [slot.state for slot in history.slots] == ["open"]


def test_a_history_takes_four_queries_however_long_it_is(case: Case, django_assert_num_queries) -> None:
    item = sent_back_and_fixed(case)
    member, kind = case.member(case.lead), find_kind("feedback")
    with django_assert_num_queries(4):
        history = history_of(item, kind=kind, seen_by=member)
        assert all(read(chapter) for chapter in history.chapters)
        assert all(str(event.actor) for event in history.events)


def read(chapter: Chapter) -> str:
    return "".join(field.last.html for field in chapter.fields) + chapter.annotation.by
