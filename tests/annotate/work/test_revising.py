import pytest

from annotate.errors import LeaseLost, NotReady
from annotate.items import drafts, queue
from annotate.models import Annotation, Item, Member, Notification, Slot
from annotate.work import submit
from tests.support.people import DRAFT, make_item, make_member, make_project, written

pytestmark = pytest.mark.django_db
CHANGED = {**DRAFT, "feedback": "Mars has two."}


def begun(item: Item, member: Member) -> Annotation:
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    return written(slot, member, CHANGED)


def revised(item: Item, member: Member) -> Annotation:
    text = begun(item, member)
    submit.revise(annotation=text, token=text.slot.token, by=member.user, note="A number was wrong.")
    item.refresh_from_db()
    return text


@pytest.fixture
def item() -> Item:
    make_item(make_project())  # of another project, where nothing happens
    return make_item(make_project(reviews=0, overlap=2))


def test_a_changed_text_is_where_others_begin(item: Item) -> None:
    text = revised(item, make_member(item.project))
    assert (item.state, item.round, item.base) == ("ready", 2, text)
    other = make_member(item.project)
    slot = queue.claim_next(other, "annotate")
    assert drafts.open_draft(slot, author=other.user, item=slot.item, project=item.project).draft == CHANGED


@pytest.mark.parametrize("role", ["annotator", "reviewer", "lead"])
def test_the_editor_is_barred_in_every_later_round(item: Item, role: str) -> None:
    editor, other = make_member(item.project, role), make_member(item.project)
    revised(item, editor)
    for _round in range(2):
        for slot in Slot.objects.open().filter(item=item, stage="annotate"):
            assert queue.claim(slot.pk, editor) is None
        assert queue.claim_next(editor, "annotate") is None
        text = begun(item, other)
        submit.revise(annotation=text, token=text.slot.token, by=other.user)
        other = make_member(item.project)


def test_whoever_else_had_it_keeps_the_draft_and_hears_of_it(item: Item) -> None:
    editor, other = make_member(item.project), make_member(item.project)
    theirs = begun(item, other)
    revised(item, editor)
    with pytest.raises(LeaseLost):
        submit.submit(annotation=theirs, token=theirs.slot.token, by=other.user)
    assert Annotation.objects.get(pk=theirs.pk).draft == CHANGED
    assert Notification.objects.get(user=other.user).verb == "removed"
    assert item.slots.filter(round=1).exclude(state__in=["void", "submitted"]).count() == 0


def test_a_text_without_shape_changes_nothing(item: Item) -> None:
    member = make_member(item.project)
    text = begun(item, member)
    drafts.save(text, {**CHANGED, "checklist": 3}, revision=text.revision, decided=[])
    with pytest.raises(NotReady):
        submit.revise(annotation=text, token=text.slot.token, by=member.user)
    item.refresh_from_db()
    assert (item.round, Slot.objects.held_by(member.user).count()) == (1, 1)
