import asyncio
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotate.engine import limits
from annotate.engine.budget import MOST, cost_of
from annotate.engine.limits import Gate, share
from annotate.models import Endpoint, Minute, Place
from annotate.runs import actions
from annotate.runs.execution import work
from tests.support.faulty_model import FaultyModel
from tests.support.running import run
from tests.support.small_purpose import Words, make_endpoint, planned, states

NOWHERE = "http://127.0.0.1:9/v1"


def counts(endpoint: Endpoint) -> list[int]:
    return list(Place.objects.filter(endpoint=endpoint).order_by("pk").values_list("count", flat=True))


@pytest.mark.django_db
class TestPlaces:
    def test_one_worker_has_all_that_it_wants(self) -> None:
        endpoint, one = make_endpoint(NOWHERE, max_in_flight=16), uuid4()
        assert share(endpoint.pk, one, wanted=3, used=0) == 3
        assert share(endpoint.pk, one, wanted=99, used=3) == 16

    def test_a_newcomer_gets_its_part_as_soon_as_the_first_can_spare_it(self) -> None:
        endpoint, one, two = make_endpoint(NOWHERE, max_in_flight=9), uuid4(), uuid4()
        assert share(endpoint.pk, one, wanted=99, used=0) == 9
        assert share(endpoint.pk, two, wanted=99, used=0) == 0
        assert share(endpoint.pk, one, wanted=99, used=9) == 5, "it sends no more until it is down to its part"
        assert counts(endpoint) == [9, 0], "but what is in flight is not given away"
        assert share(endpoint.pk, two, wanted=99, used=0) == 0
        assert share(endpoint.pk, one, wanted=99, used=5) == 5
        assert share(endpoint.pk, two, wanted=99, used=0) == 4
        assert counts(endpoint) == [5, 4]

    def test_the_places_of_a_dead_worker_are_free_after_its_lease(self) -> None:
        endpoint, one, two = make_endpoint(NOWHERE, max_in_flight=4), uuid4(), uuid4()
        share(endpoint.pk, one, wanted=99, used=0)
        Place.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert share(endpoint.pk, two, wanted=99, used=0) == 4
        assert counts(endpoint) == [4]

    def test_who_leaves_leaves_everything(self) -> None:
        endpoint, one, two = make_endpoint(NOWHERE, max_in_flight=4), uuid4(), uuid4()
        share(endpoint.pk, one, wanted=99, used=0)
        limits.leave(one)
        assert share(endpoint.pk, two, wanted=99, used=0) == 4

    def test_more_workers_than_places_wait(self) -> None:
        endpoint, workers = make_endpoint(NOWHERE, max_in_flight=2), [uuid4() for _worker in range(5)]
        for _round in range(3):
            given_out = [share(endpoint.pk, worker, wanted=9, used=0) for worker in workers]
        assert given_out == [1, 1, 0, 0, 0]

    def test_other_endpoints_have_their_own(self) -> None:
        one, two = make_endpoint(NOWHERE, max_in_flight=4), make_endpoint(NOWHERE, max_in_flight=3)
        assert share(one.pk, uuid4(), wanted=99, used=0) == 4
        assert share(two.pk, uuid4(), wanted=99, used=0) == 3

    def test_a_lower_limit_holds_from_the_next_renewal(self) -> None:
        endpoint, one = make_endpoint(NOWHERE, max_in_flight=8), uuid4()
        share(endpoint.pk, one, wanted=99, used=0)
        Endpoint.objects.update(max_in_flight=2)
        assert share(endpoint.pk, one, wanted=99, used=1) == 2

    @pytest.mark.parametrize("seed", range(5))
    def test_the_sum_never_exceeds_the_limit_in_any_order(self, seed: int) -> None:
        import random

        drawn = random.Random(seed)
        endpoint = make_endpoint(NOWHERE, max_in_flight=10)
        held: dict[UUID, int] = {}
        for _step in range(60):
            worker = drawn.choice([uuid4(), *held])
            if drawn.random() < 0.1:
                limits.leave(worker)
                held.pop(worker, None)
                continue
            used = drawn.randint(0, held.get(worker, 0))
            held[worker] = max(used, share(endpoint.pk, worker, wanted=drawn.randint(1, 12), used=used))
            assert sum(counts(endpoint)) <= 10


def passing(count: int) -> Gate:
    gate = Gate()
    gate.opened(count, asked_at=limits.time.monotonic())
    return gate


def test_a_gate_lets_in_as_many_as_there_are_places() -> None:
    async def story() -> tuple[int, list[int]]:
        gate, inside, most, order = passing(3), 0, 0, []

        async def enter(number: int) -> None:
            nonlocal inside, most
            async with gate:
                inside += 1
                most = max(most, inside)
                order.append(number)
                await asyncio.sleep(0)
                inside -= 1

        await asyncio.gather(*(enter(number) for number in range(10)))
        assert gate.used == 0
        return most, order

    assert run(story()) == (3, list(range(10)))


def test_a_gate_without_places_opens_when_there_are_some() -> None:
    async def story() -> None:
        gate, entered = Gate(), []

        async def enter() -> None:
            async with gate:
                entered.append(1)
                await asyncio.sleep(3600)

        tasks = [asyncio.create_task(enter()) for _task in range(3)]
        await asyncio.sleep(0)
        assert (entered, gate.wanted) == ([], 3)
        gate.opened(2, limits.time.monotonic())
        await asyncio.sleep(0)
        assert (len(entered), gate.used, gate.wanted) == (2, 2, 3)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (gate.used, gate.wanted) == (0, 0)

    run(story())


def test_a_gate_whose_lease_nobody_renewed_is_closed() -> None:
    gate = Gate()
    gate.opened(5, asked_at=limits.time.monotonic() - limits.LEASE.total_seconds() - 1)
    assert gate.count == 0


def test_who_gives_up_waiting_at_a_gate_leaves_no_place_taken() -> None:
    async def story() -> int:
        gate = passing(1)

        async def enter() -> None:
            async with gate:
                await asyncio.sleep(0)

        async with gate:
            waiting = asyncio.create_task(enter())
            await asyncio.sleep(0)
        waiting.cancel()  # it has just been let in, and has not yet noticed
        await asyncio.gather(waiting, return_exceptions=True)
        return gate.used

    assert run(story()) == 0


@pytest.mark.django_db
class TestMinutes:
    def test_requests_of_a_minute_are_counted_by_all_together(self) -> None:
        endpoint = make_endpoint(NOWHERE, requests_a_minute=5)
        with transaction.atomic():
            assert limits.admit(endpoint, [1, 1, 1]) == 3
            assert limits.admit(endpoint, [1, 1, 1]) == 2
            assert limits.admit(endpoint, [1]) == 0
        assert Minute.objects.get().requests == 5

    def test_tokens_of_a_minute_are_counted_by_guess_and_corrected(self) -> None:
        endpoint = make_endpoint(NOWHERE, tokens_a_minute=100)
        with transaction.atomic():
            assert limits.admit(endpoint, [60, 60]) == 1
            limits.correct(endpoint, Minute.objects.get().minute, -30)
            assert limits.admit(endpoint, [60, 60]) == 1
        assert Minute.objects.get().tokens == 90

    def test_a_request_larger_than_the_limit_goes_alone(self) -> None:
        endpoint = make_endpoint(NOWHERE, tokens_a_minute=100)
        with transaction.atomic():
            assert limits.admit(endpoint, [500, 1]) == 1

    def test_a_run_waits_for_the_next_minute(
        self, words: Words, model: FaultyModel, at_once: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Minutes of a fifth of a second; five requests in each."""
        length = 0.2

        def this(now: Any) -> Any:
            return timezone.datetime.fromtimestamp(now.timestamp() // length * length, tz=now.tzinfo)

        monkeypatch.setattr(limits, "this_minute", this)
        monkeypatch.setattr(limits, "MINUTE", timedelta(seconds=length))
        monkeypatch.setattr("annotate.engine.steps.random.random", lambda: 0.0)
        run = planned(make_endpoint(model.base_url, requests_a_minute=5), items=18)
        actions.start(run, None, ring=False)
        work(run)
        assert states(run) == {"done": 18}
        found = list(Minute.objects.values_list("requests", "tokens"))
        assert sum(requests for requests, _tokens in found) == 18
        assert max(requests for requests, _tokens in found) == 5
        assert sum(tokens for _requests, tokens in found) == 18 * 110, "corrected to what the replies took"

    def test_old_minutes_are_forgotten(self) -> None:
        endpoint, now = make_endpoint(NOWHERE), timezone.now()
        for hours in (0, 2):
            Minute.objects.create(endpoint=endpoint, minute=now - timedelta(hours=hours))
        limits.forget_minutes()
        assert Minute.objects.get().minute == now


def test_a_reply_costs_what_its_tokens_cost() -> None:
    endpoint = Endpoint(price_in=Decimal("0.15"), price_out=Decimal("0.6"))
    assert cost_of(endpoint, 1000, 500) == Decimal("0.00045")
    assert cost_of(endpoint, 1, 0) == Decimal("0.00000015")
    assert cost_of(Endpoint(), 1000, 500) == 0
    assert cost_of(Endpoint(price_in=Decimal("999999")), 100_000_000, 0) == MOST


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_costs_add_up(tokens_in: int, tokens_out: int) -> None:
    endpoint = Endpoint(price_in=Decimal("0.15"), price_out=Decimal("0.6"))
    apart = cost_of(endpoint, tokens_in, 0) + cost_of(endpoint, 0, tokens_out)
    assert abs(cost_of(endpoint, tokens_in, tokens_out) - apart) <= Decimal("0.00000001")
