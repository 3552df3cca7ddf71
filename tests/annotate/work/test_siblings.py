import pytest

from annotate.errors import Refused, WrongState
from annotate.items import flow, leases, queue
from annotate.models import Annotation, Event, Item, Slot
from annotate.work.siblings import make_sibling
from tests.support.people import make_item, make_member, make_project
from tests.support.suggestions import RM_DRAFT, maintained

pytestmark = pytest.mark.django_db


def test_another_item_has_the_facts_the_candidate_and_its_own_way() -> None:
    item, suggestion = maintained()
    lead = make_member(item.project, "lead")
    made = make_sibling(item=item, suggestion=suggestion, number=2, by=lead.user)
    assert (made.key, made.parent, made.facts, made.state) == (f"{item.key}/2", item, item.facts, "ready")
    drafted = Annotation.objects.get(item=made)
    assert drafted.draft == {**RM_DRAFT, "feedback": "NASA says three.", "feedback_type": ["Credibility Support"]}
    assert (drafted.model, drafted.prompt_version, drafted.simulated, drafted.candidates) == (
        suggestion.model,
        suggestion.prompt_version,
        True,
        [],
    )
    assert Slot.objects.open().filter(item=made, stage="annotate").exists()
    assert Event.objects.get(item=made, verb="ready").actor == lead.user


def test_each_candidate_makes_one_item_however_often_it_is_asked_for() -> None:
    item, suggestion = maintained()
    by = make_member(item.project).user
    first = make_sibling(item=item, suggestion=suggestion, number=1, by=by)
    assert make_sibling(item=item, suggestion=suggestion, number=1, by=by) == first
    assert make_sibling(item=item, suggestion=suggestion, number=0, by=by).key == f"{item.key}/3"
    assert Item.objects.filter(parent=item).count() == 2


def test_a_key_that_is_taken_is_passed_over_and_a_long_one_is_cut() -> None:
    item, suggestion = maintained(key="k" * 200)
    make_item(item.project, key="k" * 194 + "/2")
    made = make_sibling(item=item, suggestion=suggestion, number=0, by=make_member(item.project).user)
    assert made.key == "k" * 194 + "/3"


def test_it_goes_through_the_queue_like_any_other() -> None:
    item, suggestion = maintained()
    member = make_member(item.project)
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    made = make_sibling(item=item, suggestion=suggestion, number=0, by=member.user)
    leases.release(slot, slot.token)
    assert {queue.claim(s.pk, member).item_id for s in Slot.objects.open()} == {item.pk, made.pk}


@pytest.mark.parametrize("number", [-1, 4, 10_000])
def test_a_candidate_that_does_not_exist_makes_nothing(number: int) -> None:
    item, suggestion = maintained()
    with pytest.raises(Refused):
        make_sibling(item=item, suggestion=suggestion, number=number, by=make_member(item.project).user)
    assert Item.objects.count() == 1


def test_a_candidate_of_another_item_makes_nothing() -> None:
    item, _suggestion = maintained()
    _other, suggestion = maintained(make_project())
    with pytest.raises(Refused):
        make_sibling(item=item, suggestion=suggestion, number=0, by=make_member(item.project).user)


def test_an_item_that_was_decided_meanwhile_makes_nothing() -> None:
    item, suggestion = maintained()
    by = make_member(item.project, "lead").user
    flow.move(Item.objects.get(pk=item.pk), "dropped", by=by, drop_reason="other")
    with pytest.raises(WrongState):
        make_sibling(item=item, suggestion=suggestion, number=0, by=by)
    assert not Item.objects.filter(parent=item).exists()
