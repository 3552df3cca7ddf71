import pytest
from django.test import Client

from annotate.models import Run
from tests.annotate.pages.runs.conftest import RUNS
from tests.support.people import make_project
from tests.support.reviews import Case
from tests.support.runs import make_jobs, make_run

pytestmark = pytest.mark.django_db


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
