import pytest

from annotate.errors import StaleDraft
from annotate.items import drafts, leases, queue
from annotate.models import Annotation, Guideline, Slot
from annotate.work import submit
from tests.support.people import DRAFT, make_item, make_member, make_project, written

pytestmark = pytest.mark.django_db


def opened(**item: object) -> tuple[Annotation, Slot]:
    project = make_project()
    thing = make_item(project, **item)
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    return drafts.open_draft(slot, author=member.user, item=thing, project=project), slot


def test_a_draft_starts_from_the_suggestion_and_remembers_it() -> None:
    annotation, _slot = opened(suggestion=DRAFT)
    assert annotation.draft == DRAFT
    assert annotation.suggestion.model == "drafter-a"


def test_without_a_suggestion_a_draft_starts_empty() -> None:
    annotation, _slot = opened()
    assert annotation.draft["feedback"] == ""
    assert annotation.suggestion is None


def test_a_blind_slot_hides_the_suggestion() -> None:
    project = make_project(blind_share=1)
    item = make_item(project, suggestion=DRAFT)
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    annotation = drafts.open_draft(slot, author=member.user, item=item, project=project)
    assert (annotation.suggestion, annotation.draft["feedback"]) == (None, "")


def test_a_newer_suggestion_is_never_swapped_in() -> None:
    annotation, slot = opened(suggestion=DRAFT)
    Annotation.objects.create(item=annotation.item, model="drafter-b", draft=DRAFT | {"feedback": "Newer."})
    project = annotation.item.project
    again = drafts.open_draft(slot, author=annotation.author, item=annotation.item, project=project)
    assert (again, again.suggestion.model) == (annotation, "drafter-a")


def test_the_guideline_version_is_written_down_at_first_opening() -> None:
    project = make_project()
    Guideline.objects.create(project=project, version=3, text="Be kind.")
    item = make_item(project)
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    assert drafts.open_draft(slot, author=member.user, item=item, project=project).guideline_version == 3


def test_an_unfinished_draft_is_kept_as_typed() -> None:
    annotation, _slot = opened()
    half = {"feedback": "half a", "checklist": [["", "0,"]]}
    drafts.save(annotation, half, revision=0, decided=["feedback"])
    annotation.refresh_from_db()
    assert (annotation.draft, annotation.decided, annotation.revision) == (half, ["feedback"], 1)


def test_a_second_window_is_told_what_is_stored_and_overwrites_nothing() -> None:
    annotation, _slot = opened()
    drafts.save(annotation, {"feedback": "first window"}, revision=0, decided=[])
    stale = Annotation.objects.get(pk=annotation.pk)
    with pytest.raises(StaleDraft) as told:
        drafts.save(stale, {"feedback": "second window"}, revision=0, decided=[])
    assert (told.value.theirs, told.value.revision) == ({"feedback": "first window"}, 1)
    assert Annotation.objects.get(pk=annotation.pk).draft == {"feedback": "first window"}


def test_the_same_request_twice_is_one_save() -> None:
    annotation, _slot = opened()
    drafts.save(annotation, {"feedback": "x"}, revision=0, decided=[])
    again = drafts.save(Annotation.objects.get(pk=annotation.pk), {"feedback": "x"}, revision=0, decided=[])
    assert again.revision == 1


def test_a_draft_is_saved_after_the_lease_was_lost() -> None:
    annotation, slot = opened()
    leases.release(slot, slot.token)
    drafts.save(annotation, {"feedback": "late"}, revision=0, decided=[])
    assert Annotation.objects.get(pk=annotation.pk).draft == {"feedback": "late"}


def test_what_was_handed_in_is_never_written_again() -> None:
    project = make_project(reviews=0)
    make_item(project)
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    annotation = written(slot, member)
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
    with pytest.raises(StaleDraft):
        drafts.save(annotation, {"feedback": "afterwards"}, revision=annotation.revision, decided=[])
    assert Annotation.objects.get(pk=annotation.pk).draft["feedback"] == DRAFT["feedback"]


def test_nul_characters_are_left_out_because_postgresql_cannot_hold_them() -> None:
    assert drafts.without_nul({"a": ["x\x00y"]}) == {"a": ["xy"]}


def test_active_time_is_never_more_than_has_passed_and_an_idle_while() -> None:
    annotation, _slot = opened()
    drafts.save(annotation, {"feedback": "x"}, revision=0, decided=[], seconds=100_000)
    assert Annotation.objects.get(pk=annotation.pk).active_seconds <= drafts.IDLE_AFTER + 1
