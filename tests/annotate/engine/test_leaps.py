"""After a leap of the clock nobody takes over jobs of workers that live."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotate.engine import jobs
from annotate.engine.jobs import LeapWatch
from annotate.models import Job
from tests.annotate.engine.worked import started
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words


class Clocks:
    """The clock of the wall and the monotonic one, moved by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wall, self.monotonic = datetime.fromisoformat("2026-11-26T08:00:00+00:00"), 100.0
        monkeypatch.setattr(timezone, "now", lambda: self.wall)
        monkeypatch.setattr(jobs.time, "monotonic", lambda: self.monotonic)

    def run(self, seconds: float, *, leap: float = 0) -> None:
        self.monotonic += seconds
        self.wall += timedelta(seconds=seconds + leap)


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


def test_time_that_passes_is_no_leap(clocks: Clocks) -> None:
    watch = LeapWatch()
    assert not watch.has_just_leapt()
    clocks.run(7200)
    assert not watch.has_just_leapt()


@pytest.mark.parametrize("leap", [7200.0, -7200.0, 6.0])
def test_a_leap_in_either_direction_is_one_for_a_while(clocks: Clocks, leap: float) -> None:
    watch = LeapWatch()
    watch.has_just_leapt()
    clocks.run(1, leap=leap)
    assert watch.has_just_leapt()
    clocks.run(jobs.PATIENCE - 1)
    assert watch.has_just_leapt()
    clocks.run(2)
    assert not watch.has_just_leapt()


@pytest.mark.django_db
def test_a_job_of_a_living_worker_is_not_taken_over_after_a_leap(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = started(model)
    clocks = Clocks(monkeypatch)
    monkeypatch.setattr(jobs, "watch", LeapWatch())
    assert len(jobs.claim(run, uuid4(), most=5, in_hand=())) == 1
    clocks.run(1, leap=7200)
    other = uuid4()
    assert jobs.claim(run, other, most=5, in_hand=()) == []
    assert Job.objects.get().attempts == 1
    clocks.run(jobs.PATIENCE + 1)  # the other worker has not extended its lease: it is dead
    assert len(jobs.claim(run, other, most=5, in_hand=())) == 1
