import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotate.models import Job, Pass, Place, Run
from annotate.runs import pages
from tests.annotate.pages.runs.conftest import PARTS, RUNS
from tests.support.pages import html_of, said
from tests.support.reviews import Case
from tests.support.runs import make_call, make_endpoint, make_jobs, make_run

pytestmark = pytest.mark.django_db
EVERY_STATE = ["planning", "planned", "running", "paused", "cancelled", "finished"]


def test_the_page_says_how_far_a_run_is(lead: Client, run: Run) -> None:
    text = said(html_of(lead, f"{RUNS}{run.pk}/"))
    assert "3 of 11 jobs done, 27.3 %" in text
    assert "Done 3 In progress 1 Failed 3 Waiting 4" in text
    assert "$6.84 of $12.00" in text
    assert "Planned by lead." in text


def test_every_cause_has_its_count_its_remedy_and_its_jobs(lead: Client, run: Run) -> None:
    html = html_of(lead, f"{RUNS}{run.pk}/")
    assert "request timed out timeout Raise the endpoint&#x27;s timeout" in said(html)
    assert f'href="{RUNS}{run.pk}/jobs/?cause=timeout">2' in html
    assert html.index("?cause=timeout") < html.index("?cause=wrong_shape")


@pytest.mark.parametrize(
    ("state", "buttons"),
    [
        ("planning", {"cancel"}),
        ("running", {"pause", "cancel", "retry", "budget"}),
        ("paused", {"resume", "cancel", "retry", "budget"}),
        ("finished", {"retry", "budget"}),
        ("cancelled", set()),
    ],
)
def test_only_what_is_possible_in_its_state_is_offered(lead: Client, run: Run, state: str, buttons: set[str]) -> None:
    Run.objects.filter(pk=run.pk).update(state=state)
    html = html_of(lead, f"{RUNS}{run.pk}/")
    offered = {name for name in ("pause", "resume", "cancel", "retry", "budget") if f' id="{name}"' in html}
    assert offered == buttons


def test_the_part_that_changes_stands_alone(lead: Client, run: Run) -> None:
    part = html_of(lead, f"{RUNS}{run.pk}/", headers=PARTS)
    assert part.strip().startswith('<div class="stack stack--wide" id="live"')
    assert "<html" not in part
    assert "3 of 11 jobs done" in said(part)


def seconds(html: str) -> int | None:
    found = re.search(r'data-refresh="(\d+)" hx-get="([^"]+)"', html)
    return int(found[1]) if found else None


def test_as_long_as_nothing_changes_the_page_looks_less_and_less_often(lead: Client, run: Run) -> None:
    address, periods = f"{RUNS}{run.pk}/", []
    for _ in range(8):
        html = html_of(lead, address, headers=PARTS)
        periods.append(seconds(html))
        address = re.findall(r'hx-get="([^"]+)"', html)[0]
    assert periods == [3, 6, 12, 24, 30, 30, 30, 30]
    Job.objects.filter(run=run, state="pending").first().delete()  # type: ignore[union-attr]
    assert seconds(html_of(lead, address, headers=PARTS)) == 3


@pytest.mark.parametrize("seen", ["", "x", "-", "abc-99999", "-3", "ffffffffffff-²", "a" * 300])
def test_whatever_was_seen_before_the_page_is_shown(lead: Client, run: Run, seen: str) -> None:
    assert seconds(html_of(lead, f"{RUNS}{run.pk}/", headers=PARTS, data={"seen": seen})) == 3


def test_when_a_watched_plan_is_ready_its_page_takes_the_place(lead: Client, case: Case) -> None:
    run = make_run(case.project, state="planning", started_at=None)
    make_jobs(run, pending=2)
    html = html_of(lead, f"{RUNS}{run.pk}/", headers=PARTS)
    assert "2 jobs so far." in html
    assert seconds(html) == 3
    Run.objects.update(state="planned")
    answer = lead.get(f"{RUNS}{run.pk}/", headers=PARTS)
    assert (answer.headers["HX-Refresh"], answer.content) == ("true", b"")
    assert "This is a preview." in html_of(lead, f"{RUNS}{run.pk}/")


def test_a_run_that_could_not_be_planned_says_why(lead: Client, case: Case) -> None:
    run = make_run(case.project, state="cancelled")
    Pass.objects.create(run=run, sort="planning", detail="died", ended_at=timezone.now())
    assert "It could not be planned. The worker crashed on it several times" in said(html_of(lead, f"{RUNS}{run.pk}/"))


@pytest.mark.parametrize("state", ["finished", "cancelled"])
def test_a_run_that_is_over_is_not_asked_for_again(lead: Client, case: Case, state: str) -> None:
    run = make_run(case.project, state=state)
    make_jobs(run, done=2)
    html = html_of(lead, f"{RUNS}{run.pk}/", headers=PARTS)
    assert seconds(html) is None
    assert "hx-get" not in html


def test_a_cancelled_run_is_watched_until_nothing_is_in_flight(lead: Client, case: Case) -> None:
    run = make_run(case.project, state="cancelled")
    make_jobs(run, leased=1)
    assert seconds(html_of(lead, f"{RUNS}{run.pk}/")) == 3


@pytest.mark.parametrize("state", EVERY_STATE)
@pytest.mark.parametrize("jobs", [0, 3])
def test_every_state_has_its_page(lead: Client, case: Case, state: str, jobs: int) -> None:
    run = make_run(case.project, state=state)
    make_jobs(run, pending=jobs)
    assert "Pre-annotation" in html_of(lead, f"{RUNS}{run.pk}/")


def test_a_forecast_is_made_when_enough_jobs_have_ended(lead: Client, case: Case) -> None:
    run = make_run(case.project, cost="2", calls=20, budget="3")
    make_jobs(run, done=19, pending=20)
    assert "too few jobs have finished to tell" in html_of(lead, f"{RUNS}{run.pk}/")
    make_jobs(run, done=1)
    text = said(html_of(lead, f"{RUNS}{run.pk}/"))
    assert "about $4.00 in total" in text  # 2 USD for 20 jobs, 40 jobs
    assert "At this pace the budget will run out" in text


def test_without_prices_the_page_says_that_nothing_is_counted(lead: Client, case: Case) -> None:
    run = make_run(case.project, endpoint=make_endpoint(price_in=0, price_out=0))
    make_jobs(run, pending=1)
    assert "The endpoint has no prices" in html_of(lead, f"{RUNS}{run.pk}/")


def test_jobs_of_a_worker_that_died_are_told_of_and_no_time_is_promised(lead: Client, case: Case) -> None:
    run = make_run(case.project, calls=30)
    make_jobs(run, done=20, leased=2)
    make_call(run.jobs.filter(state="done")[0])
    told = "held by a worker that does not respond"
    assert f"2 running jobs are {told}" in said(html_of(lead, f"{RUNS}{run.pk}/"))
    assert " left" not in said(html_of(lead, f"{RUNS}{run.pk}/"))
    for job in run.jobs.filter(state="leased"):
        soon = timezone.now() + timezone.timedelta(minutes=1)
        Place.objects.create(endpoint=run.endpoint, worker=job.token, count=1, lease_until=soon)
    text = said(html_of(lead, f"{RUNS}{run.pk}/"))
    assert told not in text
    assert " left" in text
    Place.objects.update(lease_until=timezone.now() - timezone.timedelta(seconds=1))
    assert told in said(html_of(lead, f"{RUNS}{run.pk}/"))


def test_with_a_budget_that_is_used_up_it_is_raised_before_anything_is_retried(lead: Client, case: Case) -> None:
    run = make_run(case.project, state="finished", budget=2, cost=2, calls=9)
    make_jobs(run, done=1, causes={"budget": 3, "timeout": 1})
    html = html_of(lead, f"{RUNS}{run.pk}/")
    assert 'id="budget"' in html
    assert 'id="retry' not in html
    assert "Raise it first, then retry the failed jobs." in said(html)
    Run.objects.update(budget=3)
    html = html_of(lead, f"{RUNS}{run.pk}/")
    assert 'id="retry-budget"' in html
    assert "Raise it first" not in html


@pytest.mark.parametrize(
    ("cause", "detail", "words", "remedy"),
    [
        (
            "unauthorised",
            "Status 401: No such key.",
            "key refused. The service refused the request with status 401 and said: No such key.",
            "The service rejects this key, or the account has no credit left.",
        ),
        (
            "budget",
            "The budget of 2 USD is used up. The next call may cost 0.4 USD.",
            "budget used up. The rest of the budget of $2 is less than the next call may cost: up to $0.4.",
            "Raise the budget, then resume.",
        ),
    ],
)
def test_a_run_that_paused_by_itself_says_why_and_what_can_be_done(
    lead: Client, case: Case, cause: str, detail: str, words: str, remedy: str
) -> None:
    run = make_run(case.project, state="paused", cause=cause, detail=detail, budget=2, cost="1.7", reserved="0.2")
    make_jobs(run, done=1, pending=9)
    html = html_of(lead, f"{RUNS}{run.pk}/")
    text = said(html)
    assert f"The run paused automatically: {words} {remedy}" in text
    assert "$0.20 maximum, for calls in flight" in text
    assert 'id="resume"' in html
    Run.objects.update(state="running")
    assert 'id="why-halted"' not in html_of(lead, f"{RUNS}{run.pk}/")


def test_where_the_service_does_not_limit_replies_the_budget_is_no_promise(
    lead: Client, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(case.project, budget=2)
    assert 'id="not-promised"' not in html_of(lead, f"{RUNS}{run.pk}/")
    monkeypatch.setattr(pages, "cap_is_kept", lambda _endpoint: False)
    assert "the run may exceed its budget" in said(html_of(lead, f"{RUNS}{run.pk}/"))


def test_the_page_takes_ten_queries_at_most_before_anything_has_ended(
    lead: Client, case: Case, django_assert_max_num_queries: Any
) -> None:
    run = make_run(case.project, created_by=case.lead)
    make_jobs(run, items=[case.item()], leased=4)
    make_call(run.jobs.all()[0], cause=None)
    with django_assert_max_num_queries(10):
        html_of(lead, f"{RUNS}{run.pk}/")


@pytest.mark.parametrize("htmx", [False, True])
def test_the_page_takes_ten_queries_at_most_however_large_the_run(
    lead: Client, case: Case, htmx: bool, django_assert_max_num_queries: Any
) -> None:
    small, large = (make_run(case.project, created_by=case.lead, calls=9) for _ in range(2))
    make_jobs(small, done=5, leased=1, pending=3, causes={"timeout": 1})
    make_jobs(large, done=10_000, leased=16, pending=9_000, causes={"timeout": 900, "budget": 84})
    for run in (small, large):
        make_call(run.jobs.filter(state="leased")[0])
    counts = []
    for run in (small, large):
        with django_assert_max_num_queries(10) as asked:
            html_of(lead, f"{RUNS}{run.pk}/", headers=PARTS if htmx else {})
        counts.append(len(asked))
    assert counts[0] == counts[1]
