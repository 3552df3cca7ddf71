"""A service that refuses every job after it has taken some: the run ends after a few dozen calls. See test_probing."""

from typing import Any

import pytest
from django.utils import timezone

from annotate.engine import jobs
from annotate.engine.jobs import STREAK, OpenBreaker
from annotate.kinds.protocol import Cause
from annotate.models import Call, Job, Project, Run
from annotate.runs import actions
from annotate.runs.execution import work
from tests.annotate.engine.worked import causes, started, worked
from tests.support.faulty_model import FaultyModel
from tests.support.runs import make_call, make_jobs, make_run
from tests.support.small_purpose import Words, make_endpoint, planned, states

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]
REFUSED = OpenBreaker(Cause.UNAUTHORISED, "No such key.")
A_FEW_DOZEN = 60


@pytest.mark.parametrize(
    ("answer", "cause"),
    [("unauthorised", "unauthorised"), ("forbidden", "unauthorised"), ("not_found", "not_found")],
)
def test_a_refused_key_or_a_wrong_address_costs_a_few_dozen_calls(
    words: Words, model: FaultyModel, answer: str, cause: str
) -> None:
    model.chooses = lambda _question, _times: "good" if model.calls == 1 else answer
    run = worked(model, items=500, max_in_flight=16)
    assert (run.state, states(run), causes(run)) == ("finished", {"done": 1, "failed": 499}, {cause: 499})
    assert STREAK <= model.calls <= A_FEW_DOZEN
    unsent = Job.objects.filter(run=run, calls=None)
    assert unsent.count() == 500 - model.calls
    assert {job.detail.partition(":")[0] for job in unsent} == {"Not sent"}
    assert all("in a row" in job.detail for job in unsent)


def test_without_a_key_nothing_is_sent_and_nothing_stays_open(words: Words, model: FaultyModel) -> None:
    run = worked(model, items=100, key_env="A_VARIABLE_THAT_IS_NOT_SET")
    assert (run.state, causes(run), model.calls) == ("finished", {"no_key": 100}, 0)


@pytest.mark.parametrize("answer", ["server_error", "rate_limited", "resets", "html"])
def test_a_server_that_recovers_is_not_cut_off(words: Words, model: FaultyModel, answer: str) -> None:
    """Thirty jobs in a row fail by causes that may pass, or that may be the item's; the others are asked for."""
    model.chooses = lambda _question, _times: answer if model.calls <= 30 else "good"
    run = worked(model, items=80, attempts=1, max_in_flight=4)
    assert states(run) == {"failed": 30, "done": 50}
    assert model.calls == 80


def test_one_that_ends_well_in_between_keeps_the_run_going(words: Words, model: FaultyModel) -> None:
    """As many as would be too many in a row, but one."""
    model.chooses = lambda _question, _times: "good" if model.calls % STREAK == 1 else "unauthorised"
    run = worked(model, items=5 * STREAK, max_in_flight=1)
    assert model.calls == 5 * STREAK
    assert states(run) == {"done": 5, "failed": 5 * STREAK - 5}


def test_failed_jobs_are_taken_up_again_once_the_key_is_mended(words: Words, model: FaultyModel) -> None:
    model.chooses = lambda _question, _times: "good" if model.calls == 1 else "unauthorised"
    run = worked(model, items=100)
    assert states(run) == {"done": 1, "failed": 99}
    model.chooses, calls = None, model.calls
    assert actions.retry_failed(run, None, ring=False) == 99
    work(run)
    assert (states(run), model.calls) == ({"done": 100}, calls + 99)


def test_jobs_taken_up_again_while_the_worker_is_at_it_are_asked_for(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key is mended at once, and somebody retries before the worker has left."""
    run = started(model, items=60, max_in_flight=2)
    model.chooses = lambda _question, _times: "good" if model.calls == 1 else "unauthorised"
    fail_waiting, mended = jobs.fail_waiting, []

    def watched(*given: Any) -> bool:
        found = fail_waiting(*given)
        if found and not mended:
            model.chooses = None
            mended.append(actions.retry_failed(run, None, ring=False))
        return found

    monkeypatch.setattr(jobs, "fail_waiting", watched)
    work(run)
    assert mended
    assert mended[0] >= 30
    done = states(run).get("done", 0)
    assert done >= mended[0], "what waited again was asked for, though this worker had given up"


def test_jobs_with_stored_replies_still_end(words: Words, model: FaultyModel) -> None:
    model.chooses = lambda question, _times: "good" if question.endswith("step 0") else "server_error"
    run = worked(model, items=40, options={"steps": 1})
    assert states(run) == {"done": 40}
    some = list(run.jobs.order_by("-pk").values_list("pk", flat=True)[:5])
    Call.objects.exclude(job__in=some).delete()
    run.jobs.update(state="pending", ended_at=None)
    Run.objects.filter(pk=run.pk).update(state="running")
    model.chooses = lambda _question, _times: "unauthorised"
    work(run)
    assert states(run) == {"done": 5, "failed": 35}
    assert set(Job.objects.filter(run=run, state="done").values_list("pk", flat=True)) == set(some)


# --- what the rows say ------------------------------------------------------------------------------------------------


@pytest.fixture
def refused() -> Run:
    """A run with as many refused jobs as are too many, by whichever workers, and others that wait."""
    run = make_run(Project.objects.create(slug="moons", name="Moons", kind_slug="feedback"))
    make_jobs(run, causes={"unauthorised": STREAK}, pending=20, leased=2)
    return run


def test_the_failures_of_all_workers_count(refused: Run) -> None:
    assert jobs.fail_waiting(refused, REFUSED)
    assert states(refused) == {"failed": STREAK + 20, "leased": 2}
    assert jobs.still(refused, REFUSED) == REFUSED


def test_fewer_failures_or_another_cause_are_no_reason(refused: Run) -> None:
    assert not jobs.fail_waiting(refused, OpenBreaker(Cause.NOT_FOUND, ""))
    refused.jobs.filter(state="failed").first().delete()  # type: ignore[union-attr]
    assert not jobs.fail_waiting(refused, REFUSED)
    assert states(refused) == {"failed": STREAK - 1, "pending": 20, "leased": 2}


def test_a_job_that_ended_well_since_the_first_of_them_is_a_reason_to_go_on(refused: Run) -> None:
    make_jobs(refused, done=1)
    assert not jobs.fail_waiting(refused, REFUSED)
    refused.jobs.filter(state="done").update(ended_at=timezone.now() - timezone.timedelta(minutes=1))
    assert jobs.fail_waiting(refused, REFUSED), "it was before all of them"


def test_jobs_of_a_paused_run_wait_until_somebody_has_mended_the_key(refused: Run) -> None:
    Run.objects.filter(pk=refused.pk).update(state="paused")
    assert not jobs.fail_waiting(refused, REFUSED)


def test_waiting_jobs_with_a_reply_are_left(refused: Run) -> None:
    one, two = refused.jobs.filter(state="pending").order_by("pk")[:2]
    make_call(one, cause="")
    make_call(two, cause="unauthorised")
    assert jobs.fail_waiting(refused, REFUSED)
    assert list(refused.jobs.filter(state="pending")) == [one]


def test_jobs_that_were_not_even_tried_prove_nothing(refused: Run) -> None:
    refused.jobs.filter(state="failed").update(detail=REFUSED.in_words)
    assert not jobs.fail_waiting(refused, REFUSED)


def test_retried_jobs_do_not_count(words: Words) -> None:
    run = planned(make_endpoint("http://127.0.0.1:9/v1"), items=STREAK)
    Run.objects.filter(pk=run.pk).update(state="running")
    run.jobs.update(state="failed", cause="unauthorised", ended_at=timezone.now())
    assert jobs.fail_waiting(run, REFUSED)
    actions.retry_failed(run, None, ring=False)
    assert jobs.still(run, REFUSED) is None
