import pytest
from django.test import Client

from annotate.models import Project, User
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
NEW = "/projects/new/"
GOOD = {"name": "Second", "slug": "second", "kind": "feedback", "source": ""}


def test_a_project_is_made_by_whoever_leads_one(lead: Client) -> None:
    assert lead.post(NEW, GOOD).headers["location"] == "/p/second/settings/"
    assert Project.objects.get(slug="second").members.get().role == "lead"


def test_a_project_is_made_by_staff(client: Client, case: Case) -> None:
    User.objects.filter(pk=case.stranger.pk).update(is_staff=True)
    client.force_login(case.stranger)
    assert client.post(NEW, GOOD).status_code == 302


@pytest.mark.parametrize("role", ["annotator", "reviewer", "viewer", "stranger"])
def test_others_make_none(client: Client, case: Case, role: str) -> None:
    client.force_login(getattr(case, role))
    assert client.get(NEW).status_code == 403
    assert client.post(NEW, GOOD).status_code == 403
    assert NEW not in client.get("/projects/").content.decode()


@pytest.mark.parametrize(
    "bad", [{"slug": "fb"}, {"slug": "no spaces"}, {"kind": "nonsense"}, {"kind": ""}, {"name": ""}]
)
def test_a_bad_form_makes_nothing(lead: Client, bad: dict[str, str]) -> None:
    assert lead.post(NEW, GOOD | bad).status_code == 422
    assert Project.objects.count() == 1


def test_a_copy_is_made_of_a_project_one_leads(lead: Client, case: Case) -> None:
    Project.objects.update(lease_minutes=7)
    lead.post(NEW, GOOD | {"kind": "", "source": case.project.pk, "with_people": "on"})
    copy = Project.objects.get(slug="second")
    assert (copy.lease_minutes, copy.members.count()) == (7, 4)


def test_settings_of_other_peoples_projects_are_not_copied(client: Client, case: Case) -> None:
    User.objects.filter(pk=case.stranger.pk).update(is_staff=True)
    client.force_login(case.stranger)
    answer = client.post(NEW, GOOD | {"source": case.project.pk})
    assert answer.status_code == 422
    assert "Feedback</option>" not in answer.content.decode()


def test_the_list_shows_only_ones_own_projects(client: Client, case: Case) -> None:
    Project.objects.create(slug="theirs", name="Secret project", kind_slug="feedback")
    client.force_login(case.annotator)
    text = client.get("/projects/").content.decode()
    assert 'href="/p/fb/"' in text
    assert "Secret project" not in text


def test_who_is_in_no_project_is_told(client: Client, case: Case) -> None:
    client.force_login(case.stranger)
    assert "No projects yet" in client.get("/projects/").content.decode()
