from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from celery.schedules import schedule

from config.celery import app
from config.clock import SteadyScheduler


class Clock:
    now = datetime(2030, 5, 2, 12, tzinfo=UTC)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(app, "now", lambda: clock.now)
    return clock


@pytest.fixture
def beats(clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    beats: list[datetime] = []
    monkeypatch.setattr(SteadyScheduler, "apply_entry", lambda *_given, **_named: beats.append(clock.now))
    return beats


@pytest.mark.parametrize("leap", [timedelta(days=1), timedelta(days=-1), timedelta(seconds=-3), timedelta(0)])
def test_it_beats_on_within_seconds_of_a_leap_of_the_clock(
    clock: Clock, beats: list[datetime], tmp_path: Path, leap: timedelta
) -> None:
    scheduler = SteadyScheduler(app, schedule_filename=str(tmp_path / "beat"), lazy=True)
    scheduler.setup_schedule()
    assert isinstance(scheduler.schedule["reconcile"].schedule, schedule)
    seconds(scheduler, clock, 12)
    before = len(beats)
    clock.now += leap
    seconds(scheduler, clock, 12)
    scheduler.close()
    assert before >= 2
    assert len(beats) - before >= 2


def seconds(scheduler: SteadyScheduler, clock: Clock, number: int) -> None:
    for _second in range(number):
        clock.now += timedelta(seconds=1)
        scheduler.tick()
