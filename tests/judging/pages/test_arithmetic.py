import csv

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Project, Run
from lib.charts.marks import WIDTHS
from lib.stats.arithmetic import chain
from tests.support.desks import colleague
from tests.support.pages import html_of, said
from tests.support.people import make_project
from tests.support.runs import make_endpoint

pytestmark = pytest.mark.django_db
PAGE = "/p/fb/arithmetic/"


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def probed(project: Project, *, right: int, model: str = "model-m", lengths: int = 3, odd: str = "") -> Run:
    """So many of ten sums of each length are right; odd: the reply to the first chain instead."""
    endpoint = make_endpoint(model=model)
    run = Run.objects.create(project=project, purpose="arithmetic", endpoint=endpoint, state="finished")
    for length in range(2, lengths + 1):
        for number in range(1, 11):
            total = sum(chain(1, length, number)) + (0 if number <= right else 1)
            job = run.jobs.create(subject=f"sum/{length}/{number}", state="done")
            reply = odd if odd and number == 1 else f"The sum is {total}."
            job.calls.create(step="sum", attempt=1, digest="0" * 64, request={}, cause="", reply=reply)
    return run


def test_before_anybody_was_asked_the_page_says_so(lead: Client) -> None:
    html = html_of(lead, PAGE)
    assert "No model has been tested yet" in html
    assert 'id="probe-form"' in html


def test_the_newest_run_is_drawn_with_its_longest_and_lengths_two_to_ten(project: Project, lead: Client) -> None:
    older = probed(project, right=7, model="older-m")
    probed(project, right=8, odd="Either 5 or 6.")
    html = html_of(lead, PAGE)
    models = said(html.split('id="models"')[1].split('id="by-length"')[0])
    assert "70.0 %" in models  # of both, for the first chain of the newer is not readable
    assert "model-m" in said(html.split('id="by-length-head"')[1].split("</header>")[0])
    assert "older-m" in said(
        html_of(lead, f"{PAGE}?run={older.pk}").split('id="by-length-head"')[1].split("</header>")[0]
    )
    assert html.split('id="by-length"')[1].split("<table")[0].count('class="chart') == len(WIDTHS)


def test_a_length_opens_its_chains_with_the_replies(project: Project, lead: Client) -> None:
    run = probed(project, right=8, odd="Either 5 or 6.")
    html = html_of(lead, f"{PAGE}?run={run.pk}&length=3")
    chains = said(html.split('id="chains"')[1].split("</table>")[0])
    assert " + ".join(map(str, chain(1, 3, 2))) in chains
    assert (chains.count("not readable"), chains.count("incorrect")) == (1, 2)
    assert "Either 5 or 6." in chains


def test_the_files_hold_the_runs_and_their_lengths(project: Project, lead: Client) -> None:
    assert lead.get(f"{PAGE}arithmetic.json").json()["rows"] == []
    assert len(lead.get(f"{PAGE}arithmetic.csv").content.splitlines()) == 1  # the header
    run = probed(project, right=8)
    value = lead.get(f"{PAGE}arithmetic.json").json()
    assert [(row["run"], [length["right"] for length in row["lengths"]]) for row in value["rows"]] == [(run.pk, [8, 8])]
    rows = list(csv.DictReader(lead.get(f"{PAGE}arithmetic.csv").content.decode("utf-8-sig").splitlines()))
    assert list(rows[0]) == ["run", "model", "simulated", "length", "n", "right", "unparsed", "accuracy", "low", "high"]
    assert [(row["run"], row["length"], row["accuracy"]) for row in rows] == [(str(run.pk), n, "0.8") for n in "23"]
    assert f'href="{PAGE}arithmetic.csv?run={run.pk}"' in html_of(lead, f"{PAGE}?run={run.pk}")


@pytest.mark.parametrize("query", ["run=x", "run=99999", "length=<b>", "length=99"])
def test_strange_words_choose_the_usual(project: Project, lead: Client, query: str) -> None:
    probed(project, right=8)
    html = html_of(lead, f"{PAGE}?{query}")
    assert 'id="by-length"' in html
    assert 'id="chains"' not in html


def test_a_lead_plans_a_run_and_sees_what_it_takes(project: Project, lead: Client) -> None:
    make_endpoint(name="one")
    form = {"endpoint": "one", "seed": 3, "longest": 4, "each": 2, "language": "zh"}
    answer = lead.post(f"{PAGE}plan/", form)
    run = Run.objects.get()
    assert answer["Location"] == f"/p/fb/runs/{run.pk}/"
    assert (run.purpose, run.state, run.jobs.count(), run.options["seed"]) == ("arithmetic", "planned", 6, 3)
    page = said(html_of(lead, answer["Location"]))
    assert "Arithmetic probe" in page
    assert "nothing to ask about them" not in page
    assert "Longest chain 4" in page
    refused = lead.post(f"{PAGE}plan/", form | {"longest": 1})
    assert refused.status_code == 422
    assert Run.objects.count() == 1
    assert colleague(project, "reviewer").client.post(f"{PAGE}plan/", form).status_code == 403


def test_as_many_queries_for_many_runs(project: Project, lead: Client) -> None:
    counts = []
    for _time in range(2):
        probed(project, right=9)
        html_of(lead, PAGE)
        with CaptureQueriesContext(connection) as queries:
            html_of(lead, PAGE)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20
