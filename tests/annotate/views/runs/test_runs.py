import re
from typing import Any

import pytest
from django.test import Client

from annotate.models import Item, Job, Run
from annotate.services.runs.jobs import PAGE
from tests.support.pages import following, html_of, said
from tests.support.people import make_project
from tests.support.reviews import Case, make_case
from tests.support.runs import make_call, make_endpoint, make_jobs, make_run

pytestmark = pytest.mark.django_db
RUNS = "/p/fb/runs/"
PARTS = {"HX-Request": "true"}
EVERY_STATE = ["planning", "planned", "running", "paused", "cancelled", "finished"]


@pytest.fixture
def case() -> Case:
    return make_case()


@pytest.fixture
def lead(client: Client, case: Case) -> Client:
    client.force_login(case.lead)
    return client


@pytest.fixture
def run(case: Case) -> Run:
    """One in the middle of its work."""
    made = make_run(case.project, created_by=case.lead, calls=9, budget="12", cost="6.84")
    make_jobs(made, done=3, leased=1, pending=4, causes={"timeout": 2, "wrong_shape": 1})
    return made


# --- who ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("role", ["viewer", "annotator", "reviewer"])
def test_runs_are_for_leads(client: Client, case: Case, run: Run, role: str) -> None:
    client.force_login(getattr(case, role))
    job = run.jobs.all()[0]
    for address in (RUNS, f"{RUNS}new/", f"{RUNS}{run.pk}/", f"{RUNS}{run.pk}/jobs/", f"/p/fb/jobs/{job.pk}/"):
        assert client.get(address).status_code == 403


def test_a_stranger_finds_nothing(client: Client, case: Case, run: Run) -> None:
    client.force_login(case.stranger)
    for address in (RUNS, f"{RUNS}new/", f"{RUNS}{run.pk}/", f"{RUNS}compare/?run={run.pk}&other={run.pk}"):
        assert client.get(address).status_code == 404


def test_a_run_of_another_project_is_not_there(lead: Client, run: Run) -> None:
    other = make_run(make_project())
    make_jobs(other, done=1)
    job = other.jobs.get()
    for address in (f"{RUNS}{other.pk}/", f"{RUNS}{other.pk}/jobs/", f"/p/fb/jobs/{job.pk}/"):
        assert lead.get(address).status_code == 404
    assert lead.get(f"{RUNS}compare/?run={run.pk}&other={other.pk}").status_code == 404
    for verb in ("start", "pause", "resume", "cancel", "retry", "budget", "reread"):
        assert lead.post(f"{RUNS}{other.pk}/{verb}/").status_code == 404


# --- the list -------------------------------------------------------------------------------------------------------
def test_without_an_endpoint_the_list_says_who_adds_one(lead: Client) -> None:
    text = html_of(lead, RUNS)
    assert "There is no model to ask yet." in text
    assert "Plan a run" not in said(text)


def test_without_a_run_the_list_offers_to_plan_one(lead: Client) -> None:
    make_endpoint()
    text = html_of(lead, RUNS)
    assert "No run yet." in text
    assert f'href="{RUNS}new/"' in text


def test_the_list_says_what_for_where_how_far_and_what_it_cost(lead: Client, case: Case, run: Run) -> None:
    text = said(html_of(lead, RUNS))
    assert f"Run {run.pk} Pre-annotation Running {run.endpoint.name} 11 3 3 $6.84 lead," in text


def test_what_a_simulated_model_did_is_marked_so(lead: Client, case: Case) -> None:
    run = make_run(case.project, endpoint=make_endpoint(simulated=True))
    make_jobs(run, done=1)
    job = run.jobs.get()
    for address in (RUNS, f"{RUNS}{run.pk}/", f"{RUNS}{run.pk}/jobs/", f"/p/fb/jobs/{job.pk}/"):
        assert "</svg>simulated</span>" in html_of(lead, address)


def test_the_list_goes_back_and_forth(lead: Client, case: Case) -> None:
    endpoint = make_endpoint()
    pks = [make_run(case.project, endpoint=endpoint).pk for _ in range(30)]
    first = html_of(lead, RUNS)
    assert listed(first) == pks[:4:-1]
    second = html_of(lead, following(first, "next"))
    assert listed(second) == pks[4::-1]
    assert listed(html_of(lead, following(second, "prev"))) == pks[:4:-1]


def listed(html: str) -> list[int]:
    return [int(pk) for pk in re.findall(r'<a class="row-link num" href="/p/fb/runs/(\d+)/">', html)]


def test_the_list_asks_as_often_for_many_runs_as_for_few(
    lead: Client, case: Case, django_assert_max_num_queries: Any
) -> None:
    endpoint = make_endpoint()
    for _ in range(20):
        make_jobs(make_run(case.project, endpoint=endpoint, created_by=case.lead), done=2, causes={"timeout": 1})
    with django_assert_max_num_queries(8):
        lead.get(RUNS)


# --- the live page --------------------------------------------------------------------------------------------------
def test_the_page_says_how_far_a_run_is(lead: Client, run: Run) -> None:
    text = said(html_of(lead, f"{RUNS}{run.pk}/"))
    assert "3 of 11 jobs done, 27.3 %" in text
    assert "Done 3 In work 1 Failed 3 Waiting 4" in text
    assert "$6.84 of $12.00" in text
    assert "Planned by lead." in text


def test_every_cause_has_its_count_its_remedy_and_its_jobs(lead: Client, run: Run) -> None:
    html = html_of(lead, f"{RUNS}{run.pk}/")
    assert "no answer in time timeout Give the endpoint a longer deadline" in said(html)
    assert f'href="{RUNS}{run.pk}/jobs/?cause=timeout">2' in html
    assert html.index("?cause=timeout") < html.index("?cause=wrong_shape")


@pytest.mark.parametrize(
    ("state", "buttons"),
    [
        ("planning", set()),
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


@pytest.mark.parametrize("state", ["finished", "cancelled"])
def test_a_run_that_is_over_is_not_asked_for_again(lead: Client, case: Case, state: str) -> None:
    run = make_run(case.project, state=state)
    make_jobs(run, done=2)
    html = html_of(lead, f"{RUNS}{run.pk}/")
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
    assert "too few jobs have ended to say" in html_of(lead, f"{RUNS}{run.pk}/")
    make_jobs(run, done=1)
    text = said(html_of(lead, f"{RUNS}{run.pk}/"))
    assert "about $4.00 in all" in text  # 2 USD for 20 jobs, 40 jobs
    assert "At this pace the budget does not last" in text


def test_without_prices_the_page_says_that_nothing_is_counted(lead: Client, case: Case) -> None:
    run = make_run(case.project, endpoint=make_endpoint(price_in=0, price_out=0))
    make_jobs(run, pending=1)
    assert "The endpoint has no prices" in html_of(lead, f"{RUNS}{run.pk}/")


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


# --- its jobs -------------------------------------------------------------------------------------------------------
def test_jobs_are_listed_by_state_and_by_cause(lead: Client, run: Run) -> None:
    assert len(jobs_on(html_of(lead, f"{RUNS}{run.pk}/jobs/"))) == 11
    assert len(jobs_on(html_of(lead, f"{RUNS}{run.pk}/jobs/?state=failed"))) == 3
    assert len(jobs_on(html_of(lead, f"{RUNS}{run.pk}/jobs/?cause=timeout"))) == 2
    assert len(jobs_on(html_of(lead, f"{RUNS}{run.pk}/jobs/?cause=nonsense&state=<b>"))) == 11
    assert "No job is like this now." in html_of(lead, f"{RUNS}{run.pk}/jobs/?state=cancelled")


def jobs_on(html: str) -> list[str]:
    return re.findall(r'<a class="row-link num" href="/p/fb/jobs/\d+/">([^<]+)</a>', html)


def test_pages_of_jobs_keep_their_filter(lead: Client, case: Case) -> None:
    run = make_run(case.project)
    make_jobs(run, done=1, causes={"timeout": PAGE + 2})
    first = html_of(lead, f"{RUNS}{run.pk}/jobs/?cause=timeout")
    assert len(jobs_on(first)) == PAGE
    second = html_of(lead, following(first, "next"))
    assert jobs_on(second) == [f"subject-{PAGE + n:05d}" for n in (1, 2)]
    assert jobs_on(html_of(lead, following(second, "prev"))) == jobs_on(first)


def test_a_job_in_the_list_has_the_sums_of_its_ledger(lead: Client, case: Case) -> None:
    run = make_run(case.project)
    make_jobs(run, done=1)
    job = run.jobs.get()
    make_call(job, step="task")
    make_call(job, step="feedback", cost="0.5", milliseconds=800)
    assert "2 200 · 40 $0.50 2.0 s" in said(html_of(lead, f"{RUNS}{run.pk}/jobs/"))


def test_lists_of_jobs_ask_as_often_for_many_as_for_few(
    lead: Client, case: Case, django_assert_max_num_queries: Any
) -> None:
    run = make_run(case.project)
    make_jobs(run, items=[case.item(f"k-{n}") for n in range(3)], done=200, causes={"timeout": 30})
    for job in run.jobs.all()[:PAGE]:
        make_call(job)
    with django_assert_max_num_queries(7):
        lead.get(f"{RUNS}{run.pk}/jobs/")


def test_the_ledger_shows_every_call_as_it_was(lead: Client, case: Case) -> None:
    run, item = make_run(case.project), case.item("iron")
    make_jobs(run, items=[item], causes={"wrong_shape": 1})
    job = run.jobs.get()
    make_call(job, step="task", attempt=1, cause="not_json", detail="Expecting value", reply="Sure! Here it is")
    make_call(job, step="task", attempt=2)
    make_call(job, step="feedback", cause=None, reply="", milliseconds=None)
    html = html_of(lead, f"/p/fb/jobs/{job.pk}/")
    text = said(html)
    assert f'href="/p/fb/items/{item.pk}/"' in html
    assert "JSON of another shape" in text
    assert "attempt 1 no JSON in the reply" in text
    assert "Expecting value" in text
    assert "Sure! Here it is" in text
    assert "What is wrong here?" in text
    assert "&quot;temperature&quot;: 0.0" in html
    assert "No answer recorded" in text
    assert text.index("attempt 1") < text.index("attempt 2")


ATTACK = '<img src=x onerror="alert(1)"><div hx-get="/accounts/logout/" hx-trigger="load"></div>'


def test_what_a_model_wrote_does_nothing_on_the_page(lead: Client, case: Case) -> None:
    run = make_run(case.project)
    make_jobs(run, causes={"not_json": 1})
    job = run.jobs.get()
    Job.objects.filter(pk=job.pk).update(detail=ATTACK)
    sent = {"messages": [{"role": ATTACK, "content": ATTACK}, ATTACK, {"content": [ATTACK]}], ATTACK: ATTACK}
    make_call(job, reply=ATTACK, detail=ATTACK, request=sent, model=ATTACK, cause="not_json", finish_reason="<b>")
    html = html_of(lead, f"/p/fb/jobs/{job.pk}/") + html_of(lead, f"{RUNS}{run.pk}/jobs/")
    assert "<img" not in html
    assert "<div hx-get" not in html
    assert html.count("hx-disable") == 1


@pytest.mark.parametrize("request_body", [[], "text", None, {"messages": None}, {"messages": [None, 3]}])
def test_a_request_of_any_shape_is_shown(lead: Client, case: Case, request_body: Any) -> None:
    run = make_run(case.project)
    make_jobs(run, done=1)
    make_call(run.jobs.get(), request=request_body if request_body is not None else {})
    html_of(lead, f"/p/fb/jobs/{run.jobs.get().pk}/")


def test_a_long_reply_is_cut_and_says_so(lead: Client, case: Case) -> None:
    run = make_run(case.project)
    make_jobs(run, done=1)
    make_call(run.jobs.get(), reply="x" * 50_001)
    assert "1 more character is not shown." in html_of(lead, f"/p/fb/jobs/{run.jobs.get().pk}/")


# --- where else runs are told of --------------------------------------------------------------------------------------
def test_the_overview_leads_to_runs_under_way(lead: Client, case: Case, run: Run) -> None:
    case.item()
    assert f'href="{RUNS}{run.pk}/"' in html_of(lead, "/p/fb/")
    Run.objects.update(state="finished")
    assert f'href="{RUNS}{run.pk}/"' not in html_of(lead, "/p/fb/")


def test_others_are_not_told_of_runs_on_the_overview(client: Client, case: Case, run: Run) -> None:
    case.item()
    client.force_login(case.reviewer)
    assert "/runs/" not in html_of(client, "/p/fb/")


def test_an_item_leads_to_its_runs(lead: Client, client: Client, case: Case) -> None:
    run, item = make_run(case.project), case.item("iron")
    make_jobs(run, items=[item], causes={"timeout": 1})
    job = run.jobs.get()
    assert f'href="/p/fb/jobs/{job.pk}/"' in html_of(lead, f"/p/fb/items/{item.pk}/")
    client.force_login(case.reviewer)
    assert "/jobs/" not in html_of(client, f"/p/fb/items/{item.pk}/")
    assert Item.objects.count() == 1
