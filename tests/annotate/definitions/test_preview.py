"""The preview beside the editor: which item, how wide, in which language; the address holds it."""

import re
from typing import Any

import pytest
from django.test import Client

from annotate.definitions.templates import all_templates
from annotate.models import Project
from annotate.project.actions import create_project
from tests.annotate.definitions.test_pages import FACTS, TEXT
from tests.support.people import make_item, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return create_project(slug="own", kind="form", definition=TEXT, reviews=0)


@pytest.fixture
def lead(project: Project, client: Client) -> Client:
    client.force_login(make_member(project, "lead").user)
    return client


def page_of(client: Client, query: str = "", **posted: Any) -> str:
    address = f"/p/own/questions/{query}"
    return (client.post(address, posted) if posted else client.get(address)).content.decode()


def addresses(page: str) -> set[str]:
    return {address.replace("&amp;", "&") for address in re.findall(r'hx-replace-url="([^"]*)"', page)}


def test_items_are_shown_one_after_another(project: Project, lead: Client) -> None:
    first, second, third = (make_item(project, facts=FACTS | {"prompt": f"Question {n}"}) for n in range(3))
    page = page_of(lead)
    assert "Question 0" in page
    assert f"?item={second.pk}" in addresses(page)
    page = page_of(lead, f"?item={second.pk}")
    assert "Question 1" in page
    assert {f"?item={first.pk}", f"?item={third.pk}"} <= addresses(page)
    assert f"?item={second.pk}&width=390" in addresses(page)


@pytest.mark.parametrize("query", ["?item=0", "?item=x", "?item=" + "9" * 30, "?width=1&language=xx"])
def test_what_cannot_be_read_is_the_default(project: Project, lead: Client, query: str) -> None:
    make_item(project, facts=FACTS)
    page = page_of(lead, query)
    assert "Which?" in page
    assert "previewed--" not in page


def test_items_of_other_projects_are_not_shown(lead: Client) -> None:
    other = create_project(slug="other", kind="form", definition=TEXT)
    item = make_item(other, facts=FACTS | {"prompt": "Not yours"})
    assert "Not yours" not in page_of(lead, f"?item={item.pk}")


def test_without_items_the_rows_of_the_template_are_shown(client: Client) -> None:
    template = all_templates()["rating"]
    create_project(slug="own", kind="form", definition=template.definition)
    client.force_login(make_member(Project.objects.get(), "lead").user)
    assert "row 1 of the example" in page_of(client)
    page = page_of(client, "?item=5")
    assert "row 5 of the example" in page
    assert {"?item=4", "?item=5&width=390"} <= addresses(page)
    assert "?item=6" not in addresses(page)


def test_width_and_language_are_chosen_by_the_address(lead: Client) -> None:
    page = page_of(lead, "?width=390&language=zh")
    assert "previewed--390" in page
    assert "是否自然？" in page
    assert "What people look at" in page  # the rest of the page stays in the reader's language
    assert 'lang="zh"' in page


def test_the_form_holds_what_the_preview_shows(project: Project, lead: Client) -> None:
    make_item(project, facts=FACTS)
    changed = TEXT.replace("How natural?", "How fluent?")
    page = page_of(lead, "?language=zh", text=changed, based_on=1, preview="1", language="en", width="390")
    assert "previewed--390" in page
    assert "是否自然？" in page
