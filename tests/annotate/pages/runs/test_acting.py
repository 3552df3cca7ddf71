from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotate.models import Endpoint, Job, Run
from tests.annotate.pages.runs.conftest import RUNS
from tests.support.pages import html_of, said
from tests.support.reviews import Case
from tests.support.runs import make_jobs, make_run

pytestmark = pytest.mark.django_db


def running(case: Case, **columns: Any) -> Run:
    run = make_run(case.project, **columns)
    make_jobs(run, done=1, pending=2, causes={"timeout": 2})
    return run


def state_of(run: Run) -> str:
    run.refresh_from_db()
    return run.state


@pytest.mark.parametrize(
    ("before", "verb", "after"),
    [
        ("planned", "start", "running"),
        ("running", "pause", "paused"),
        ("paused", "resume", "running"),
        ("running", "cancel", "cancelled"),
        ("paused", "cancel", "cancelled"),
        ("planned", "cancel", "cancelled"),
    ],
)
def test_a_step_leads_on(lead: Client, case: Case, before: str, verb: str, after: str) -> None:
    run = running(case, state=before)
    answer = lead.post(f"{RUNS}{run.pk}/{verb}/")
    assert (answer.status_code, answer["Location"]) == (302, f"{RUNS}{run.pk}/")
    assert state_of(run) == after


@pytest.mark.parametrize(
    ("before", "verb"),
    [
        ("running", "start"),
        ("finished", "pause"),
        ("paused", "pause"),
        ("running", "resume"),
        ("cancelled", "resume"),
        ("finished", "cancel"),
        ("planned", "retry"),
        ("cancelled", "retry"),
        ("running", "reread"),
    ],
)
def test_whoever_is_late_is_told_how_it_stands(lead: Client, case: Case, before: str, verb: str) -> None:
    run = running(case, state=before)
    answer = lead.post(f"{RUNS}{run.pk}/{verb}/")
    assert answer.status_code == 409
    assert f"The run is now “{run.get_state_display()}”, so this is not possible." in answer.content.decode()
    assert f'href="{RUNS}{run.pk}/"' in answer.content.decode()
    assert state_of(run) == before


def test_looking_does_nothing(lead: Client, case: Case) -> None:
    run = running(case)
    for verb in ("start", "pause", "resume", "retry"):
        assert lead.get(f"{RUNS}{run.pk}/{verb}/").status_code == 405
    assert "Cancel this run?" in html_of(lead, f"{RUNS}{run.pk}/cancel/")
    assert state_of(run) == "running"


def test_cancelling_a_plan_is_called_discarding(lead: Client, case: Case) -> None:
    run = running(case, state="planned")
    assert "Discard this plan?" in html_of(lead, f"{RUNS}{run.pk}/cancel/")


def test_a_retry_takes_up_the_failed_jobs_only(lead: Client, case: Case) -> None:
    run = running(case, state="finished", ended_at=timezone.now())
    text = said(html_of(lead, lead.post(f"{RUNS}{run.pk}/retry/")["Location"]))
    assert "2 failed jobs are retried." in text
    assert state_of(run) == "running"
    assert dict(Job.objects.filter(run=run).values_list("subject", "state"))["subject-00000"] == "done"


def test_a_retry_for_one_cause_leaves_the_others_failed(lead: Client, case: Case) -> None:
    run = make_run(case.project, state="finished", ended_at=timezone.now())
    make_jobs(run, done=1, causes={"timeout": 2, "wrong_shape": 3})
    html = html_of(lead, lead.post(f"{RUNS}{run.pk}/retry/", {"cause": "timeout"})["Location"])
    assert "2 failed jobs are retried." in said(html)
    assert list(run.jobs.filter(state="failed").values_list("cause", flat=True)) == ["wrong_shape"] * 3
    assert run.jobs.filter(state="pending").count() == 2
    assert 'id="retry-wrong_shape"' in html
    assert 'id="retry-timeout"' not in html


def test_a_retry_for_a_cause_that_nothing_failed_for_any_more_changes_nothing(lead: Client, case: Case) -> None:
    run = running(case, state="finished")
    text = said(html_of(lead, lead.post(f"{RUNS}{run.pk}/retry/", {"cause": "budget"})["Location"]))
    assert "nothing is retried" in text
    assert state_of(run) == "finished"


def test_a_cause_that_there_is_not_is_not_there(lead: Client, case: Case) -> None:
    run = running(case)
    assert lead.post(f"{RUNS}{run.pk}/retry/", {"cause": "weather"}).status_code == 404
    assert run.jobs.filter(state="failed").count() == 2


def test_nothing_is_sent_to_an_endpoint_that_was_retired(lead: Client, case: Case) -> None:
    run = running(case, state="planned")
    Endpoint.objects.update(retired_at=timezone.now())
    answer = lead.post(f"{RUNS}{run.pk}/start/")
    assert answer.status_code == 409
    assert "is retired" in answer.content.decode()
    assert state_of(run) == "planned"


def test_a_budget_is_raised_and_never_lowered(lead: Client, case: Case) -> None:
    run = running(case, budget=Decimal(3), cost=Decimal("2.9"))
    assert "Spent so far: $2.90 of $3.00." in html_of(lead, f"{RUNS}{run.pk}/budget/")
    for bad in ("3", "2", "", "x", "-1"):
        answer = lead.post(f"{RUNS}{run.pk}/budget/", {"budget": bad})
        assert (answer.status_code, Run.objects.get().budget) == (422, 3)
    assert lead.post(f"{RUNS}{run.pk}/budget/", {"budget": "4.5"}).status_code == 302
    assert Run.objects.get().budget == Decimal("4.5")
