import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotate.models import Run
from annotate.runs import pages
from tests.annotate.pages.runs.conftest import PARTS, RUNS
from tests.support.pages import html_of, said
from tests.support.reviews import Case
from tests.support.runs import make_call, make_endpoint, make_jobs, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def spent(case: Case) -> Run:
    """Two calls of a dollar each, an hour after the start."""
    start = timezone.now() - timedelta(hours=2)
    run = make_run(case.project, state="finished", started_at=start, budget=3)
    make_jobs(run, done=2)
    for job in run.jobs.all():
        make_call(job, cost=1, sent_at=start + timedelta(hours=1))
    return run


def test_the_page_of_a_run_asks_for_its_curve_once_and_by_itself(lead: Client, spent: Run) -> None:
    html = html_of(lead, f"{RUNS}{spent.pk}/")
    assert f'id="spending" hx-get="{RUNS}{spent.pk}/spending/" hx-trigger="load"' in html
    assert "spending" not in html_of(lead, f"{RUNS}{spent.pk}/", headers=PARTS)


def test_the_curve_has_its_budget_and_says_the_same_as_its_table(lead: Client, spent: Run) -> None:
    html = html_of(lead, f"{RUNS}{spent.pk}/spending/", headers=PARTS)
    assert html.strip().startswith('<section class="panel" id="spending"')
    assert 'aria-label="Cost over time: $2.00 for 2 calls' in html
    assert "budget $3.00: hard stop" in html
    assert [f'width="{width}"' in html for width in (640, 340)] == [True, True], "one for screens, one for phones"
    assert re.search(r"2 0 \$2\.00 \$2\.00", said(html))


def test_a_budget_far_away_is_not_drawn(lead: Client, spent: Run) -> None:
    Run.objects.update(budget=100)
    assert "hard stop" not in html_of(lead, f"{RUNS}{spent.pk}/spending/")


def test_without_prices_the_calls_are_drawn(lead: Client, case: Case) -> None:
    run = make_run(case.project, endpoint=make_endpoint(price_in=0, price_out=0))
    make_jobs(run, done=1)
    make_call(run.jobs.get(), cost=0)
    assert 'aria-label="Calls over time: 1' in html_of(lead, f"{RUNS}{run.pk}/spending/")


@pytest.mark.parametrize("started", [None, timezone.now()])
def test_before_anything_is_sent_it_says_so(lead: Client, case: Case, started: Any) -> None:
    run = make_run(case.project, state="planned", started_at=started)
    html = html_of(lead, f"{RUNS}{run.pk}/spending/")
    assert "Nothing sent yet." in html
    assert '<svg class="chart' not in html


def test_the_curve_of_a_watched_run_is_drawn_after_its_first_call_and_at_its_end(lead: Client, case: Case) -> None:
    run = make_run(case.project)
    make_jobs(run, pending=1)
    empty = html_of(lead, f"{RUNS}{run.pk}/spending/", headers=PARTS)
    assert 'hx-trigger="run-went-on from:body, run-ended from:body"' in empty
    assert "HX-Trigger" not in lead.get(f"{RUNS}{run.pk}/", headers=PARTS).headers
    make_call(run.jobs.get(), cost=1)
    Run.objects.update(calls=1)
    assert "run-went-on" in lead.get(f"{RUNS}{run.pk}/", headers=PARTS).headers["HX-Trigger"]
    assert 'hx-trigger="run-ended from:body"' in html_of(lead, f"{RUNS}{run.pk}/spending/", headers=PARTS)
    Run.objects.update(state="finished")
    assert "run-ended" in lead.get(f"{RUNS}{run.pk}/", headers=PARTS).headers["HX-Trigger"]
    assert "hx-trigger" not in html_of(lead, f"{RUNS}{run.pk}/spending/", headers=PARTS)


@pytest.mark.parametrize(
    ("seconds", "ends"),
    [(20, ["22 Nov, 19:53"]), (120, ["22 Nov, 19:53", "19:55"]), (86400, ["22 Nov, 19:53", "23 Nov, 19:53"])],
)
def test_the_ends_of_the_curve_are_never_written_twice(seconds: int, ends: list[str]) -> None:
    began = datetime(2026, 11, 22, 19, 53, 10, tzinfo=UTC)
    with timezone.override("UTC"):
        assert [end for end in pages.end_names(began, began + timedelta(seconds=seconds)) if end] == ends
