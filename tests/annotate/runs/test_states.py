from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from annotate.engine import ledger
from annotate.errors import Refused, WrongState
from annotate.kinds.protocol import Cause
from annotate.models import Call, Job, Run
from annotate.runs import actions
from annotate.runs.execution import work
from annotate.runs.reparse import reread
from tests.annotate.runs.conftest import NOWHERE
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words, make_endpoint, planned, states

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]
State = Run.State


def during(monkeypatch: pytest.MonkeyPatch, calls: int, act: Callable[[], object]) -> None:
    """Do it once, between two transactions of the ledger, as soon as so many calls are written."""
    write, done = ledger.Ledger.write, []

    def watched(self: ledger.Ledger, entries: Any) -> Any:
        if not done and Call.objects.count() >= calls:
            done.append(act())
        return write(self, entries)

    monkeypatch.setattr(ledger.Ledger, "write", watched)


VERBS: dict[str, Callable[[Run], object]] = {
    "start": lambda run: actions.start(run, None),
    "pause": lambda run: actions.pause(run, None),
    "resume": lambda run: actions.resume(run, None),
    "cancel": lambda run: actions.cancel(run, None),
    "retry_failed": lambda run: actions.retry_failed(run, None),
    "reread": lambda run: reread(run, None),
}
ALLOWED = {
    "start": {State.PLANNED: State.RUNNING},
    "pause": {State.RUNNING: State.PAUSED},
    "resume": {State.PAUSED: State.RUNNING},
    "cancel": dict.fromkeys((State.PLANNING, State.PLANNED, State.RUNNING, State.PAUSED), State.CANCELLED),
    "retry_failed": {state: state for state in (State.RUNNING, State.PAUSED, State.FINISHED)},
    "reread": {state: state for state in (State.PAUSED, State.FINISHED, State.CANCELLED)},
}


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_works_from_its_states_and_is_refused_from_all_others(
    words: Words, rings: list[Any], verb: str, state: Run.State
) -> None:
    run = planned(make_endpoint(NOWHERE), items=1)
    Run.objects.filter(pk=run.pk).update(state=state)
    run.refresh_from_db()
    after = ALLOWED[verb].get(state)
    if after is None:
        with pytest.raises(WrongState):
            VERBS[verb](run)
    else:
        VERBS[verb](run)
        assert run.state == after
    assert Run.objects.get().state == (after or state)
    rung = after is not None and verb in ("start", "resume")
    assert rings == ([("drain_run", run.pk)] if rung else [])


def test_a_pause_lets_what_is_in_flight_end_and_the_rest_is_taken_up_later(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = planned(make_endpoint(model.base_url, max_in_flight=4), items=40, options={"steps": 2})
    actions.start(run, None, ring=False)
    during(monkeypatch, 20, lambda: actions.pause(run, None))
    work(run)
    assert run.state == State.PAUSED
    assert 20 <= model.calls <= 24
    assert not Call.objects.filter(cause=None).exists()
    counts = states(run)
    assert counts.keys() <= {"pending", "done"}
    assert set(Job.objects.filter(state="pending").values_list("attempts", flat=True)) == {0}
    actions.resume(run, None, ring=False)
    work(run)
    assert (run.state, states(run)) == (State.FINISHED, {"done": 40})
    assert set(model.received.values()) == {1}, "what was replied before the pause is not asked again"


def test_a_cancelled_run_keeps_what_came_and_ends_its_jobs(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = planned(make_endpoint(model.base_url, max_in_flight=4), items=40)
    actions.start(run, None, ring=False)
    during(monkeypatch, 20, lambda: actions.cancel(run, None))
    work(run)
    assert run.state == State.CANCELLED
    counts = states(run)
    assert counts.keys() == {"done", "cancelled"}
    assert counts["done"] == model.calls == Call.objects.filter(cause="").count()
    with pytest.raises(WrongState):
        actions.retry_failed(run, None)


def test_a_run_pauses_within_its_budget_and_goes_on_when_it_is_raised(words: Words, model: FaultyModel) -> None:
    """A call costs 0.002: 100 tokens at 10 and 10 at 100 USD a million; at most 0.41, with 4096 tokens out."""
    prices = {"price_in": Decimal(10), "price_out": Decimal(100)}
    run = planned(make_endpoint(model.base_url, max_in_flight=4, **prices), items=60, budget=Decimal("0.5"))
    actions.start(run, None, ring=False)
    work(run)
    assert (run.state, run.cause, run.reserved) == (State.PAUSED, Cause.BUDGET, 0)
    assert Decimal("0.08") < run.cost <= Decimal("0.5") - Decimal("0.4")
    done = states(run)["done"]
    assert states(run) == {"done": done, "pending": 60 - done}
    assert done == model.calls == run.cost / Decimal("0.002")
    assert run.detail.startswith("The budget of 0.5 USD is used up. The next call may cost 0.41")

    with pytest.raises(Refused):
        actions.raise_budget(run, Decimal("0.5"), None)
    actions.raise_budget(run, Decimal(1), None)
    actions.resume(run, None, ring=False)
    work(run)
    assert states(run) == {"done": 60}
    assert model.calls == 60


def test_a_budget_may_be_lifted_and_never_lowered(words: Words) -> None:
    run = planned(make_endpoint(NOWHERE), items=1, budget=Decimal(1))
    actions.raise_budget(run, None, None)
    assert run.budget is None
    with pytest.raises(Refused):
        actions.raise_budget(run, Decimal(2), None)


def test_a_budget_of_nothing_sends_nothing(words: Words, model: FaultyModel) -> None:
    run = planned(make_endpoint(model.base_url), items=3, budget=Decimal(0))
    actions.start(run, None, ring=False)
    work(run)
    assert (model.calls, run.state, run.cause) == (0, State.PAUSED, Cause.BUDGET)


def test_retrying_takes_up_failed_jobs_only(words: Words, model: FaultyModel, rings: list[Any]) -> None:
    model.chooses = lambda question, times: "bad_request" if question.startswith(bad) and times == 1 else "good"
    run = planned(make_endpoint(model.base_url), items=5)
    bad = run.jobs.order_by("pk")[3].subject + " "
    actions.start(run, None, ring=False)
    work(run)
    assert states(run) == {"done": 4, "failed": 1}
    assert actions.retry_failed(run, None) == 1
    assert (run.state, run.ended_at, rings) == (State.RUNNING, None, [("drain_run", run.pk)])
    work(run)
    assert (run.state, states(run), model.calls) == (State.FINISHED, {"done": 5}, 6)
    assert actions.retry_failed(run, None) == 0
    assert run.state == State.FINISHED
