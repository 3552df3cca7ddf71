from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from annotate.models import Run
from annotate.runs.queries import FINEST, LISTED, spending
from tests.support.installation import Installation
from tests.support.people import make_project
from tests.support.runs import make_call, make_jobs, make_run

pytestmark = pytest.mark.django_db


def run_since(span: timedelta) -> tuple[Run, datetime]:
    """A run that began so long ago, at a whole second."""
    start = (timezone.now() - span).replace(microsecond=0)
    run = make_run(make_project(), started_at=start)
    make_jobs(run, done=1)
    return run, start


def sent(run: Run, *moments: datetime, **columns: Any) -> None:
    first = run.jobs.get().calls.count() + 1
    for number, moment in enumerate(moments, start=first):
        make_call(run.jobs.get(), attempt=number, sent_at=moment, **{"cost": Decimal("0.5")} | columns)


def test_calls_are_put_into_slices_that_add_up() -> None:
    run, start = run_since(timedelta(seconds=200))  # slices of a second; up to the last call of five in the table
    sent(run, start, start + timedelta(seconds=16), start + timedelta(seconds=101))
    sent(run, start + timedelta(seconds=17), cause="timeout", cost=0)
    sent(run, start + timedelta(seconds=18), cause=None, cost=0)
    found = spending(run)
    assert [(one.since, one.calls, one.unread, one.cost) for one in found.listed] == [
        (start, 1, 0, Decimal("0.5")),
        (start + timedelta(seconds=15), 3, 1, Decimal("0.5")),
        (start + timedelta(seconds=100), 1, 0, Decimal("0.5")),
    ]
    assert [one.calls_so_far for one in found.fine][14:20] == [1, 1, 2, 3, 4, 4]
    assert found.fine[-1].cost_so_far == found.listed[-1].cost_so_far == Decimal("1.5")


@pytest.mark.parametrize("hours", [1, 30, 24 * 40, 24 * 800])
def test_however_long_a_run_takes_there_are_few_slices(hours: int) -> None:
    span = timedelta(hours=hours)
    run, start = run_since(span)
    sent(run, *(start + span * share for share in (0.0, 0.3, 0.6, 0.99)))
    found = spending(run)
    assert len(found.fine) <= FINEST + 1
    assert len(found.listed) <= LISTED
    assert found.fine[-1].calls_so_far == found.listed[-1].calls_so_far == 4


def test_the_curve_ends_with_the_last_call() -> None:
    run, start = run_since(timedelta(days=3))
    sent(run, start, start + timedelta(minutes=5))
    assert spending(run).fine[-1].until < start + timedelta(hours=2)


def test_a_clock_that_was_late_loses_no_call() -> None:
    run, start = run_since(timedelta(minutes=1))
    sent(run, start - timedelta(minutes=10), start)
    assert [one.calls for one in spending(run).fine] == [2]


def test_calls_of_other_runs_are_not_counted() -> None:
    run, start = run_since(timedelta(minutes=1))
    other, _start = run_since(timedelta(minutes=1))
    sent(other, start)
    assert spending(run).fine == []


def test_it_asks_once(django_assert_num_queries: Any) -> None:
    run, start = run_since(timedelta(hours=9))
    sent(run, *(start + timedelta(minutes=n) for n in range(40)))
    with django_assert_num_queries(1):
        spending(run)


ON_EITHER_DATABASE = """
from datetime import timedelta
from django.utils import timezone
from annotate.runs.queries import spending
from tests.support.people import make_project
from tests.support.runs import make_call, make_jobs, make_run
run = make_run(make_project(), started_at=(timezone.now() - timedelta(seconds=200)).replace(microsecond=0))
make_jobs(run, done=3)
for seconds, job in zip((0, 16.9, 101.2), run.jobs.order_by("pk"), strict=True):
    make_call(job, sent_at=run.started_at + timedelta(seconds=seconds), cost="0.5")
listed = spending(run).listed
result = [[(one.since - run.started_at).total_seconds(), one.calls, str(one.cost_so_far.normalize())] for one in listed]
"""


@pytest.mark.slow
def test_both_databases_know_the_second_of_a_call(live_installation: Installation) -> None:
    assert live_installation.python(ON_EITHER_DATABASE) == [[0, 1, "0.5"], [15, 1, "1"], [100, 1, "1.5"]]
