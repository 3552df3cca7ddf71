import pytest

from annotate.errors import WrongState
from annotate.items import flow
from annotate.models import Event, Item
from tests.support.people import make_item, make_project

pytestmark = pytest.mark.django_db

STATES = Item.State.values


def item_in(state: str) -> Item:
    item = make_item(make_project())
    Item.objects.filter(pk=item.pk).update(state=state, round=2, drop_reason="other" if state == "dropped" else "")
    item.refresh_from_db()
    return item


@pytest.mark.parametrize("verb", flow.STEPS)
@pytest.mark.parametrize("state", STATES)
def test_a_verb_moves_only_from_its_states(verb: str, state: str) -> None:
    item, step = item_in(state), flow.STEPS[verb]
    reason = "duplicate" if step.end == "dropped" else ""
    if state not in step.start:
        with pytest.raises(WrongState):
            flow.move(item, verb, by=None, drop_reason=reason)
        assert Item.objects.get(pk=item.pk).state == state
        return
    flow.move(item, verb, by=None, drop_reason=reason)
    stored = Item.objects.get(pk=item.pk)
    assert (stored.state, stored.round, stored.drop_reason) == (step.end, 2 + step.turn, reason)


def test_the_loser_of_a_race_changes_nothing() -> None:
    item = make_item(make_project())
    same = Item.objects.get(pk=item.pk)
    flow.move(item, "submitted", by=None)
    with pytest.raises(WrongState):
        flow.move(same, "accepted", by=None)
    assert Item.objects.get(pk=item.pk).state == "reviewing"
    assert list(Event.objects.filter(item=item).values_list("verb", flat=True)) == ["ready", "submitted"]


def test_the_same_state_in_a_later_round_is_another_state() -> None:
    item = make_item(make_project())
    early = Item.objects.get(pk=item.pk)
    flow.move(item, "requeued", by=None)
    with pytest.raises(WrongState):
        flow.move(early, "submitted", by=None)


def test_every_move_is_a_line_of_history() -> None:
    item = make_item(make_project())
    flow.move(item, "dropped", by=None, drop_reason="too_easy", note="All three models solve it.")
    event = item.events.last()
    assert (event.verb, event.from_state, event.to_state, event.note) == (
        "dropped",
        "ready",
        "dropped",
        "All three models solve it.",
    )


def test_the_database_itself_refuses_a_drop_without_a_reason() -> None:
    from django.db import IntegrityError

    item = make_item(make_project())
    with pytest.raises(IntegrityError, match="dropped_items_say_why"):
        flow.move(item, "dropped", by=None)
