"""Items by the values of a metadata column, on the overview: for leads alone, each figure with its list."""

import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Item, Member, Project
from annotate.project.actions import create_project
from annotate.project.pages import LISTED, column_counts
from tests.support.people import make_item, make_member

pytestmark = pytest.mark.django_db
QUESTIONS = """show: [{field: prompt}]
questions: [{name: safe, type: choice, options: [a, b]}]
"""
VALUES = ["east", "east", "west", 5, 5.5, True, None, ["a"], {"a": 1}, ""]


@pytest.fixture
def project() -> Project:
    project = create_project(slug="own", kind="form", definition=QUESTIONS, reviews=0)
    for number, value in enumerate(VALUES):
        make_item(project, key=f"k{number}", facts={"prompt": "p"}, metadata={"place": value, "no": number})
    make_item(project, key="bare", facts={"prompt": "p"}, metadata={"no": -1})
    Item.objects.filter(key="k1").update(state="accepted")
    return project


@pytest.fixture
def lead(project: Project) -> Member:
    return make_member(project, "lead")


def page(client: Client, member: Member, query: str = "?by=place") -> str:
    client.force_login(member.user)
    return client.get(f"/p/own/{query}").content.decode()


def totals(project: Project) -> dict[str, int]:
    states = list(Item.objects.filter(project=project).values_list("state", flat=True))
    return {state: states.count(state) for state in sorted(set(states))}


def test_values_are_counted_by_state_the_most_frequent_first(project: Project) -> None:
    counts = column_counts(project, "place", totals(project))
    assert counts.rows[0].value == "east"
    assert dict(counts.rows[0].counts) == {"accepted": 1, "ready": 1}
    assert {row.value: row.total for row in counts.rows} == {"east": 2, "west": 1, "5": 1, "5.5": 1, "true": 1}
    assert counts.others.total == 5  # null, a list, an object, an empty text and no value


def test_every_figure_opens_a_list_of_as_many_items(client: Client, lead: Member) -> None:
    text = page(client, lead)
    links = re.findall(r'href="(/p/own/items/\?metadata=place[^"]*)">(\d+)<', text)
    assert len(links) == 11  # five values: each in all, and by the states in which it has items
    for address, n in links:
        shown = client.get(html.unescape(address)).context
        assert (shown["count"], len(shown["rows"])) == (int(n), int(n)), address


def test_rare_values_are_others(project: Project) -> None:
    counts = column_counts(project, "no", totals(project))
    assert (len(counts.rows), counts.others.total) == (len(VALUES) + 1, 0)
    for number in range(100, 100 + LISTED):
        make_item(project, key=f"more{number}", facts={"prompt": "p"}, metadata={"no": number})
    counts = column_counts(project, "no", totals(project))
    assert (len(counts.rows), counts.others.total) == (LISTED, len(VALUES) + 1)


def test_counting_takes_two_queries(project: Project) -> None:
    all_states = totals(project)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        column_counts(project, "no", all_states)
    assert len(queries) == 2


@pytest.mark.parametrize("role", ["annotator", "reviewer", "viewer"])
def test_nobody_else_learns_of_columns(client: Client, project: Project, role: Any) -> None:
    text = page(client, make_member(project, role))
    assert "by-column" not in text
    assert "metadata" not in text


@pytest.mark.parametrize("query", ["?by=", "?by=prompt", "?by=state", "?by=place__x", "?by=%00"])
def test_what_is_no_column_of_metadata_counts_nothing(client: Client, lead: Member, query: str) -> None:
    text = page(client, lead, query)
    assert "by-column" in text
    assert "metadata=" not in text


def test_a_project_without_items_or_without_metadata_offers_no_columns(client: Client, lead: Member) -> None:
    Item.objects.update(metadata=None)
    assert "by-column" not in page(client, lead)
    Item.objects.all().delete()
    assert "by-column" not in page(client, lead)
