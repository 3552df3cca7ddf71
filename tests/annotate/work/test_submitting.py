from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.errors import LeaseLost, NotReady, StaleDraft, WrongState
from annotate.items import actions, drafts, leases, queue
from annotate.models import Annotation, Event, Item, Member, Slot
from annotate.work import submit
from tests.support.people import DRAFT, make_item, make_member, make_project, written

pytestmark = pytest.mark.django_db


def held(reviews: int = 1, **item: object) -> tuple[Member, Slot]:
    project = make_project(reviews=reviews)
    make_item(project, **item)
    member = make_member(project)
    return member, queue.claim_next(member, "annotate")


def handed_in(reviews: int = 1) -> tuple[Member, Annotation]:
    member, slot = held(reviews)
    annotation = written(slot, member)
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
    return member, annotation


def test_a_submission_goes_to_review_where_the_project_reviews() -> None:
    _member, annotation = handed_in()
    item = Item.objects.get()
    assert (item.state, item.base) == ("reviewing", annotation)
    assert Slot.objects.get(stage="review").about == annotation


def test_a_submission_is_accepted_where_nobody_reviews() -> None:
    handed_in(reviews=0)
    assert Item.objects.get().state == "accepted"
    assert Annotation.objects.get().outcome == "annotated"


def test_an_unsuitable_item_is_dropped_where_nobody_reviews() -> None:
    member, slot = held(reviews=0)
    annotation = written(slot, member, {**DRAFT, "suitable": False, "checklist": []})
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
    item = Item.objects.get()
    assert (item.state, item.drop_reason) == ("dropped", "unsuitable")
    assert Event.objects.get(verb="dropped").annotation == annotation


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"feedback": " "}, "feedback"),
        ({"checklist": [["Is it so?", 0.5]]}, "checklist"),
        ({"checklist": [["Is it so?", "0.x"]]}, "checklist[0]"),
        ({"feedback_type": ["Credibility Support"]}, "feedback_type[0]"),
    ],
)
def test_an_unfinished_draft_is_refused_and_nothing_changes(change: dict[str, object], path: str) -> None:
    member, slot = held()
    annotation = written(slot, member, DRAFT | change)
    with pytest.raises(NotReady) as refused:
        submit.submit(annotation=annotation, token=slot.token, by=member.user)
    assert path in [found.path for found in refused.value.findings]
    slot.refresh_from_db()
    assert (slot.state, Annotation.objects.get().submitted_at) == ("held", None)


def test_what_another_window_has_saved_is_not_overwritten() -> None:
    member, slot = held()
    annotation = written(slot, member)
    other = Annotation.objects.get()
    drafts.save(other, {**DRAFT, "feedback": "Other words."}, revision=other.revision, decided=[])
    with pytest.raises(StaleDraft):
        submit.submit(annotation=annotation, token=slot.token, by=member.user)
    other.refresh_from_db()
    slot.refresh_from_db()
    assert (other.draft["feedback"], other.submitted_at, slot.state) == ("Other words.", None, "held")
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
    assert Annotation.objects.get().draft["feedback"] == "Other words."


def test_a_double_click_is_handed_in_once() -> None:
    member, slot = held()
    annotation = written(slot, member)
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
    with pytest.raises((LeaseLost, WrongState)):
        submit.submit(annotation=annotation, token=slot.token, by=member.user)
    assert Slot.objects.filter(stage="review").count() == 1


def test_a_late_submission_keeps_its_text_as_a_draft() -> None:
    member, slot = held()
    annotation = written(slot, member)
    Slot.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    leases.sweep()
    with pytest.raises(LeaseLost):
        submit.submit(annotation=annotation, token=slot.token, by=member.user)
    kept = Annotation.objects.get()
    assert (kept.draft, kept.submitted_at) == (DRAFT, None)


def test_an_untouched_suggestion_is_recorded_as_such() -> None:
    member, slot = held(suggestion=DRAFT)
    annotation = written(slot, member, DRAFT | {"suitable": True})
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
    assert Annotation.objects.get(author=member.user).unchanged is True


def test_an_undone_submission_is_a_draft_of_which_nothing_is_recorded() -> None:
    member, slot = held(suggestion=DRAFT)
    annotation = written(slot, member, DRAFT | {"suitable": True})
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
    submit.undo(annotation=annotation, by=member.user)
    draft = Annotation.objects.get(author=member.user)
    assert (draft.submitted_at, draft.outcome, draft.authored, draft.unchanged) == (None, "", False, False)


def test_the_slot_of_an_undone_submission_has_a_new_token() -> None:
    member, slot = held()
    annotation = written(slot, member)
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
    assert submit.undo(annotation=annotation, by=member.user).token not in (slot.token, None)


def test_a_changed_suggestion_is_not() -> None:
    member, slot = held(suggestion=DRAFT)
    annotation = written(slot, member, DRAFT | {"feedback": "Two, not three."})
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
    assert Annotation.objects.get(author=member.user).unchanged is False


@pytest.mark.parametrize("reviews", [0, 1])
def test_an_undo_gives_the_item_back_to_its_author(reviews: int) -> None:
    member, annotation = handed_in(reviews)
    slot = submit.undo(annotation=annotation, by=member.user)
    item = Item.objects.get()
    assert (slot.state, slot.holder, item.state) == ("held", member.user, "ready")
    assert not Slot.objects.filter(stage="review").exists()


def test_an_undone_submission_can_be_changed_and_handed_in_again() -> None:
    member, annotation = handed_in()
    slot = submit.undo(annotation=annotation, by=member.user)
    annotation = written(slot, member, DRAFT | {"feedback": "Two, not three."})
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
    assert Item.objects.get().base.draft["feedback"] == "Two, not three."


def test_nothing_is_undone_once_a_reviewer_has_it() -> None:
    member, annotation = handed_in()
    reviewer = make_member(member.project, "reviewer")
    Slot.objects.filter(stage="review").update(opens_at=timezone.now())
    queue.claim_next(reviewer, "review")
    with pytest.raises(WrongState, match="reviewer"):
        submit.undo(annotation=annotation, by=member.user)
    assert Item.objects.get().state == "reviewing"


@pytest.mark.parametrize("reviews", [0, 1])
def test_an_undo_leaves_alone_what_a_lead_has_decided_since(reviews: int) -> None:
    member, annotation = handed_in(reviews)
    item = Item.objects.select_related("project").get(pk=annotation.item_id)
    actions.drop(item, by=make_member(member.project, "lead").user, reason="duplicate")
    with pytest.raises(WrongState):
        submit.undo(annotation=annotation, by=member.user)
    item.refresh_from_db()
    assert (item.state, item.drop_reason) == ("dropped", "duplicate")


def test_nobody_undoes_the_work_of_another() -> None:
    member, annotation = handed_in()
    with pytest.raises(WrongState):
        submit.undo(annotation=annotation, by=make_member(member.project).user)


def test_what_a_reviewer_has_written_is_not_thrown_away_by_an_undo() -> None:
    member, annotation = handed_in()
    reviewer = make_member(member.project, "reviewer")
    Slot.objects.filter(stage="review").update(opens_at=timezone.now())
    slot = queue.claim_next(reviewer, "review")
    written(slot, reviewer, DRAFT | {"feedback": "Half a"})
    leases.release(slot, slot.token)
    with pytest.raises(WrongState, match="reviewer"):
        submit.undo(annotation=annotation, by=member.user)
    assert Annotation.objects.get(slot=slot).draft["feedback"] == "Half a"
