import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotate.models import User
from annotate.review import decisions
from tests.support.desks import Worker, colleague, worker
from tests.support.people import make_member, make_project
from tests.support.reviews import make_case

pytestmark = pytest.mark.django_db


def home(ada: Worker) -> str:
    return ada.client.get("/").content.decode()


def test_home_needs_an_account(client: Client) -> None:
    assert client.get("/").headers["Location"].startswith("/accounts/login/")


def test_somebody_without_a_project_is_told_how_to_get_into_one(client: Client) -> None:
    client.force_login(User.objects.create_user("new"))
    assert "You are not in a project yet" in client.get("/").content.decode()


def test_the_next_step_is_on_the_page() -> None:
    ada = worker(items=2)
    assert f'action="{ada.address("work_next")}"' in home(ada)
    slot = ada.opened()
    assert "Continue" in home(ada)
    ada.post("work_submit", slot, confirm="1")
    assert "1 item submitted" in home(ada)


def test_where_nothing_is_open_the_reason_is_one_click_away() -> None:
    assert "No items available · Why?" in home(worker(items=0))


def test_a_paused_project_says_why_and_whom_to_ask() -> None:
    ada = worker()
    lead = make_member(ada.project, "lead").user
    ada.project.paused_at, ada.project.paused_by, ada.project.paused_reason = timezone.now(), lead, "Guidelines change."
    ada.project.save()
    page = home(ada)
    assert "Guidelines change." in page
    assert f"Ask {lead}." in page
    assert ada.address("work_next") not in page


def test_what_came_back_is_announced() -> None:
    case = make_case()
    review = case.under_review()
    decisions.send_back(
        review=review, token=review.slot.token, by=case.reviewer, reasons=[decisions.Reason("", "Too harsh.")]
    )
    client = Client()
    client.force_login(case.annotator)
    assert "1 item was returned or assigned to you" in client.get("/").content.decode()


def test_loose_drafts_are_counted() -> None:
    ada = worker()
    slot = ada.opened()
    ada.post("work_release", slot, feedback="Mine.")
    assert "1 unfinished draft" in home(ada)


def test_a_reviewer_is_led_to_the_reviews_and_a_viewer_to_the_overview() -> None:
    project = worker().project
    assert "No reviews waiting" in home(colleague(project, "reviewer"))
    viewer = home(colleague(project, "viewer"))
    assert "Overview" in viewer
    assert f"/p/{project.slug}/work/next/" not in viewer


@pytest.mark.parametrize("projects", [1, 12])
def test_the_number_of_projects_costs_no_queries(
    projects: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    ada = worker()
    for _ in range(projects - 1):
        ada.member.pk = None
        ada.member.project = make_project()
        ada.member.save(force_insert=True)
    with django_assert_max_num_queries(7):
        home(ada)
