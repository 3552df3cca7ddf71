"""Pages that are not there: inside one's own project its frame stays; strangers learn nothing."""

import re

import pytest
from django.test import Client

from annotate.models import Project, User
from tests.support.people import make_item, make_project
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
TABS = 'id="project-doors"'
CHANGING = re.compile(
    r'"X-CSRFToken": "[^"]*"|csrfmiddlewaretoken" value="[^"]*"|nonce="[^"]*"|/p/(?:fb|nowhere)/[^"]*|/items/[0-9]+/'
)
MISSING = ("nosuch/", "survey/", "items/999999/", "work/999999/")


@pytest.mark.parametrize("page", MISSING)
def test_a_page_that_is_not_there_keeps_the_frame_of_ones_own_project(lead: Client, case: Case, page: str) -> None:
    answer = lead.get(f"/p/fb/{page}")
    text = answer.content.decode()
    assert answer.status_code == 404
    assert "This page does not exist" in text
    assert TABS in text
    assert "not a member of" not in text


@pytest.mark.parametrize("role", ["annotator", "viewer"])
def test_it_shows_the_tabs_of_the_readers_own_role(client: Client, case: Case, role: str) -> None:
    client.force_login(getattr(case, role))
    text = client.get("/p/fb/nosuch/").content.decode()
    assert TABS in text
    assert 'href="/p/fb/people/"' not in text


@pytest.mark.parametrize("page", MISSING)
def test_strangers_cannot_tell_a_project_from_none(client: Client, case: Case, page: str) -> None:
    client.force_login(case.stranger)
    there, nowhere = (client.get(f"/p/{slug}/{page}") for slug in ("fb", "nowhere"))
    assert there.status_code == nowhere.status_code == 404
    plain = [CHANGING.sub("", one.content.decode()) for one in (there, nowhere)]
    assert plain[0] == plain[1]
    assert "project you are not a member of" in plain[0]
    assert case.project.name not in plain[0]


def test_an_item_of_another_project_looks_like_none(lead: Client, case: Case) -> None:
    theirs = make_item(make_project())
    answers = [lead.get(f"/p/fb/items/{pk}/").content.decode() for pk in (theirs.pk, 999999)]
    assert CHANGING.sub("", answers[0]) == CHANGING.sub("", answers[1])


def test_outside_of_projects_nothing_has_changed(lead: Client, client: Client, case: Case) -> None:
    for visitor in (lead, Client()):
        answer = visitor.get("/nosuch/")
        assert answer.status_code == 404
        assert "Page not found" in answer.content.decode()
    assert Client().get("/p/fb/nosuch/").status_code == 404
    assert "Feedback" not in Client().get("/p/fb/nosuch/").content.decode()
    assert (Project.objects.count(), User.objects.count()) == (1, 5)


def test_a_visitor_without_an_account_is_asked_to_sign_in(lead: Client) -> None:
    pages = [visitor.get("/nosuch/").content.decode() for visitor in (lead, Client())]
    assert ["Go to my work" in page for page in pages] == [True, False]
    assert 'class="button button--primary" href="/accounts/login/"' in pages[1]
