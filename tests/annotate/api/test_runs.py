from typing import Any

import pytest
from django.test import Client

from annotate.models import Endpoint, Item, Run
from tests.support.programs_with_tokens import program
from tests.support.reviews import Case
from tests.support.runs import make_endpoint, make_jobs, make_run

pytestmark = pytest.mark.django_db
RUNS = "/api/v1/projects/fb/runs/"


@pytest.fixture
def endpoint() -> Endpoint:
    return make_endpoint(name="drafts", simulated=True)


def plan(client: Client, **form: Any) -> Any:
    given = {"purpose": "preannotate", "endpoint": "drafts"} | form
    return client.post(RUNS, given, content_type="application/json")


def act(client: Client, run: int, verb: str) -> Any:
    return client.post(f"{RUNS}{run}/{verb}/")


def test_a_run_is_planned_and_nothing_is_sent(lead: Client, case: Case, endpoint: Endpoint) -> None:
    for key in ("a", "b", "c"):
        case.item(key)
    told = plan(lead, budget="1.5", limit=2, items={"state": "ready"})
    assert told.status_code == 201, told.content
    run = told.json()
    assert (run["state"], run["purpose"], run["calls"], run["by"]) == ("planned", "preannotate", 0, "lead")
    assert run["endpoint"] == {"name": "drafts", "model": "draft-m", "simulated": True}
    assert (run["budget"], run["options"]) == ("1.50000000", {"limit": 2, "items": {"state": "ready"}})
    assert Run.objects.get().jobs.count() == 2
    guessed = lead.get(f"{RUNS}{run['id']}/estimate/").json()
    assert (guessed["jobs"], guessed["calls"] > 0, guessed["cost"] is None) == (2, True, False)


def test_a_run_takes_only_items_that_pass_the_filters(lead: Client, case: Case, endpoint: Endpoint) -> None:
    case.item("a")
    Item.objects.filter(pk=case.item("b").pk).update(group="Coding")
    run = plan(lead, items={"group": "Coding"}).json()
    assert [job.item.key for job in Run.objects.get(pk=run["id"]).jobs.all()] == ["b"]


def test_a_run_goes_through_its_states(lead: Client, case: Case, endpoint: Endpoint) -> None:
    case.item()
    run = plan(lead).json()["id"]
    assert [act(lead, run, verb).json()["state"] for verb in ("start", "pause", "resume", "cancel")] == [
        "running",
        "paused",
        "running",
        "cancelled",
    ]


@pytest.mark.parametrize(
    ("state", "verb"),
    [
        ("running", "start"),
        ("planned", "pause"),
        ("running", "resume"),
        ("finished", "cancel"),
        ("cancelled", "retry"),
        ("planned", "retry"),
    ],
)
def test_whoever_is_late_is_told_so(lead: Client, case: Case, state: str, verb: str) -> None:
    run = make_run(case.project, state=state)
    answer = act(lead, run.pk, verb)
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    run.refresh_from_db()
    assert run.state == state


def test_failed_jobs_are_taken_up_again(lead: Client, case: Case) -> None:
    run = make_run(case.project, state="finished")
    make_jobs(run, done=2, causes={"timeout": 3})
    told = act(lead, run.pk, "retry").json()
    assert (told["taken_up"], told["run"]["state"]) == (3, "running")


def test_progress_adds_up(lead: Client, case: Case) -> None:
    run = make_run(case.project, state="paused", calls=9, cost="0.25")
    make_jobs(run, done=2, pending=1, leased=1, causes={"timeout": 3, "empty": 1})
    told = lead.get(f"{RUNS}{run.pk}/progress/").json()
    assert {name: told[name] for name in ("state", "jobs", "done", "failed", "pending", "leased")} == {
        "state": "paused",
        "jobs": 8,
        "done": 2,
        "failed": 4,
        "pending": 1,
        "leased": 1,
    }
    assert (told["causes"], told["calls"], told["cost"]) == ({"timeout": 3, "empty": 1}, 9, "0.25000000")


@pytest.mark.parametrize(
    ("form", "where"),
    [
        ({"purpose": "nothing"}, "purpose"),
        ({"endpoint": "nowhere"}, "endpoint"),
        ({"options": {"nothing": 1}}, "options.nothing"),
        ({"options": []}, "options"),
        ({"items": {"state": "nowhere"}}, "items.state"),
        ({"items": {"password": "x"}}, "items.password"),
        ({"limit": 0}, "limit"),
        ({"budget": -1}, "budget"),
        ({"budget": "NaN"}, "budget"),
        ({"budget": "1e30"}, "budget"),
        ({"state": "running"}, "state"),
        ({"purpose": None}, "purpose"),
    ],
)
def test_a_plan_that_is_not_right_plans_nothing(
    lead: Client, endpoint: Endpoint, form: dict[str, Any], where: str
) -> None:
    answer = plan(lead, **form)
    assert (answer.status_code, answer.json()["where"]) == (422, where), answer.content
    assert not Run.objects.exists()


def test_a_retired_endpoint_is_not_there(lead: Client, endpoint: Endpoint) -> None:
    from django.utils import timezone

    Endpoint.objects.update(retired_at=timezone.now())
    answer = plan(lead)
    assert (answer.status_code, answer.json()["where"]) == (422, "endpoint")


def test_addresses_and_names_of_keys_stay_with_the_administrator(lead: Client, case: Case) -> None:
    run = make_run(case.project, endpoint=make_endpoint(key_env="SECRET_NAME", base_url="http://inside.invalid/v1"))
    told = lead.get(RUNS).content + lead.get(f"{RUNS}{run.pk}/").content
    assert b"SECRET_NAME" not in told
    assert b"inside.invalid" not in told


def test_runs_are_for_leads(case: Case) -> None:
    run = make_run(case.project, state="planned")
    for user in (case.reviewer, case.viewer, case.annotator):
        client = program(case.member(user))
        assert {client.get(path).status_code for path in (RUNS, f"{RUNS}{run.pk}/", f"{RUNS}{run.pk}/progress/")} == {
            403
        }
        assert {act(client, run.pk, verb).status_code for verb in ("start", "cancel", "retry")} == {403}
    run.refresh_from_db()
    assert run.state == "planned"


def test_a_run_of_another_project_is_not_there(lead: Client) -> None:
    from tests.support.people import make_project

    run = make_run(make_project(), state="planned")
    assert lead.get(f"{RUNS}{run.pk}/").status_code == 404
    assert act(lead, run.pk, "start").status_code == 404
