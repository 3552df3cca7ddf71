import pytest
from django.test import Client

from annotate.doors import pages
from annotate.models import Project
from tests.support.desks import colleague
from tests.support.pages import html_of, said
from tests.support.people import make_item, make_project

pytestmark = pytest.mark.django_db
PART = {"HX-Request": "true"}


@pytest.fixture
def project() -> Project:
    return make_project(slug="p", name="Moons of Mars")


def found(client: Client, q: str, slug: str = "p") -> str:
    return html_of(client, f"/jump/?q={q}&from={slug}", headers=PART)


def test_an_empty_query_lists_the_pages_and_the_projects(project: Project) -> None:
    html = found(colleague(project, "lead").client, "")
    assert 'href="/p/p/tokens/"' in html
    assert "Moons of Mars Lead" in said(html)


def test_a_page_is_found_by_its_title_its_door_and_in_english(project: Project) -> None:
    lead = colleague(project, "lead")
    assert 'href="/p/p/webhooks/"' in found(lead.client, "webh")
    assert 'href="/p/p/releases/"' in found(lead.client, "data")
    lead.member.user.language = "zh-hans"
    lead.member.user.save()
    assert 'href="/p/p/releases/"' in found(lead.client, "releas")
    assert 'href="/p/p/releases/"' in found(lead.client, "发布")


def test_a_lead_finds_items_people_and_actions(project: Project) -> None:
    item, lead, ana = make_item(project, key="sample-7"), colleague(project, "lead"), colleague(project, "annotator")
    assert f'href="/p/p/items/{item.pk}/"' in found(lead.client, "ple-7")
    assert f'href="/p/p/people/{ana.member.pk}/"' in found(lead.client, ana.member.user.username)
    assert 'href="/p/p/runs/new/"' in found(lead.client, "plan")


@pytest.mark.parametrize("role", ["annotator", "reviewer", "viewer"])
def test_nobody_finds_what_their_role_may_not_open(project: Project, role: str) -> None:
    item, worker = make_item(project, key="sample-7"), colleague(project, role)
    other = colleague(project, "annotator").member
    items = found(worker.client, "sample-7")
    assert (f"/items/{item.pk}/" in items) == (role != "annotator")
    assert "/people/" not in found(worker.client, other.user.username)
    assert "/runs/new/" not in found(worker.client, "plan")
    assert "/p/p/tokens/" not in found(worker.client, "token")


def test_a_stranger_finds_nothing_of_a_project_that_is_not_theirs(project: Project) -> None:
    make_item(project, key="sample-7")
    stranger = colleague(make_project(slug="q", name="Other"), "lead").client
    for query in ("sample-7", "moons", ""):
        html = found(stranger, query)
        assert "/p/p/" not in html
        assert "Moons" not in html


def test_an_item_of_another_own_project_is_found_by_its_whole_key(project: Project) -> None:
    lead = colleague(project, "lead")
    item = make_item(make_project(slug="q"), key="far-7")
    assert f"/items/{item.pk}/" not in found(lead.client, "far-7")
    item.project.members.create(user=lead.member.user, role="viewer")
    assert f'href="/p/q/items/{item.pk}/"' in found(lead.client, "far-7")
    assert f"/items/{item.pk}/" not in found(lead.client, "far")


def test_text_is_taken_as_text(project: Project) -> None:
    lead = colleague(project, "lead")
    html = found(lead.client, "%3Cb%3E%25_")
    assert "<b>" not in html
    assert "Nothing found" in html


def test_no_more_than_some_of_each_sort_are_listed(project: Project) -> None:
    for n in range(pages.MOST + 2):
        make_item(project, key=f"sample-{n}")
    assert found(colleague(project, "lead").client, "sample").count("/items/") == pages.MOST


def test_without_a_script_it_is_a_page_with_a_form(project: Project) -> None:
    html = html_of(colleague(project, "lead").client, "/jump/?q=webhooks&from=p")
    assert 'action="/jump/"' in html
    assert 'href="/p/p/webhooks/"' in html
    assert html.count('id="jump-q"') == 1


def test_every_page_offers_it_to_whoever_is_signed_in(project: Project, client: Client) -> None:
    lead = colleague(project, "lead").client
    assert 'href="/jump/?from=p"' in html_of(lead, "/p/p/items/")
    assert 'href="/jump/"' in html_of(lead, "/projects/")
    assert 'href="/jump/' not in html_of(client, "/accounts/login/")


def test_the_menu_of_the_project_lists_the_others(project: Project) -> None:
    lead = colleague(project, "lead")
    make_project(slug="q", name="Not mine")
    html = html_of(lead.client, "/jump/?part=projects", headers=PART)
    assert "Moons of Mars" in html
    assert "Not mine" not in html
