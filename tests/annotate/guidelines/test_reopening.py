from typing import Any

import pytest

from annotate.chores import reopen_stale
from annotate.errors import Refused, WrongState
from annotate.guidelines import reopen
from annotate.guidelines.stale import StaleFilters
from annotate.items import actions, queue
from annotate.models import Event, Item, Reopening, Slot
from tests.support.guidelines import accepted, new_version
from tests.support.people import make_project
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
COUNT = 5


@pytest.fixture
def changed(case: Case) -> Case:
    """Five accepted items, one of them of the group Coding, that version 2 makes stale."""
    for number in range(COUNT):
        accepted(case, f"k{number}", group="Coding" if number == 0 else "Reasoning")
    new_version(case.project, "Be kinder.", by=case.lead)
    return case


def begin(case: Case, *, ids: list[int] | None = None, **filters: Any) -> Reopening:
    guideline = case.project.guideline
    assert guideline is not None
    made = reopen.begin(cause=guideline, by=case.lead, filters=StaleFilters(**filters), ids=ids, note="Kinder.")
    made.refresh_from_db()
    return made


def states() -> dict[str, str]:
    return dict(Item.objects.values_list("key", "state"))


def ids(*keys: str) -> list[int]:
    return list(Item.objects.filter(key__in=keys).values_list("pk", flat=True))


def test_only_the_chosen_items_are_reopened(changed: Case) -> None:
    before = {item.pk: (item.base_id, item.facts) for item in Item.objects.all()}
    made = begin(changed, ids=ids("k1", "k3"))
    assert states() == {"k0": "accepted", "k1": "ready", "k2": "accepted", "k3": "ready", "k4": "accepted"}
    assert (made.state, made.reopened, made.left_out) == ("done", 2, {})
    assert {item.pk: (item.base_id, item.facts) for item in Item.objects.all()} == before


def test_all_that_pass_the_filters_are_reopened(changed: Case) -> None:
    assert begin(changed, group="Reasoning").reopened == COUNT - 1
    assert states()["k0"] == "accepted"


def test_the_history_names_version_and_note(changed: Case) -> None:
    made = begin(changed, ids=ids("k1"))
    event = Event.objects.get(verb="reopened")
    assert event.note == f"Guidelines, version 2 (reopening {made.pk}): Kinder."
    assert event.actor == changed.lead
    assert event.reopening == made


def test_nothing_chosen_is_refused(changed: Case) -> None:
    with pytest.raises(Refused):
        begin(changed, ids=[])
    assert not Reopening.objects.exists()


def test_an_item_that_is_not_stale_is_left_out_and_counted(changed: Case) -> None:
    fresh = accepted(changed, "new")
    made = begin(changed, ids=[*ids("k1"), fresh.pk])
    assert (made.reopened, made.left_out) == (1, {"fresh": 1})
    assert reopen.reasons(made) == [("no longer stale", 1)]


def test_an_item_of_another_project_is_never_touched(changed: Case) -> None:
    other = accepted(changed, "theirs")
    Item.objects.filter(pk=other.pk).update(project=make_project())
    assert begin(changed, ids=[other.pk]).reopened == 0
    assert states()["theirs"] == "accepted"


def test_many_are_left_to_the_worker(
    changed: Case, monkeypatch: pytest.MonkeyPatch, rung: list[tuple[str, int]]
) -> None:
    monkeypatch.setattr(reopen, "AT_ONCE", 2)
    monkeypatch.setattr(reopen, "TOGETHER", 2)
    made = begin(changed)
    assert (made.state, made.reopened, rung) == ("waiting", 2, [("reopen_stale", made.pk)])
    assert reopen_stale.leases.claimable() == [made.pk]
    reopen_stale.work(made.pk)
    made.refresh_from_db()
    assert (made.state, made.reopened) == ("done", COUNT)
    assert reopen_stale.leases.claimable() == []


def test_whoever_goes_on_neither_repeats_nor_skips(changed: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reopen, "AT_ONCE", 2)
    monkeypatch.setattr(reopen, "TOGETHER", 2)
    made = begin(changed)
    monkeypatch.setattr(actions, "reopen", _broken)
    with pytest.raises(RuntimeError):
        reopen_stale.work(made.pk)
    monkeypatch.undo()
    Reopening.objects.update(lease_until=None)
    reopen_stale.work(made.pk)
    made.refresh_from_db()
    assert made.reopened == COUNT
    assert Event.objects.filter(verb="reopened").count() == COUNT


def _broken(*_args: Any, **_options: Any) -> None:
    raise RuntimeError("the worker died")


def test_a_worker_who_lost_the_lease_writes_nothing(changed: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = reopen._reopen

    def slow(one: Reopening, item: Item) -> None:
        taken(one, item)
        Reopening.objects.update(token=None)

    monkeypatch.setattr(reopen, "_reopen", slow)
    begin(changed, ids=ids("k1"))
    assert states()["k1"] == "accepted"
    assert not Event.objects.filter(verb="reopened").exists()


class TestTakingBack:
    def test_what_nobody_has_begun_is_accepted_again(self, changed: Case) -> None:
        rounds = dict(Item.objects.values_list("key", "round"))
        made = reopen.take_back(begin(changed), by=changed.lead)
        assert set(states().values()) == {"accepted"}
        assert (made.state, made.taken_back, made.left_out) == ("back", COUNT, {})
        assert dict(Item.objects.values_list("key", "round")) == rounds
        assert not Slot.objects.filter(state="open").exists()

    def test_what_somebody_has_begun_stays_open(self, changed: Case) -> None:
        made = begin(changed, ids=ids("k1", "k2"))
        held = queue.claim_next(changed.member(changed.annotator), "annotate")
        assert held is not None
        made = reopen.take_back(made, by=changed.lead)
        assert (made.taken_back, made.left_out) == (1, {"begun": 1})
        assert Item.objects.get(pk=held.item_id).state == "ready"

    def test_what_went_on_since_stays_where_it_is(self, changed: Case) -> None:
        made = begin(changed, ids=ids("k1"))
        actions.drop(Item.objects.get(key="k1"), by=changed.lead, reason="other")
        made = reopen.take_back(made, by=changed.lead)
        assert (made.taken_back, made.left_out, states()["k1"]) == (0, {"moved": 1}, "dropped")

    def test_only_its_own_items_are_taken_back(self, changed: Case) -> None:
        first, second = begin(changed, ids=ids("k1")), begin(changed, ids=ids("k2"))
        reopen.take_back(first, by=changed.lead)
        assert (states()["k1"], states()["k2"], second.state) == ("accepted", "ready", "done")

    def test_what_was_reopened_with_the_same_note_by_hand_stays_open(self, changed: Case) -> None:
        made = begin(changed, ids=ids("k1"))
        actions.reopen(Item.objects.get(key="k2"), by=changed.lead, note=made.note)
        reopen.take_back(made, by=changed.lead)
        assert (states()["k1"], states()["k2"]) == ("accepted", "ready")
        taken_back = Event.objects.filter(verb="reclosed")
        assert list(taken_back.values_list("item__key", "reopening", "note")) == [("k1", made.pk, made.note)]

    def test_once(self, changed: Case) -> None:
        made = reopen.take_back(begin(changed, ids=ids("k1")), by=changed.lead)
        with pytest.raises(WrongState):
            reopen.take_back(made, by=changed.lead)

    def test_an_item_can_be_reopened_after_it(self, changed: Case) -> None:
        reopen.take_back(begin(changed, ids=ids("k1")), by=changed.lead)
        assert begin(changed, ids=ids("k1")).reopened == 1
