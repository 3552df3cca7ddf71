"""The page of explanations that models have read: what, by whom, and what came of each."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotate.models import Job, Project, Run
from judging.models import Verdict
from tests.support.pages import client_of, following, html_of, said
from tests.support.people import make_member, make_project
from tests.support.perturbed import brought, perturbation_project, perturbations, single
from tests.support.runs import make_endpoint, make_run

pytestmark = pytest.mark.django_db
PATH = "/p/fbi/blindspots/explanations/"
MANY = 30


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = perturbation_project()
    brought(made, tmp_path, [single(item, 9, 9) for item in perturbations(made, 3)])
    Verdict.objects.filter(first__author__sort="perturbed").update(reason="Fluent, but Titan is no moon of it.")
    return made


@pytest.fixture
def run(project: Project) -> Run:
    """Of three explanations one names the mistake, one does not, and one could not be read."""
    run = make_run(project, purpose="explanations", endpoint=make_endpoint(name="reader-y", model="reads-well"))
    states = [("done", ""), ("done", ""), ("failed", "not_json")]
    said = Verdict.objects.filter(first__author__sort="perturbed").order_by("pk")
    for verdict, (state, cause), found in zip(said, states, [True, False, None], strict=True):
        Job.objects.create(run=run, subject=f"verdict/{verdict.pk}", item=verdict.item, state=state, cause=cause)
        Verdict.objects.filter(pk=verdict.pk).update(found_in_explanation=found)
    return run


def client(project: Project, role: str = "viewer") -> Client:
    return client_of(make_member(project, role).user)


def test_every_reading_says_what_came_of_it_and_who_read(project: Project, run: Run) -> None:
    told = said(html_of(client(project), PATH))
    assert shown(told) == [1, 1, 1]
    assert "Fluent, but Titan is no moon of it." in told
    assert told.count("read by reader-y") == 3
    assert "reader-y reads-well" in told


def shown(told: str) -> list[int]:
    """How often each of the three stands there, beside once in the form."""
    return [told.count(words) - 1 for words in ("Names the mistake", "Does not name the mistake", "No result")]


@pytest.mark.parametrize(
    ("came", "expected"),
    [("yes", [1, 0, 0]), ("no", [0, 1, 0]), ("failed", [0, 0, 1]), ("\0nonsense", [1, 1, 1])],
)
def test_one_outcome_alone(project: Project, run: Run, came: str, expected: list[int]) -> None:
    assert shown(said(html_of(client(project), PATH, data={"came": came}))) == expected


def test_leads_reach_the_run_and_its_jobs_and_others_do_not(project: Project, run: Run) -> None:
    job = run.jobs.first()
    assert job is not None
    own = [f"/p/fbi/runs/{run.pk}/", f"/p/fbi/jobs/{job.pk}/", "/p/fbi/runs/new/?run-purpose=explanations"]
    assert [address in html_of(client(project, "lead"), PATH) for address in own] == [True] * 3
    assert [address in html_of(client(project), PATH) for address in own] == [False] * 3


def test_one_run_alone(project: Project, run: Run) -> None:
    other = make_run(project, purpose="explanations", endpoint=make_endpoint(name="reader-z"))
    assert "No matching explanations." in html_of(client(project), f"{PATH}?run={other.pk}")
    assert "read by reader-y" in html_of(client(project), f"{PATH}?run={run.pk}")
    assert "read by reader-y" in html_of(client(project), f"{PATH}?run=nonsense")


def test_the_report_leads_here(project: Project, run: Run) -> None:
    whole = html_of(client(project), "/p/fbi/blindspots/")
    assert "1 run has read explanations." in said(whole)
    assert f'href="{PATH}"' in whole


def test_the_next_page_goes_on_where_this_one_ends(project: Project, run: Run) -> None:
    item = run.jobs.first().item
    gone = [Job(run=run, subject=f"verdict/9{n:08d}", item=item, state="done") for n in range(MANY)]
    Job.objects.bulk_create(gone)
    reader = client(project)
    first = html_of(reader, PATH)
    second = html_of(reader, following(first, "next"))
    assert [whole.count('<article class="pair"') for whole in (first, second)] == [25, 8]


def test_who_may_see_it(project: Project, run: Run) -> None:
    expected = {"viewer": 200, "reviewer": 200, "lead": 200, "annotator": 403}
    assert {role: client(project, role).get(PATH).status_code for role in expected} == expected
    assert client(make_project(), "lead").get(PATH).status_code == 404


def test_it_takes_few_queries(
    project: Project, run: Run, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    reader = client(project, "lead")
    reader.get(PATH)
    with django_assert_max_num_queries(12):
        reader.get(PATH)
