import json
import re

import pytest
from django.template.loader import get_template
from django.test import Client
from django.utils.html import escape

from annotate.definitions.templates import all_templates
from annotate.kinds import all_kinds
from annotate.models import Project, User
from annotate.project.new_project import all_cards
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
NEW = "/projects/new/"
GOOD = {"name": "Second", "slug": "second", "kind": "feedback", "source": ""}


def test_a_project_is_made_by_whoever_leads_one(lead: Client) -> None:
    assert lead.post(NEW, GOOD).headers["location"] == "/p/second/"
    assert Project.objects.get(slug="second").members.get().role == "lead"


def test_a_project_is_made_by_staff(client: Client, case: Case) -> None:
    User.objects.filter(pk=case.stranger.pk).update(is_staff=True)
    client.force_login(case.stranger)
    assert client.post(NEW, GOOD).status_code == 302


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("Answers to travellers", "answers-to-travellers"),
        ("  Café, № 5! ", "cafe-no-5"),
        ("旅客问答", "checklist-vote"),
        ("fb", "fb-2"),
        ("x" * 80, "x" * 60),
    ],
)
def test_an_address_that_nobody_wrote_is_made_from_the_name(lead: Client, name: str, address: str) -> None:
    answer = lead.post(NEW, {"name": name, "slug": "", "kind": "checklist_vote"})
    assert answer.headers["location"] == f"/p/{address}/"


def test_addresses_that_are_made_differ(lead: Client) -> None:
    for _ in range(3):
        lead.post(NEW, {"name": "y" * 100, "slug": "", "kind": "prompt"})
    made = Project.objects.exclude(slug="fb").values_list("slug", flat=True)
    assert set(made) == {"y" * 60, "y" * 54 + "-2", "y" * 54 + "-3"}


def test_every_kind_has_a_card_and_none_is_chosen_beforehand(lead: Client) -> None:
    page = lead.get(NEW).content.decode()
    cards = all_cards()
    assert {card.kind.slug for card in cards.values()} == set(all_kinds())
    for value, card in cards.items():
        assert f'value="{value}"' in page
        assert str(escape(card.about)) in page
        assert f'href="/projects/new/example/?kind={value}"' in page
    assert page.count('<svg class="picture"') == len(cards)
    assert not re.search(r'name="kind"[^>]*checked', page)


def test_a_card_says_which_numbers_such_a_project_has() -> None:
    results = {value: str(card.result) for value, card in all_cards().items()}
    assert {value for value, result in results.items() if "leaderboard" in result} == {"feedback", "use_case"}
    ranked = {value for value, result in results.items() if "ranking" in result}
    assert ranked >= {"preference", "branching", "form:pair"}
    assert "overlook" in results["perturbation"]
    assert results["prompt"] == "Result: a dataset"
    assert "agree" in results["score_vote"]


def test_every_template_has_a_picture_of_its_own() -> None:
    pictures = {template.slug: get_template(template.picture_template) for template in all_templates().values()}
    drawn = {slug: picture.render() for slug, picture in pictures.items()}
    assert len(set(drawn.values())) == len(drawn)
    for svg in drawn.values():
        assert svg.startswith('<svg class="picture" viewBox="0 0 272 84" aria-hidden="true">')


def test_a_refused_form_keeps_the_chosen_kind(lead: Client) -> None:
    page = lead.post(NEW, GOOD | {"name": ""}).content.decode()
    assert re.search(r'name="kind" value="feedback"[^>]* checked', page)


def test_an_example_is_a_file_to_import(lead: Client) -> None:
    answer = lead.get("/projects/new/example/?kind=preference")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="preference-example.jsonl"'
    assert [json.loads(line)["key"] for line in answer.content.decode().splitlines()] == [
        "example-1",
        "example-2",
        "example-3",
    ]
    assert lead.get("/projects/new/example/?kind=nonsense").status_code == 404


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
