import html

import pytest
from django.test import Client

from annotate.models import Project
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
SETTINGS, PAUSE = "/p/fb/settings/", "/p/fb/pause/"
GOOD = {
    "name": "Feedback",
    "languages": "en",
    "reviews": "1",
    "lease_minutes": "30",
    "blind_share": "0",
    "licence": "",
    "options": "{}",
}


@pytest.mark.parametrize(
    ("role", "status"), [("reviewer", 403), ("annotator", 403), ("viewer", 403), ("stranger", 404)]
)
def test_settings_are_for_leads(client: Client, case: Case, role: str, status: int) -> None:
    client.force_login(getattr(case, role))
    assert client.get(SETTINGS).status_code == status
    assert client.post(SETTINGS, GOOD).status_code == status
    assert client.post(PAUSE, {"reason": "x"}).status_code == status
    assert not Project.objects.get(slug="fb").paused


def test_settings_are_stored(lead: Client) -> None:
    said = GOOD | {
        "name": "New name",
        "languages": "en，zh",
        "reviews": "0",
        "lease_minutes": "5",
        "blind_share": "0.25",
        "waits_for_suggestion": "on",
        "licence": "CC BY 4.0",
        "options": '{"weight_tolerance": 0.01}',
    }
    assert lead.post(SETTINGS, said).status_code == 302
    project = Project.objects.get(slug="fb")
    assert (project.name, project.languages, project.reviews) == ("New name", ["en", "zh"], 0)
    assert (project.lease_minutes, float(project.blind_share), project.waits_for_suggestion) == (5, 0.25, True)
    assert (project.licence, project.options) == ("CC BY 4.0", {"weight_tolerance": 0.01})


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"name": ""}, "required"),
        ({"reviews": "3"}, "valid choice"),
        ({"overlap": "0"}, "greater than or equal to 1"),
        ({"overlap": "2"}, "Either several people write"),
        ({"second_share": "1.1"}, "less than or equal to 1"),
        ({"overlap_share": "x"}, "Enter a number"),
        ({"lease_minutes": "0"}, "greater than or equal to 1"),
        ({"blind_share": "1.5"}, "less than or equal to 1"),
        ({"options": "{"}, "valid JSON"),
        ({"options": "[1]"}, "Enter a JSON object"),
        ({"options": '{"colour": 1}'}, "colour"),
        ({"options": '{"tasks": {"A": "B"}}'}, "tasks.A"),
    ],
)
def test_bad_settings_are_told_and_not_stored(lead: Client, bad: dict[str, str], told: str) -> None:
    answer = lead.post(SETTINGS, GOOD | {"name": "Changed"} | bad)
    assert answer.status_code == 422
    assert told in answer.content.decode()
    assert Project.objects.get(slug="fb").name == "Feedback"


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("preference", '{"criteria": ["Truth"]}', "criteria: is not an option of this kind; it has: apart."),
        ("feedback", '{"colour": 1}', "colour: is not an option of this kind; it has: tasks, error_types, "),
        ("perturbation", '{"wanted": -1}', "wanted: "),
    ],
)
def test_errors_of_options_speak_of_options_and_name_those_there_are(
    lead: Client, kind: str, options: str, message: str
) -> None:
    Project.objects.update(kind_slug=kind)
    text = html.unescape(lead.post(SETTINGS, GOOD | {"options": options}).content.decode())
    assert message in text
    assert "is not a field of this kind" not in text
    assert "provenance" not in text


def test_options_that_cannot_be_read_stay_in_the_form(lead: Client) -> None:
    assert "{&quot;a&quot;: oops" in lead.post(SETTINGS, GOOD | {"options": '{"a": oops'}).content.decode()


def test_an_overlapped_project_has_no_reviews(lead: Client) -> None:
    Project.objects.update(overlap=2, reviews=0)
    assert lead.post(SETTINGS, GOOD | {"reviews": "1"}).status_code == 422


def test_pausing_and_resuming(lead: Client) -> None:
    lead.post(PAUSE, {"reason": "New rules"})
    project = Project.objects.get(slug="fb")
    assert (project.paused_reason, project.paused_by and project.paused_by.username) == ("New rules", "lead")
    assert "New rules" in lead.get(SETTINGS).content.decode()
    lead.post(PAUSE, {"resume": "1"})
    assert not Project.objects.get(slug="fb").paused


def test_pausing_without_a_reason_is_refused(lead: Client) -> None:
    answer = lead.post(PAUSE, {"reason": " "}, follow=True)
    assert "Give a reason" in answer.content.decode()
    assert not Project.objects.get(slug="fb").paused


def test_pausing_is_no_link(lead: Client) -> None:
    assert lead.get(PAUSE).status_code == 405


def test_a_lead_chooses_two_reviews_for_a_share(lead: Client) -> None:
    assert lead.post(SETTINGS, GOOD | {"reviews": "2", "second_share": "0.25"}).status_code == 302
    project = Project.objects.get(slug="fb")
    assert (project.reviews, float(project.second_share), project.overlap) == (2, 0.25, 1)


def test_a_lead_chooses_several_people_in_place_of_reviews(lead: Client) -> None:
    said = GOOD | {"reviews": "0", "overlap": "3", "overlap_share": "0.5"}
    assert lead.post(SETTINGS, said).status_code == 302
    project = Project.objects.get(slug="fb")
    assert (project.reviews, project.overlap, float(project.overlap_share)) == (0, 3, 0.5)
    page = lead.post(SETTINGS, GOOD)  # what is left empty stays: three people, so no review
    assert page.status_code == 422
    assert Project.objects.get(slug="fb").overlap == 3
