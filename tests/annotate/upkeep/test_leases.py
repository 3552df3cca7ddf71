from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.apps import apps
from django.utils import timezone

from annotate.items import leases, queue, slots
from annotate.models import Slot
from annotate.upkeep import reconciliation
from annotate.work import progress
from tests.support.people import make_item, make_member, make_project

pytestmark = pytest.mark.django_db


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, now: datetime) -> None:
        self.now = now
        monkeypatch.setattr(timezone, "now", lambda: self.now)


def held_slot() -> Slot:
    project = make_project(lease_minutes=30)
    make_item(project)
    slot = queue.claim_next(make_member(project), "annotate")
    assert slot is not None
    return slot


def test_a_lease_from_a_leap_ahead_ends_at_its_length_after_the_clock_is_set_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch, datetime(2030, 5, 2, 12, tzinfo=UTC))
    slot = held_slot()
    clock.now -= timedelta(days=1)
    reconciliation.tidy_up()
    slot.refresh_from_db()
    assert slot.lease_until == clock.now + timedelta(minutes=30)
    assert slot.state == "held"

    clock.now += timedelta(minutes=30, seconds=1)
    assert leases.sweep() == 1
    slot.refresh_from_db()
    assert slot.state == "open"


def test_the_holder_goes_on_with_what_was_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, datetime(2030, 5, 2, 12, tzinfo=UTC))
    slot = held_slot()
    clock.now -= timedelta(days=1)
    reconciliation.shorten()
    clock.now += timedelta(minutes=10)
    assert leases.extend(slot, slot.token) == clock.now + timedelta(minutes=30)


def test_leases_of_a_machine_whose_clock_is_a_little_ahead_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, datetime(2030, 5, 2, 12, tzinfo=UTC))
    held_slot()
    clock.now -= timedelta(seconds=30)
    assert reconciliation.shorten() == 0


def test_an_item_from_a_leap_ahead_is_handed_out_after_the_clock_is_set_back() -> None:
    project = make_project()
    member = make_member(project)
    make_item(project)
    Slot.objects.update(opens_at=timezone.now() + timedelta(hours=2))
    assert queue.claim_next(member, "annotate") is None
    assert (reconciliation.shorten(), reconciliation.shorten()) == (1, 0)
    assert queue.claim_next(member, "annotate") is not None


def test_a_review_still_waits_until_its_author_cannot_undo_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds ahead, as a review is by design and as the clocks of two machines are, is not a leap."""
    clock = Clock(monkeypatch, datetime(2030, 5, 2, 12, tzinfo=UTC))
    make_item(make_project())
    Slot.objects.update(opens_at=clock.now + timedelta(seconds=slots.UNDO_SECONDS) + reconciliation.SKEW)
    assert reconciliation.shorten() == 0


def test_every_table_with_leases_is_looked_at() -> None:
    held_slot()
    with_leases = {
        model for model in apps.get_models() if any(field.name == "lease_until" for field in model._meta.fields)
    }
    assert {rows.model for rows, _length in reconciliation._all_leases(timezone.now())} == with_leases


@pytest.mark.parametrize(
    "now",
    [
        datetime(2030, 3, 31, 1, 45, tzinfo=ZoneInfo("Europe/Berlin")),  # at two it is three
        datetime(2030, 10, 27, 2, 45, tzinfo=ZoneInfo("Europe/Berlin")),  # at three it is two
        datetime(2032, 2, 29, 23, 45, tzinfo=ZoneInfo("Europe/Berlin")),
        datetime(2032, 12, 31, 23, 45, tzinfo=ZoneInfo("Europe/Berlin")),
    ],
)
def test_a_lease_lasts_its_length_on_every_day_of_the_calendar(
    monkeypatch: pytest.MonkeyPatch, settings: Any, now: datetime
) -> None:
    settings.TIME_ZONE = "Europe/Berlin"
    clock = Clock(monkeypatch, now.astimezone(UTC))
    slot = held_slot()
    assert progress._midnight() <= clock.now
    assert (progress._midnight().hour, progress._midnight().day) == (0, now.day)
    clock.now += timedelta(minutes=29)
    assert (reconciliation.shorten(), leases.sweep()) == (0, 0)
    clock.now += timedelta(minutes=1, seconds=1)
    assert leases.sweep() == 1
    slot.refresh_from_db()
    assert slot.state == "open"
