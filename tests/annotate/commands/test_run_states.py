"""How commands that let a model work take up runs of every state, and what they say when work ends early."""

import json
from collections.abc import Callable
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotate.engine import concurrency
from annotate.errors import WrongState
from annotate.management import run_command
from annotate.models import Job, Project, Run
from annotate.runs import actions
from tests.support.people import make_item, make_project
from tests.support.runs import make_endpoint, make_jobs, make_run

pytestmark = pytest.mark.django_db
State = Run.State
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def project() -> Project:
    project = make_project(slug="fb")
    make_item(project, key="item-1")
    make_endpoint(name="sim", simulated=True)
    return project


@pytest.fixture
def working(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Run], None]], None]:
    """working(step): the command does this instead of calling a model."""
    return lambda step: monkeypatch.setattr(run_command, "work", step)


def refusal(*arguments: str) -> str:
    with pytest.raises(CommandError) as refused:
        call_command("preannotate", "fb", *arguments)
    return str(refused.value)


def a_run(project: Project, state: str, *, causes: dict[str, int] | None = None, **columns: Any) -> Run:
    run = make_run(project, state=state, **columns)
    make_jobs(run, causes=causes, pending=1)
    return run


# --- work that ends early ---------------------------------------------------------------------------------------------
def test_interrupted_work_is_paused_and_the_command_says_how_to_continue(project: Project, working: Any) -> None:
    def interrupted(_run: Run) -> None:
        raise KeyboardInterrupt

    working(interrupted)
    said = refusal("--endpoint", "sim", "--wait")
    run = Run.objects.get()
    assert run.state == State.PAUSED
    assert said == (
        f"Paused run {run.pk}; finished jobs are kept. Continue: manage.py preannotate fb --run {run.pk} --wait"
    )


def test_a_process_that_is_told_to_end_pauses_its_run(
    project: Project, working: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concurrency, "mark", concurrency.Mark())
    working(lambda _run: concurrency.begin())
    assert "finished jobs are kept" in refusal("--endpoint", "sim", "--wait")
    assert Run.objects.get().state == State.PAUSED


def test_a_run_that_ends_in_the_moment_of_the_interruption_is_not_paused(
    project: Project, working: Any, capsys: Capture
) -> None:
    def ends_and_is_interrupted(run: Run) -> None:
        Run.objects.filter(pk=run.pk).update(state=State.FINISHED)
        raise KeyboardInterrupt

    working(ends_and_is_interrupted)
    call_command("preannotate", "fb", "--endpoint", "sim", "--wait")
    assert "(finished): 1 jobs" in capsys.readouterr().out
    assert Run.objects.get().state == State.FINISHED


def test_a_run_that_somebody_cancels_meanwhile_is_reported_as_it_is(
    project: Project, working: Any, capsys: Capture
) -> None:
    def cancelled_by_others(run: Run) -> None:
        actions.cancel(run, None)
        raise WrongState

    working(cancelled_by_others)
    call_command("preannotate", "fb", "--endpoint", "sim", "--wait")
    assert "(cancelled): 1 jobs, 0 done, 0 failed, 1 cancelled, 0 calls" in capsys.readouterr().out


def test_a_run_that_pauses_automatically_names_its_cause_and_how_to_continue(
    project: Project, working: Any, capsys: Capture
) -> None:
    def refused_by_the_service(run: Run) -> None:
        Job.objects.filter(run=run).update(state="failed", cause="unauthorised")
        Run.objects.filter(pk=run.pk).update(state=State.PAUSED, cause="unauthorised", detail="Status 401: who are you")

    working(refused_by_the_service)
    said = refusal("--endpoint", "sim", "--wait", "--json")
    run = Run.objects.get()
    assert said.startswith(f"Run {run.pk} was paused automatically: ")
    assert "who are you" in said
    assert said.endswith(f"Continue: manage.py preannotate fb --run {run.pk} --wait")
    report = json.loads(capsys.readouterr().out)
    assert (report["paused_for"], report["causes"]) == ("unauthorised", {"unauthorised": 1})


def test_failed_jobs_are_counted_by_cause_with_the_way_to_retry_them(
    project: Project, working: Any, capsys: Capture
) -> None:
    def fails(run: Run) -> None:
        Job.objects.filter(run=run).update(state="failed", cause="empty")
        Run.objects.filter(pk=run.pk).update(state=State.FINISHED)

    working(fails)
    call_command("preannotate", "fb", "--endpoint", "sim", "--wait")
    lines = capsys.readouterr().out.splitlines()
    run = Run.objects.get()
    assert "  failed, empty: 1" in lines
    assert f"To retry failed jobs: manage.py preannotate fb --run {run.pk} --wait --retry-failed" in lines


# --- runs that are there already --------------------------------------------------------------------------------------
@pytest.mark.parametrize("state", [State.PLANNED, State.PAUSED])
def test_a_run_that_waits_is_set_going(project: Project, state: str, capsys: Capture) -> None:
    run = a_run(project, state)
    call_command("preannotate", "fb", "--run", str(run.pk))
    run.refresh_from_db()
    assert run.state == State.RUNNING
    assert f"Watch: /p/fb/runs/{run.pk}/" in capsys.readouterr().out


def test_a_finished_run_stays_as_it_is_unless_failed_jobs_are_retried(project: Project) -> None:
    run = make_run(project, state=State.FINISHED)
    make_jobs(run, causes={"empty": 2}, done=1)
    call_command("preannotate", "fb", "--run", str(run.pk))
    assert Run.objects.get().state == State.FINISHED
    call_command("preannotate", "fb", "--run", str(run.pk), "--retry-failed")
    assert Run.objects.get().state == State.RUNNING
    assert sorted(run.jobs.values_list("state", flat=True)) == ["done", "pending", "pending"]


def test_a_run_is_continued_with_a_higher_budget_only(project: Project) -> None:
    run = a_run(project, State.PAUSED, budget=Decimal(2))
    assert "must be higher" in refusal("--run", str(run.pk), "--budget", "1")
    call_command("preannotate", "fb", "--run", str(run.pk), "--budget", "3")
    run.refresh_from_db()
    assert (run.budget, run.state) == (3, State.RUNNING)


def test_a_run_without_jobs_says_why_there_is_nothing_to_do(project: Project, capsys: Capture) -> None:
    project.items.all().delete()
    run = make_run(project, state=State.FINISHED)
    call_command("preannotate", "fb", "--run", str(run.pk), "--wait")
    assert "Nothing to do. No item matches the filters." in capsys.readouterr().out


# --- progress ---------------------------------------------------------------------------------------------------------
def test_progress_is_a_line_each_time_until_the_work_is_over(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    run, lines = make_run(project), list[str]()
    make_jobs(run, done=2, pending=3, cancelled=1)
    answers = iter([False, False, True])
    closed: list[bool] = []
    monkeypatch.setattr(run_command, "connections", SimpleNamespace(close_all=lambda: closed.append(True)))
    run_command._tell(run, SimpleNamespace(wait=lambda _seconds: next(answers)), lines.append)  # type: ignore[arg-type]
    assert len(lines) == 2
    assert lines[0].startswith(f"run {run.pk}: 6 jobs, 2 done, 0 failed, 3 open, 1 cancelled, 0 calls, $0.0000")
    assert closed == [True]
