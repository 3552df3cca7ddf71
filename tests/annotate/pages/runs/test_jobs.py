import re
from typing import Any

import pytest
from django.test import Client

from annotate.models import Job, Run
from annotate.runs.queries import PAGE
from tests.annotate.pages.runs.conftest import RUNS
from tests.support.pages import following, html_of, said
from tests.support.reviews import Case
from tests.support.runs import make_call, make_jobs, make_run

pytestmark = pytest.mark.django_db


def test_jobs_are_listed_by_state_and_by_cause(lead: Client, run: Run) -> None:
    assert len(jobs_on(html_of(lead, f"{RUNS}{run.pk}/jobs/"))) == 11
    assert len(jobs_on(html_of(lead, f"{RUNS}{run.pk}/jobs/?state=failed"))) == 3
    assert len(jobs_on(html_of(lead, f"{RUNS}{run.pk}/jobs/?cause=timeout"))) == 2
    assert len(jobs_on(html_of(lead, f"{RUNS}{run.pk}/jobs/?cause=nonsense&state=<b>"))) == 11
    assert "No matching jobs." in html_of(lead, f"{RUNS}{run.pk}/jobs/?state=cancelled")


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


def test_the_way_to_a_job_names_the_list_of_runs_once(lead: Client, case: Case) -> None:
    run = make_run(case.project)
    make_jobs(run, done=1)
    for address in (f"{RUNS}{run.pk}/jobs/", f"/p/fb/jobs/{run.jobs.get().pk}/"):
        trail, page = html_of(lead, address).split('id="trail"')[1].split("</main>")[0].split("</nav>", 1)
        assert f'href="{RUNS}"' in trail
        assert f'href="{RUNS}"' not in page


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
    assert "JSON in the wrong shape" in text
    assert "attempt 1 no JSON in the reply" in text
    assert "Expecting value" in text
    assert "Sure! Here it is" in text
    assert "What is wrong here?" in text
    assert "&quot;temperature&quot;: 0.0" in html
    assert "No reply recorded" in text
    assert text.index("attempt 1") < text.index("attempt 2")


def test_a_call_reads_as_a_conversation_and_its_json_is_laid_out(lead: Client, case: Case) -> None:
    run = make_run(case.project)
    make_jobs(run, done=1)
    said_before = [{"role": "system", "content": "You judge."}, {"role": "user", "content": "What is wrong?"}]
    raw = '{"feedback":"Zu viel.","score":3}'
    call = make_call(run.jobs.get(), request={"messages": said_before, "model": "m"}, reply=raw)
    html = html_of(lead, f"/p/fb/jobs/{call.job_id}/")
    assert "Instructions to the model You judge. User message What is wrong?" in said(html)
    assert "{\n  &quot;feedback&quot;: &quot;Zu viel.&quot;,\n  &quot;score&quot;: 3\n}" in html
    assert f'id="reply-{call.pk}" dir="auto" tabindex="0">{raw.replace(chr(34), "&quot;")}</pre>' in html
    assert f'data-copy="reply-{call.pk}"' in html
    assert f'data-copy="request-{call.pk}"' in html


def test_leads_are_not_told_the_names_of_keys(lead: Client, case: Case) -> None:
    run = make_run(case.project)
    make_jobs(run, causes={"no_key": 1})
    detail = "The environment variable SECRET_OF_THE_HOUSE is not set where the worker runs."
    run.jobs.update(detail=detail)
    make_call(run.jobs.get(), cause="no_key", detail=detail, reply="")
    for address in (f"/p/fb/jobs/{run.jobs.get().pk}/", f"{RUNS}{run.pk}/jobs/", f"{RUNS}{run.pk}/"):
        assert "SECRET_OF_THE_HOUSE" not in html_of(lead, address)
    assert "An administrator can set it." in html_of(lead, f"{RUNS}{run.pk}/jobs/")


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


def test_every_call_of_a_long_job_is_on_one_of_its_pages(lead: Client, case: Case) -> None:
    run = make_run(case.project)
    make_jobs(run, done=1)
    job = run.jobs.get()
    for number in range(52):
        make_call(job, step=f"step-{number:02d}")
    first = html_of(lead, f"/p/fb/jobs/{job.pk}/")
    second = html_of(lead, f"/p/fb/jobs/{job.pk}/{following(first, 'next')}")
    steps = [set(re.findall(r"step-\d\d", html)) for html in (first, second)]
    assert [len(part) for part in steps] == [50, 2]
    assert len(steps[0] | steps[1]) == 52
