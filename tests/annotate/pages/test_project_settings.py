import html
from typing import Any

import pytest
from django.test import Client

from annotate.kinds import all_kinds
from annotate.models import AuditEntry, Project
from annotate.project.actions import change_settings
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
}
JSON = {"as_json": "1"}


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
        "blind_share": "25",
        "waits_for_suggestion": "on",
        "licence": "CC BY 4.0",
        "option-weight_tolerance": "0.01",
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
        ({"second_share": "100.1"}, "less than or equal to 100"),
        ({"overlap_share": "x"}, "Enter a number"),
        ({"lease_minutes": "0"}, "greater than or equal to 1"),
        ({"blind_share": "150"}, "less than or equal to 100"),
        ({"option-weight_tolerance": "0.2"}, "less than 0.1"),
        ({"option-error_types": "A\nA"}, "“A” appears twice"),
        (JSON | {"options": "{"}, "valid JSON"),
        (JSON | {"options": "[1]"}, "Enter a JSON object"),
        (JSON | {"options": '{"colour": 1}'}, "colour"),
        (JSON | {"options": '{"tasks": {"A": "B"}}'}, "tasks.A"),
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
    text = html.unescape(lead.post(SETTINGS, JSON | {"options": options}).content.decode())
    assert message in text
    assert "is not a field of this kind" not in text
    assert "provenance" not in text


def test_options_that_cannot_be_read_stay_in_the_form(lead: Client) -> None:
    assert "{&quot;a&quot;: oops" in lead.post(SETTINGS, JSON | {"options": '{"a": oops'}).content.decode()


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
    assert lead.post(SETTINGS, GOOD | {"reviews": "2", "second_share": "25"}).status_code == 302
    project = Project.objects.get(slug="fb")
    assert (project.reviews, float(project.second_share), project.overlap) == (2, 0.25, 1)


def test_a_lead_chooses_several_people_in_place_of_reviews(lead: Client) -> None:
    said = GOOD | {"reviews": "0", "overlap": "3", "overlap_share": "50"}
    assert lead.post(SETTINGS, said).status_code == 302
    project = Project.objects.get(slug="fb")
    assert (project.reviews, project.overlap, float(project.overlap_share)) == (0, 3, 0.5)
    page = lead.post(SETTINGS, GOOD)  # what is left empty stays: three people, so no review
    assert page.status_code == 422
    assert Project.objects.get(slug="fb").overlap == 3


# Options as fields.


def posted(answer: Any, **changes: Any) -> dict[str, Any]:
    """What a browser sends from the page, with changes; None leaves a name out."""
    fields: dict[str, Any] = {}
    for bound in answer.context["form"]:
        if hasattr(bound, "rows"):
            fields[f"{bound.html_name}-rows"] = "1"
            for cell in (cell for row in bound.rows for cell in row.cells):
                fields.setdefault(cell.name, []).append(cell.value)
        elif bound.value() not in (None, False):
            fields[bound.html_name] = bound.value()
    return {name: value for name, value in (fields | changes).items() if value is not None}


def test_a_page_that_is_sent_as_it_was_shown_changes_nothing(lead: Client) -> None:
    before = Project.objects.values().get(slug="fb")
    entries = AuditEntry.objects.count()
    assert lead.post(SETTINGS, posted(lead.get(SETTINGS))).status_code == 302
    assert Project.objects.values().get(slug="fb") == before
    assert AuditEntry.objects.count() == entries


def test_labels_are_changed_in_fields_and_defaults_stay_unsaid(lead: Client) -> None:
    changes = {"option-tasks-key": ["Coding", ""], "option-tasks-values": ["Generation\r\nDebugging", " "]}
    assert lead.post(SETTINGS, posted(lead.get(SETTINGS), **changes)).status_code == 302
    assert Project.objects.get(slug="fb").options == {"tasks": {"Coding": ["Generation", "Debugging"]}}
    entry = AuditEntry.objects.order_by("-number").first()
    assert entry is not None
    assert (entry.verb, entry.account) == ("project.changed", "lead")
    assert "Debugging" in entry.after


def test_an_error_of_a_rule_about_several_options_stands_at_its_field(lead: Client) -> None:
    changes = {"option-error_types": "Other", "option-definitions-key": ["Nowhere"], "option-definitions-en": ["What?"]}
    answer = lead.post(SETTINGS, posted(lead.get(SETTINGS), **changes, **{"option-definitions-zh": [""]}))
    assert answer.status_code == 422
    [message] = answer.context["form"].errors["option-definitions"]
    assert "the project has no label “Nowhere”" in message


def test_rows_are_added_and_removed_without_scripts(lead: Client) -> None:
    page = lead.get(SETTINGS)
    count = len(page.context["form"]["option-tasks"].rows)
    more = lead.post(SETTINGS, posted(page, add_row="option-tasks", licence="CC0"))
    assert more.status_code == 200
    assert len(more.context["form"]["option-tasks"].rows) == count + 1
    assert 'value="CC0"' in more.content.decode()
    fewer = lead.post(SETTINGS, posted(page, remove_row="option-tasks:0"))
    assert "models use it from the next run on" in fewer.content.decode()
    less = lead.post(SETTINGS, posted(page, remove_row="option-tasks:0"), headers={"HX-Request": "true"})
    assert less.headers["HX-Trigger-After-Settle"] == "settings-edited"
    text = less.content.decode()
    assert text.strip().startswith('<div class="control" id="id_option-tasks_control">')
    assert "Mathematics" not in text
    assert "Reasoning" in text
    assert Project.objects.get(slug="fb").licence == ""


@pytest.mark.parametrize(
    "button", [{"add_row": "name"}, {"remove_row": "option-tasks:99"}, {"remove_row": "option-tasks:²"}]
)
def test_a_strange_button_of_rows_does_no_harm(lead: Client, button: dict[str, str]) -> None:
    assert lead.post(SETTINGS, posted(lead.get(SETTINGS), **button)).status_code in (200, 302)


def test_the_preview_says_what_would_change_and_stores_nothing(lead: Client, case: Case) -> None:
    case.item("a")
    said = posted(lead.get(SETTINGS), reviews="2", preview="1")
    for headers in ({}, {"HX-Request": "true"}):
        text = html.unescape(lead.post(SETTINGS, said, headers=headers).content.decode())
        assert "1 item to be written: two independent reviews (instead of: one review)." in text
    assert text.strip().startswith('<div class="panel__body stack stack--tight" id="effects"')
    assert Project.objects.get(slug="fb").reviews == 1


def test_the_preview_of_json_and_of_errors(lead: Client, case: Case) -> None:
    case.written(case.item("a"))
    htmx = {"HX-Request": "true"}
    said = JSON | {"options": '{"tasks": {"Coding": ["Generation"]}}', "preview": "1"}
    assert "1 text under review can be accepted only after" in lead.post(SETTINGS, said, headers=htmx).content.decode()
    wrong = lead.post(SETTINGS, posted(lead.get(SETTINGS), reviews="7", preview="1"), headers=htmx)
    assert "Correct these first" in wrong.content.decode()


def test_two_leads_change_different_settings_and_both_stay(lead: Client, case: Case) -> None:
    page = lead.get(SETTINGS)
    change_settings(case.project, licence="CC0", options={"weight_tolerance": 0.05})
    answer = lead.post(SETTINGS, posted(page, reviews="2", **{"option-maintenance_rule": "all"}), follow=True)
    assert "What somebody else changed meanwhile was kept." in answer.content.decode()
    project = Project.objects.get(slug="fb")
    assert (project.licence, project.reviews) == ("CC0", 2)
    assert project.options == {"weight_tolerance": 0.05, "maintenance_rule": "all"}


def test_two_leads_who_change_the_same_are_told_and_nothing_is_lost(lead: Client, case: Case) -> None:
    page = lead.get(SETTINGS)
    change_settings(case.project, licence="CC0", lease_minutes=7)
    answer = lead.post(SETTINGS, posted(page, licence="MIT"))
    assert answer.status_code == 409
    [message] = answer.context["form"].errors["licence"]
    assert "has changed this to “CC0” since you opened the page. Save again to store yours." in message
    assert Project.objects.get(slug="fb").licence == "CC0"
    assert lead.post(SETTINGS, posted(answer)).status_code == 302
    project = Project.objects.get(slug="fb")
    assert (project.licence, project.lease_minutes) == ("MIT", 7)


def test_two_changes_that_do_not_fit_together_are_refused(lead: Client, case: Case) -> None:
    change_settings(case.project, reviews=0)
    page = lead.get(SETTINGS)
    change_settings(case.project, overlap=3)
    answer = lead.post(SETTINGS, posted(page, reviews="1"))
    assert answer.status_code == 422
    assert "yours do not fit to them" in answer.content.decode()
    assert (Project.objects.get(slug="fb").reviews, Project.objects.get(slug="fb").overlap) == (0, 3)


@pytest.mark.parametrize("kind", list(all_kinds()))
def test_every_kind_has_a_page_of_settings_that_saves(lead: Client, kind: str) -> None:
    Project.objects.update(kind_slug=kind)
    assert lead.post(SETTINGS, posted(lead.get(SETTINGS), licence="CC0")).status_code == 302
    project = Project.objects.get(slug="fb")
    assert (project.licence, project.options) == ("CC0", {})
