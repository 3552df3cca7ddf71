from decimal import Decimal
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from annotate.models import Endpoint, Item, Run
from annotate.project.actions import create_project
from tests.annotate.pages.runs.conftest import RUNS
from tests.support.pages import client_of, html_of, said
from tests.support.people import make_member
from tests.support.reviews import Case
from tests.support.runs import make_endpoint

pytestmark = pytest.mark.django_db
NEW = f"{RUNS}new/"


@pytest.fixture
def endpoint() -> Endpoint:
    return make_endpoint(name="drafter")


def planned(client: Client, **given: Any) -> HttpResponse:
    return client.post(NEW, {"run-purpose": "preannotate", "run-endpoint": "drafter"} | given)


def items(case: Case) -> list[Item]:
    """One ready, one ready in Chinese, one accepted, one dropped."""
    made = [case.item(key) for key in ("ready", "chinese", "accepted", "dropped")]
    Item.objects.filter(key="chinese").update(language="zh")
    Item.objects.filter(key="accepted").update(state="accepted")
    Item.objects.filter(key="dropped").update(state="dropped", drop_reason="other")
    return made


def test_first_one_chooses_what_for(lead: Client, endpoint: Endpoint) -> None:
    text = html_of(lead, f"{NEW}?state=ready")
    assert "Pre-annotation" in text
    assert f'href="{NEW}?run-purpose=classify&amp;state=ready"' in text


def test_without_an_endpoint_nothing_can_be_planned(lead: Client, case: Case) -> None:
    make_endpoint(name="gone", retired_at=timezone.now())
    assert "No model endpoint yet." in html_of(lead, f"{NEW}?run-purpose=preannotate")
    assert planned(lead, **{"run-endpoint": "gone"}).status_code == 422
    assert not Run.objects.exists()


def test_the_form_takes_over_what_the_address_says(lead: Client, endpoint: Endpoint) -> None:
    make_endpoint(name="another")
    html = html_of(lead, f"{NEW}?run-purpose=preannotate&run-endpoint=drafter&run-budget=7&state=ready")
    assert '<option value="drafter" selected>' in html
    assert 'name="run-budget" value="7"' in html
    assert '<option value="ready" selected>' in html


@pytest.mark.parametrize(
    ("shown_as", "about"),
    [
        ("image", "Items show images, so only endpoints that take images can be used"),
        ("chat", "Endpoints that take images are sent those that transcripts show. The others read the text"),
    ],
)
def test_endpoints_that_take_images_are_marked_where_items_show_some(shown_as: str, about: str) -> None:
    text = f"show: [{{field: shown, as: {shown_as}}}]\nquestions: [{{name: ok, type: choice, options: [good, bad]}}]"
    project = create_project(slug="own", kind="form", definition=text, reviews=0)
    make_endpoint(name="blind", model="m")
    make_endpoint(name="seeing", model="m", takes_images=True)
    page = said(html_of(client_of(make_member(project, "lead").user), "/p/own/runs/new/?run-purpose=preannotate"))
    assert about in page
    assert "blind (m), text only" in page
    assert "seeing (m), takes images" in page


def test_other_kinds_say_nothing_of_images(lead: Client) -> None:
    make_endpoint(name="seeing", takes_images=True)
    assert "images" not in said(html_of(lead, f"{NEW}?run-purpose=preannotate"))


def test_a_plan_without_jobs_says_why(lead: Client, case: Case, endpoint: Endpoint) -> None:
    items(case)
    Item.objects.filter(project=case.project).exclude(state="dropped").update(state="accepted")
    page = html_of(lead, planned(lead)["Location"])
    assert "Already accepted: 3. Dropped: 1." in page


def test_planning_writes_jobs_and_sends_nothing(lead: Client, case: Case, endpoint: Endpoint) -> None:
    items(case)
    answer = planned(lead, **{"run-budget": "2.5", "run-shares_replies": "on"})
    run = Run.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"{RUNS}{run.pk}/")
    assert (run.state, run.budget, run.shares_replies, run.created_by) == ("planned", Decimal("2.5"), True, case.lead)
    assert sorted(run.jobs.values_list("item__key", flat=True)) == ["chinese", "ready"]
    assert run.calls == 0


def test_the_plan_says_what_it_takes_and_what_is_left_out(lead: Client, case: Case, endpoint: Endpoint) -> None:
    items(case)
    planned(lead)
    html = html_of(lead, f"{RUNS}{Run.objects.get().pk}/")
    text = said(html)
    assert "Jobs 2 one an item" in text
    assert "Nothing has been sent. This is a preview." in text
    assert "already accepted 1" in text
    assert '<a class="figure-link" href="/p/fb/items/?state=dropped">1</a>' in html
    assert f'action="{RUNS}{Run.objects.get().pk}/start/"' in html


def test_only_the_items_that_pass_the_filters_get_jobs(lead: Client, case: Case, endpoint: Endpoint) -> None:
    items(case)
    planned(lead, language="zh")
    run = Run.objects.get()
    assert list(run.jobs.values_list("item__key", flat=True)) == ["chinese"]
    assert run.options["items"] == {"language": "zh"}
    html = html_of(lead, f"{RUNS}{run.pk}/")
    assert 'href="/p/fb/items/?language=zh"' in html
    assert "None: every matching item gets a job." in html


def test_a_limit_leaves_the_rest_out(lead: Client, case: Case, endpoint: Endpoint) -> None:
    for n in range(5):
        case.item(f"k-{n}")
    planned(lead, **{"run-limit": "2"})
    run = Run.objects.get()
    assert run.jobs.count() == 2
    assert "over the limit 3" in said(html_of(lead, f"{RUNS}{run.pk}/"))


def test_a_plan_without_jobs_cannot_be_started(lead: Client, case: Case, endpoint: Endpoint) -> None:
    planned(lead)
    html = html_of(lead, f"{RUNS}{Run.objects.get().pk}/")
    assert "There is nothing to start." in html
    assert "/start/" not in html


def test_an_estimate_above_the_budget_is_warned_of(lead: Client, case: Case, endpoint: Endpoint) -> None:
    for n in range(20):
        case.item(f"k-{n}")
    planned(lead, **{"run-budget": "0.01"})
    assert 'id="too-dear"' in html_of(lead, f"{RUNS}{Run.objects.get().pk}/")


def test_a_plan_like_another_begins_with_its_choices(lead: Client, case: Case, endpoint: Endpoint) -> None:
    items(case)
    planned(lead, language="zh", **{"run-budget": "2.50"})
    html = html_of(lead, f"{RUNS}{Run.objects.get().pk}/")
    assert f'href="{NEW}?run-purpose=preannotate&amp;run-endpoint=drafter&amp;language=zh&amp;run-budget=2.5"' in html


@pytest.mark.parametrize(
    "bad",
    [
        {"run-endpoint": "nowhere"},
        {"run-endpoint": ""},
        {"run-limit": "0"},
        {"run-limit": "many"},
        {"run-budget": "-1"},
        {"run-budget": "NaN"},
        {"run-budget": "1e999"},
        {"state": "nonsense"},
        {"since": "yesterday"},
        {"q": "\x00"},
    ],
)
def test_a_bad_plan_is_refused_and_nothing_is_written(
    lead: Client, case: Case, endpoint: Endpoint, bad: dict[str, str]
) -> None:
    case.item()
    answer = planned(lead, **bad)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert not Run.objects.exists()


def test_an_endpoint_that_lost_its_approval_is_refused_with_the_reason(lead: Client, case: Case) -> None:
    make_endpoint(name="drafter", base_url="http://models.example.org/v1", approved=False)
    case.item()
    answer = planned(lead)
    assert answer.status_code == 422
    assert "is not approved" in answer.content.decode()
    assert not Run.objects.exists()


def test_others_plan_nothing(client: Client, case: Case, endpoint: Endpoint) -> None:
    case.item()
    for user, status in ((case.reviewer, 403), (case.viewer, 403), (case.stranger, 404)):
        client.force_login(user)
        assert planned(client).status_code == status
    assert not Run.objects.exists()


def test_the_form_counts_jobs_as_its_purpose_does(lead: Client, endpoint: Endpoint) -> None:
    text = said(html_of(lead, f"{RUNS}new/?run-purpose=preannotate"))
    assert "Job limit" in text
    assert "Planning lists the jobs, one an item." in text
