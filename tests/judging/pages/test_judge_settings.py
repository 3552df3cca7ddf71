import csv
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Job, Project, Run
from judging.answers.cases import case_of
from judging.models import Verdict
from tests.support.desks import colleague
from tests.support.judged import answer_of
from tests.support.pages import html_of, said
from tests.support.people import make_project
from tests.support.runs import make_endpoint
from tests.support.use_cases import decided_case, use_case_project

pytestmark = pytest.mark.django_db
PAGE = "/p/urs/judge-settings/"
FORM: dict[str, Any] = {"size": 4, "seed": 7, "authors": ["good", "poor"]}


@pytest.fixture
def project() -> Project:
    return use_case_project(slug="urs")


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def answered(project: Project, cases: int = 6) -> None:
    for number in range(cases):
        item = decided_case(project, ("Leisure", "API")[number % 2])
        for author in ("ref-a", "ref-b", "good", "poor"):
            answer_of(item, author)


def rows(*pairs: tuple[str, str]) -> dict[str, str]:
    found = {}
    for number, (judge, reference) in enumerate(pairs, 1):
        found |= {f"judge_{number}": judge, f"reference_{number}": reference}
    return found


def planned(lead: Client, *pairs: tuple[str, str], **changes: Any) -> list[Run]:
    assert lead.post(f"{PAGE}plan/", FORM | rows(*pairs) | changes).status_code == 302
    return list(Run.objects.order_by("pk"))


def scored(runs: list[Run], **shift: float) -> None:
    """A verdict for every job: 8 for the good one, 5 for the poor one, and what each reference adds."""
    for job in Job.objects.filter(run__in=runs).select_related("run", "item__base", "item__project"):
        assert job.item is not None
        case = case_of(job.item)
        assert case is not None
        answer = job.item.answers.select_related("author").get(pk=job.subject.split("/")[1])
        score = (8 if answer.author.name == "good" else 5) + shift.get(job.run.options["reference"][-1], 0)
        columns = {"judge_id": job.run.judge_run.judge_id, "item": job.item, "first": answer, "job": job}
        Verdict.objects.create(case_sha=case.judged.sha256, score_first=score + job.item.pk % 2, **columns)
        Job.objects.filter(pk=job.pk).update(state="done")


def test_a_lead_plans_and_starts_settings(project: Project, lead: Client) -> None:
    answered(project)
    make_endpoint(name="one", model="judge-m")
    assert "No settings are planned yet" in html_of(lead, PAGE)
    first, second = planned(lead, ("one", "ref-a"), ("one", "ref-b"))
    assert (first.state, second.state, first.jobs.count()) == ("planned", "planned", 8)
    page = said(html_of(lead, PAGE))
    assert "4 cases, drawn with seed 7" in page
    assert "16 jobs are still open" in page
    run = html_of(lead, f"/p/urs/runs/{first.pk}/")
    assert "4 cases, drawn with seed 7" in said(run)
    assert "sample=" not in run  # no link carries the cases of a sample
    assert lead.post(f"{PAGE}start/", {"sample": first.options["sample"]["name"]}).status_code == 302
    assert set(Run.objects.values_list("state", flat=True)) == {"running"}
    assert "Start all" not in html_of(lead, PAGE)
    assert lead.post(f"{PAGE}start/", {"sample": "another"}).status_code == 404


@pytest.mark.parametrize(
    ("pairs", "changes", "why"),
    [
        ([("one", "ref-a")], {}, "This field is required"),
        ([("one", "ref-a"), ("one", "ref-b"), ("one", "")], {}, "A setting needs a judge and a reference"),
        ([("one", "ref-a"), ("one", "ref-b")], {"size": 7}, "6 cases have answers from all authors"),
        ([("one", "ref-a"), ("one", "ref-b")], {"seed": "x"}, "Enter a whole number"),
        ([("one", "ref-a"), ("two", "ref-b")], {}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_planned_is_said_and_plans_nothing(
    project: Project, lead: Client, pairs: list[tuple[str, str]], changes: dict[str, Any], why: str
) -> None:
    answered(project)
    make_endpoint(name="one")
    answer = lead.post(f"{PAGE}plan/", FORM | rows(*pairs) | changes)
    assert answer.status_code == 422
    assert why in said(answer.content.decode())
    assert not Run.objects.exists()


def test_means_ranks_and_differences_stand_beside_each_other(project: Project, lead: Client) -> None:
    answered(project)
    make_endpoint(name="one", model="judge-m")
    scored(planned(lead, ("one", "ref-a"), ("one", "ref-b")), b=1.5)
    html = html_of(lead, PAGE)
    means = said(html.split('id="means"')[1].split('id="ranks"')[0])
    assert "judge-m / ref-a" in means
    assert "Leisure" in means
    ranks = said(html.split('id="ranks"')[1].split('id="differences"')[0])
    assert "1.00" in ranks  # both settings rank the good one first
    assert "+1.50" in ranks
    differences = html.split('id="differences"')[1]
    assert said(differences).count("+1.50") >= 3
    assert "<svg" in differences


def test_runs_about_different_cases_are_refused_on_the_page(project: Project, lead: Client) -> None:
    answered(project)
    make_endpoint(name="one")
    planned(lead, ("one", "ref-a"), ("one", "ref-b"))
    runs = planned(lead, ("one", "ref-a"), ("one", "ref-b"), seed=8)
    html = html_of(lead, f"{PAGE}?run={runs[0].pk}&run={runs[2].pk}")
    assert "use different cases" in said(html)
    assert 'id="means"' not in html
    assert html_of(lead, PAGE).count("<option value=") >= 2  # both samples can be chosen
    assert "is not a judging run of this project" in html_of(lead, f"{PAGE}?run=99999&run=1")


def test_others_read_and_cannot_plan(project: Project, lead: Client) -> None:
    answered(project)
    make_endpoint(name="one")
    planned(lead, ("one", "ref-a"), ("one", "ref-b"))
    reader = colleague(project, "viewer").client
    html = html_of(reader, PAGE)
    assert "judge-settings/plan/" not in html
    assert "judge-settings/start/" not in html
    assert reader.post(f"{PAGE}plan/", FORM).status_code == 403
    assert colleague(project, "annotator").client.get(PAGE).status_code == 403
    stranger = colleague(make_project(slug="fb"), "lead").client
    assert stranger.get(PAGE).status_code == 404
    assert stranger.post("/p/fb/judge-settings/plan/", FORM).status_code == 404


def test_as_many_queries_for_many_cases_and_settings(project: Project, lead: Client) -> None:
    answered(project, 4)
    for name in ("one", "two"):
        make_endpoint(name=name, model=name)
    counts = []
    for pairs in (
        [("one", "ref-a"), ("one", "ref-b")],
        [(name, f"ref-{end}") for name in ("one", "two") for end in "ab"],
    ):
        before = Run.objects.count()
        scored(planned(lead, *pairs)[before:])
        html_of(lead, PAGE)
        with CaptureQueriesContext(connection) as queries:
            html_of(lead, PAGE)
        counts.append(len(queries))
        answered(project, 4)
    assert counts[0] == counts[1] <= 20


def test_the_files_hold_the_means_of_the_chosen_settings(project: Project, lead: Client) -> None:
    assert lead.get(f"{PAGE}judge-settings.csv").status_code == 404  # nothing is planned
    answered(project)
    make_endpoint(name="one", model="judge-m")
    runs = planned(lead, ("one", "ref-a"), ("one", "ref-b"))
    scored(runs, b=1.5)
    assert lead.get(f"{PAGE}judge-settings.json", {"run": runs[0].pk}).status_code == 404  # nothing to compare it with
    value = lead.get(f"{PAGE}judge-settings.json", {"run": [run.pk for run in runs]}).json()
    assert [setting["reference"] for setting in value["settings"]] == ["ref-a", "ref-b"]
    means = list(csv.DictReader(lead.get(f"{PAGE}judge-settings.csv").content.decode("utf-8-sig").splitlines()))
    assert list(means[0]) == ["run", "judge", "reference", "author", "intent", "mean", "low", "high", "n"]
    assert [float(row["mean"]) for row in means] == [row["mean"] for row in value["rows"]]
