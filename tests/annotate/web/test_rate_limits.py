from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from annotate.models import RateCounter
from annotate.upkeep import reconciliation
from annotate.web import rate_limits
from annotate.web.rate_limits import HOUR, MINUTE, Tickets

pytestmark = pytest.mark.django_db
NOON = datetime(2030, 5, 2, 12, tzinfo=UTC).timestamp()


class Clock:
    now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(rate_limits, "time", clock)
    return clock


def test_so_many_are_within_the_limit_until_the_window_ends(clock: Clock) -> None:
    assert [rate_limits.within("begin", 2, HOUR) for _ in range(3)] == [True, True, False]
    assert rate_limits.within("save", 2, HOUR)
    clock.now += HOUR
    assert rate_limits.within("begin", 2, HOUR)


def test_what_is_over_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    rate_limits.within("begin", 2, HOUR)
    monkeypatch.setattr(timezone, "now", lambda: datetime.fromtimestamp(NOON + HOUR - 1, tz=UTC))
    reconciliation.tidy_up()
    assert RateCounter.objects.count() == 1
    monkeypatch.setattr(timezone, "now", lambda: datetime.fromtimestamp(NOON + HOUR, tz=UTC) + timedelta(seconds=1))
    reconciliation.tidy_up()
    assert not RateCounter.objects.exists()


@pytest.mark.parametrize("most", [1, 3, 59, 60, 600])
def test_processes_share_the_tickets_of_a_window(most: int) -> None:
    processes = Tickets(MINUTE), Tickets(MINUTE)
    taken = sum(processes[turn % 2].take("token", most) for turn in range(2 * most + 40))
    assert taken == most


def test_the_next_window_has_new_tickets(clock: Clock) -> None:
    tickets = Tickets(MINUTE)
    assert [tickets.take("token", 1) for _ in range(2)] == [True, False]
    clock.now += MINUTE
    assert tickets.take("token", 1)


def test_a_process_that_is_gone_takes_at_most_a_sixtieth_with_it() -> None:
    assert Tickets(MINUTE).take("token", 600)
    left = Tickets(MINUTE)
    assert sum(left.take("token", 600) for _ in range(700)) == 590


def test_requests_that_only_read_seldom_write(django_assert_num_queries: object) -> None:
    tickets = Tickets(MINUTE)
    with django_assert_num_queries(6):  # type: ignore[operator]
        assert all(tickets.take("token", 600) for _ in range(60))


def test_who_was_refused_costs_no_query(django_assert_num_queries: object) -> None:
    tickets = Tickets(MINUTE)
    tickets.take("token", 1), tickets.take("token", 1)
    with django_assert_num_queries(0):  # type: ignore[operator]
        assert not tickets.take("token", 1)


def test_where_the_database_cannot_count_nobody_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_given: object) -> int:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(rate_limits, "_count", full)
    assert Tickets(MINUTE).take("token", 1)
