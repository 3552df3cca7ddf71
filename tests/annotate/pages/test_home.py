import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotate.models import Batch, Precedent, Readiness, User
from annotate.project.home import my_work, waiting_rows
from annotate.review import decisions
from tests.support.desks import Worker, colleague, worker
from tests.support.people import make_item, make_member, make_project
from tests.support.reviews import make_case

pytestmark = pytest.mark.django_db


def home(ada: Worker) -> str:
    return ada.client.get("/").content.decode()


def home_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.get("/").content.decode()


def rows(user: User) -> list[tuple[str, str]]:
    """What waits for this person, with its count as shown."""
    return [(row.what, row.shown_count) for row in waiting_rows(my_work(user))]


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


def test_what_came_back_is_the_most_urgent() -> None:
    case = make_case()
    review = case.under_review()
    decisions.send_back(
        review=review, token=review.slot.token, by=case.reviewer, reasons=[decisions.Reason("", "Too harsh.")]
    )
    make_item(case.project)
    assert rows(case.annotator) == [("returned", "1"), ("items", "1")]


def test_loose_drafts_are_counted() -> None:
    ada = worker()
    slot = ada.opened()
    ada.post("work_release", slot, feedback="Mine.")
    assert rows(ada.member.user) == [("items", "1"), ("drafts", "1")]
    assert f'href="{ada.address("my_drafts")}"' in home(ada)


def test_a_reviewer_is_led_to_the_reviews_and_a_viewer_to_the_overview() -> None:
    case = make_case()
    case.written(case.item())
    assert rows(case.reviewer) == [("reviews", "1")]
    assert rows(case.annotator) == []
    assert rows(case.viewer) == []
    page = home_of(case.viewer)
    assert 'href="/p/fb/"' in page
    assert "/p/fb/work/next/" not in page


def test_what_a_person_holds_is_told_by_stage() -> None:
    case = make_case()
    item = case.item()
    case.written(item)
    case.review(item)
    ada = colleague(case.project)
    make_item(case.project)
    ada.opened()
    assert rows(case.reviewer) == [("held_reviews", "1")]
    assert rows(ada.member.user) == [("held", "1")]


def test_a_lead_is_told_of_questions_and_of_imports_to_confirm() -> None:
    case = make_case()
    Precedent.objects.create(project=case.project, field="feedback", question="May it be short?")
    Batch.objects.create(project=case.project, file_name="rows.jsonl", format="jsonl", state="preview")
    assert rows(case.lead) == [("questions", "1"), ("imports", "1")]
    assert rows(case.reviewer) == []


def test_only_languages_and_groups_of_the_person_are_counted() -> None:
    project = make_project()
    for language, group in (("en", "Maths"), ("en", "History"), ("zh", "Maths")):
        make_item(project, language=language, group=group)
    assert rows(make_member(project).user) == [("items", "3")]
    assert rows(make_member(project, languages=["en"]).user) == [("items", "2")]
    assert rows(make_member(project, languages=["en"], groups=["History"]).user) == [("items", "1")]
    assert rows(make_member(project, languages=["fr"]).user) == []


def test_a_long_queue_is_not_counted_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotate.project.home.COUNTED_AT_MOST", 3)
    assert rows(worker(items=5).member.user) == [("items", "2+")]


def test_whoever_must_calibrate_is_offered_nothing_else() -> None:
    ada = worker(items=2)
    Readiness.objects.create(project=ada.project, calibration_each=1)
    assert rows(ada.member.user) == [("calibration", "")]


def test_one_button_is_the_primary_one() -> None:
    ada = worker(items=2)
    ada.opened()
    make_item(ada.project)
    assert home(ada).count("button--primary") == 1


def test_progress_and_the_steps_of_a_young_project_are_shown() -> None:
    case = make_case()
    review = case.under_review()
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    make_item(case.project)
    page = home_of(case.lead)
    assert "1 of 2 accepted" in page
    assert "4 of 6 steps done" in page
    assert "steps done" not in home_of(case.reviewer)


def test_leads_and_administrators_can_begin_a_project_here(client: Client) -> None:
    case = make_case()
    assert 'href="/projects/new/"' in home_of(case.lead)
    assert 'href="/projects/new/"' not in home_of(case.reviewer)
    admin = User.objects.create_user("admin", is_staff=True)
    page = home_of(admin)
    assert 'class="button button--primary" href="/projects/new/"' in page
    assert "No projects yet" in page


def test_projects_of_others_are_not_shown() -> None:
    ada = worker()
    other = worker(name="Secret project", slug="secret")
    page = home(ada)
    assert "Secret project" not in page
    assert other.project.slug not in page


@pytest.mark.parametrize("role", ["annotator", "lead"])
@pytest.mark.parametrize("projects", [1, 40])
def test_the_number_of_projects_costs_no_queries(
    projects: int, role: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    ada = worker()
    ada.member.role = role
    ada.member.save()
    for _ in range(projects - 1):
        ada.member.pk = None
        ada.member.project = make_project()
        ada.member.save(force_insert=True)
    with django_assert_max_num_queries(9 if role == "annotator" else 10):
        assert home(ada).count('class="project-row"') == projects
