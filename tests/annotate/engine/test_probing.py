"""A service that refuses all of the first calls: the run pauses after five of them, and says why."""

from datetime import timedelta

import pytest

from annotate.engine import warm_up
from annotate.models import Probing, Run
from annotate.runs import actions, execution
from tests.annotate.engine.worked import causes, worked
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words, states

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]
State = Run.State


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        ("unauthorised", "unauthorised"),
        ("forbidden", "unauthorised"),
        ("not_found", "not_found"),
        ("bad_request", "bad_request"),
    ],
)
def test_no_call_is_sent_after_the_fifth_with_two_hundred_places(
    words: Words, model: FaultyModel, answer: str, cause: str
) -> None:
    model.chooses = lambda _question, _times: answer
    run = worked(model, items=500, max_in_flight=200)
    assert (run.state, run.cause, model.calls) == (State.PAUSED, cause, 5)
    assert run.detail.startswith("Status 4")
    assert states(run) == {"pending": 495, "failed": 5}


def test_going_on_begins_with_five_calls_again_and_takes_up_what_was_refused(words: Words, model: FaultyModel) -> None:
    model.chooses = lambda _question, _times: "unauthorised"
    run = worked(model, items=60, max_in_flight=16)
    actions.resume(run, None, ring=False)
    assert (run.cause, run.detail, states(run)) == ("", "", {"pending": 60})
    execution.work(run)
    assert (run.state, model.calls) == (State.PAUSED, 10)
    model.chooses = None
    actions.resume(run, None, ring=False)
    execution.work(run)
    assert (run.state, states(run), model.calls) == (State.FINISHED, {"done": 60}, 70)


def test_the_first_reply_opens_the_run(words: Words, model: FaultyModel) -> None:
    model.latency = 0.05
    run = worked(model, items=60, max_in_flight=20)
    assert states(run) == {"done": 60}
    assert warm_up.PROBES < model.most_in_flight <= 20
    assert not Probing.objects.exists()


def test_one_reply_among_refusals_is_enough(words: Words, model: FaultyModel) -> None:
    model.chooses = lambda _question, _times: "good" if model.calls == 5 else "bad_request"
    run = worked(model, items=12)
    assert (run.state, states(run)) == (State.FINISHED, {"done": 1, "failed": 11})


def test_refusals_for_different_reasons_are_not_the_endpoint_s(words: Words, model: FaultyModel) -> None:
    model.chooses = lambda _question, _times: "bad_request" if model.calls % 2 else "not_found"
    run = worked(model, items=8, max_in_flight=1)
    assert run.state == State.FINISHED
    assert causes(run) == {"bad_request": 4, "not_found": 4}


def test_a_service_that_hangs_opens_the_run_and_does_not_hold_its_places(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up, "SLOW_AFTER", timedelta(seconds=0.2))
    model.chooses = lambda _question, _times: "hangs" if model.calls <= 5 else "good"
    run = worked(model, items=40, max_in_flight=16, deadline=3, attempts=1)
    assert states(run) == {"done": 35, "failed": 5}
    assert causes(run) == {"timeout": 5}


def test_fewer_jobs_than_probes_fail_as_they_are(words: Words, model: FaultyModel) -> None:
    model.chooses = lambda _question, _times: "unauthorised"
    run = worked(model, items=3)
    assert (run.state, causes(run)) == (State.FINISHED, {"unauthorised": 3})
