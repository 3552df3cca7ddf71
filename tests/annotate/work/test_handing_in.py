"""Perturbations handed in: one whose text was corrected goes to somebody else, in whatever round."""

from typing import Any

import pytest

from annotate.errors import NotReady
from annotate.items import drafts, queue
from annotate.models import Annotation, Item, Member, Project, Slot
from annotate.work.submit import hand_in
from tests.support.canals import DRAFT, FACTS
from tests.support.people import make_item, make_member, make_project

pytestmark = pytest.mark.django_db
OPEN: dict[str, Any] = DRAFT | {"verdict": None}


@pytest.fixture
def item() -> Item:
    return make_item(make_project(kind_slug="perturbation", reviews=0), facts=FACTS, suggestion=OPEN)


def worked(member: Member, **changes: Any) -> Annotation:
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    item = Item.objects.select_related("project", "base").get(pk=slot.item_id)
    begun = drafts.open_draft(slot, author=member.user, item=item, project=item.project)
    saved = drafts.save(begun, {**begun.draft, **changes}, revision=begun.revision, decided=[])
    hand_in(annotation=saved, token=slot.token, by=member.user, item=item)
    return saved


def test_a_verdict_alone_decides(item: Item) -> None:
    worked(make_member(item.project), verdict="valid", note="Fine.")
    item.refresh_from_db()
    assert (item.state, item.round) == ("accepted", 1)


def test_a_corrected_answer_goes_to_another_person_without_the_verdict(item: Item) -> None:
    editor = make_member(item.project)
    worked(editor, verdict="valid", perturbed_answer="The canal is 28 km long.")
    item.refresh_from_db()
    assert (item.state, item.round) == ("ready", 2)
    assert queue.claim_next(editor, "annotate") is None
    other = worked(make_member(item.project), verdict="valid")
    item.refresh_from_db()
    assert (item.state, item.round) == ("accepted", 2)
    assert other.draft == {"perturbed_answer": "The canal is 28 km long.", "verdict": "valid", "note": ""}


def test_it_needs_no_verdict_and_may_be_corrected_again_by_the_next(item: Item) -> None:
    for number in (2, 3):
        worked(make_member(item.project), perturbed_answer=f"The canal is {number} km long.")
        item.refresh_from_db()
        assert (item.state, item.round) == ("ready", number)


def test_an_answer_that_was_emptied_goes_nowhere(item: Item) -> None:
    member = make_member(item.project)
    with pytest.raises(NotReady):
        worked(member, perturbed_answer=" ", verdict="valid")
    assert Slot.objects.held().get().holder == member.user


def test_where_there_was_nothing_to_validate_writing_is_no_correction() -> None:
    project: Project = make_project(kind_slug="perturbation", reviews=0)
    item = make_item(project, facts=FACTS)
    worked(make_member(project), perturbed_answer="The canal is 28 km long.", verdict="valid")
    item.refresh_from_db()
    assert item.state == "accepted"
