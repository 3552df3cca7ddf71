"""A worker learns what a service takes: once, for all jobs, and for the next worker."""

import asyncio

import pytest

from annotate.engine import endpoints, warm_up
from annotate.engine.budget import cap_is_kept
from annotate.engine.capabilities import Capabilities, keep_learned
from annotate.engine.pages import tried
from annotate.engine.warm_up import LEADERS, FirstCalls
from annotate.models import Call, Endpoint
from annotate.runs import actions
from annotate.runs.execution import work
from tests.support.model_server import ModelServer
from tests.support.running import run
from tests.support.runs import make_endpoint
from tests.support.small_purpose import planned, states

pytestmark = pytest.mark.django_db


def served(server: ModelServer, profile: str, **columns: object) -> Endpoint:
    server.turn(profile=profile)
    return make_endpoint(**{"base_url": server.base_url, "model": "simulated-1", "max_in_flight": 16} | columns)


@pytest.mark.usefixtures("words", "at_once")
def test_sixteen_places_pay_once_for_what_a_service_refuses(model_server: ModelServer) -> None:
    """gpt-5 refuses a temperature; 40 jobs take one call more than 40."""
    endpoint = served(model_server, "gpt-5")
    run = planned(endpoint, items=40)
    actions.start(run, None, ring=False)
    work(run)
    assert states(run) == {"done": 40}
    assert Call.objects.count() == 41
    refused = Call.objects.get(adapted=True)
    assert (refused.cause, refused.sent["temperature"]) == ("bad_request", 0.0)
    answered = Call.objects.filter(cause="").first()
    assert answered is not None
    assert answered.sent == {"response_format": "json_schema"}
    endpoint.refresh_from_db()
    assert endpoint.capabilities["omitted"] == ["temperature"]
    assert "temperature" in endpoint.refusals[0]["message"]
    again = planned(endpoint, items=3)
    actions.start(again, None, ring=False)
    work(again)
    assert Call.objects.filter(job__run=again).count() == 3


@pytest.mark.usefixtures("words", "at_once")
def test_a_refusal_that_taught_something_is_no_attempt(model_server: ModelServer) -> None:
    endpoint = served(model_server, "vllm", attempts=1, temperature=0.5, max_tokens=400)
    run = planned(endpoint, items=2)
    actions.start(run, None, ring=False)
    work(run)
    assert states(run) == {"done": 2}
    assert Call.objects.filter(cause="").first().reasoning  # type: ignore[union-attr]  # one is there


def test_the_test_of_an_endpoint_learns_all_at_once(model_server: ModelServer) -> None:
    endpoint = served(model_server, "o-series", max_tokens=2000)
    found = tried(endpoint)
    assert (found.ok, len(found.refusals)) == (True, 3)
    assert endpoint.capabilities == {
        "length_parameter": "max_completion_tokens",
        "omitted": ["temperature"],
        "system_role": "developer",
    }
    assert tried(endpoint).refusals == []
    endpoints.forget_learned(endpoint)
    endpoint.refresh_from_db()
    assert (endpoint.capabilities, endpoint.refusals) == ({}, [])


def test_of_another_model_nothing_is_known(model_server: ModelServer) -> None:
    endpoint = served(model_server, "gpt-5")
    tried(endpoint)
    endpoints.change(endpoint, by=None, deadline=30)
    assert endpoint.capabilities
    endpoints.change(endpoint, by=None, model="simulated-2")
    assert endpoint.capabilities == {}


# --- turns ------------------------------------------------------------------------------------------------------------
def test_others_go_once_the_first_is_answered() -> None:
    confirmed: set[str] = set()
    order: list[str] = []

    async def ask(turns: FirstCalls, name: str) -> None:
        async with turns.turn("plain"):
            order.append(f"{name} begins")
            await asyncio.sleep(0)
            confirmed.add("plain")
            order.append(f"{name} ends")

    async def both() -> None:
        turns = FirstCalls(lambda sort: sort in confirmed)
        await asyncio.gather(*(ask(turns, name) for name in "abc"))

    run(both())
    assert order[:2] == ["a begins", "a ends"]
    assert order[2:4] == ["b begins", "c begins"]


def test_a_first_call_that_hangs_holds_nobody_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "FIRST_CALL_TIMEOUT", 0.01)
    answered: list[str] = []

    async def ask(turns: FirstCalls, name: str, hangs: asyncio.Event) -> None:
        async with turns.turn("plain"):
            if name == "a":
                await hangs.wait()
            answered.append(name)

    async def all_of_them() -> None:
        turns, hangs = FirstCalls(lambda _sort: False), asyncio.Event()
        first = asyncio.create_task(ask(turns, "a", hangs))
        await asyncio.gather(*(ask(turns, name, hangs) for name in "bc"))
        hangs.set()
        await first

    run(all_of_them())
    assert sorted(answered[:2]) == ["b", "c"]
    assert answered[2] == "a"


def test_after_a_few_failures_all_go_at_once() -> None:
    most = 0

    async def all_of_them() -> None:
        nonlocal most
        turns, inside = FirstCalls(lambda _sort: False), 0

        async def ask() -> None:
            nonlocal inside, most
            async with turns.turn("plain"):
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0)
                inside -= 1

        await asyncio.gather(*(ask() for _call in range(LEADERS + 8)))

    run(all_of_them())
    assert most > 1


# --- budgets ----------------------------------------------------------------------------------------------------------
def test_a_service_that_ignores_the_cap_is_known_by_its_first_long_reply() -> None:
    endpoint = make_endpoint()
    assert cap_is_kept(endpoint)
    keep_learned(endpoint, Capabilities(ignores_cap=True))
    endpoint.refresh_from_db()
    assert not cap_is_kept(endpoint)
    assert not cap_is_kept(Endpoint(capabilities={"length_parameter": ""}))
