import re
from typing import Any

import pytest
from django.test import Client

from annotate.models import Item, Run
from tests.annotate.pages.runs.conftest import RUNS
from tests.support.pages import following, html_of, said
from tests.support.reviews import Case
from tests.support.runs import make_endpoint, make_jobs, make_run

pytestmark = pytest.mark.django_db


def test_without_an_endpoint_the_list_says_who_adds_one(lead: Client) -> None:
    text = html_of(lead, RUNS)
    assert "No model endpoint yet." in text
    assert "Plan a run" not in said(text)


def test_without_a_run_the_list_offers_to_plan_one(lead: Client) -> None:
    make_endpoint()
    text = html_of(lead, RUNS)
    assert "No runs yet." in text
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
