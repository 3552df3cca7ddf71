"""Items filtered and counted by columns that only leads see; for everybody else there is no such filter."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from annotate.items.queries import ItemFilters, matching, value_counts
from annotate.models import Project, SavedView
from annotate.project.actions import create_project
from annotate.project.pages import column_counts
from tests.support.people import make_item, make_member

pytestmark = pytest.mark.django_db

TEXT = "show: [{field: prompt}]\nquestions: [{name: fine, type: choice, options: [good, bad]}]\n"
ROWS: list[Any] = [
    {"model": "alpha", "n": 4},
    {"model": "alpha", "n": "4"},
    {"model": "beta", "n": 4.5},
    {"model": "true", "n": True},
    {"model": ["x"], "a__b": "c"},
    {"n": "1.50"},
]


@pytest.fixture
def project() -> Project:
    project = create_project(slug="own", kind="form", definition=TEXT)
    for number, metadata in enumerate(ROWS):
        make_item(project, key=f"k-{number}", facts={"prompt": f"Question {number}"}, metadata=metadata)
    return project


def keys(project: Project, column: str, value: str = "") -> list[str]:
    items = matching(project, ItemFilters(metadata=column, value=value))
    return list(items.order_by("key").values_list("key", flat=True))


def page_of(client: Client, query: str = "") -> str:
    return re.sub(r'csrf[^>]*value="\w+"', "", client.get(f"/p/own/items/{query}").content.decode())


def listed(page: str) -> set[str]:
    return set(re.findall(r">\s*(k-\d)\s*<", page))


def test_a_value_is_a_text_or_what_the_text_spells(project: Project) -> None:
    assert keys(project, "model", "alpha") == ["k-0", "k-1"]
    assert keys(project, "n", "4") == ["k-0", "k-1"]
    assert keys(project, "n", "4.5") == ["k-2"]
    assert keys(project, "n", "true") == ["k-3"]
    assert keys(project, "n", "1.50") == ["k-5"]
    assert keys(project, "model", "true") == ["k-3"]
    assert keys(project, "model") == ["k-0", "k-1", "k-2", "k-3", "k-4"]


@pytest.mark.parametrize("name", ["a__b", "model__contains", "n'; --", "$.model", "0", 'x"y'])
def test_a_name_is_never_a_lookup(project: Project, name: str) -> None:
    assert keys(project, name, "c") == (["k-4"] if name == "a__b" else [])


NAMES = ['the "best" one', '"', "back\\slash", "2024", "-1", "%s", "模型", "$.n", "a'b"]


@pytest.mark.parametrize("name", NAMES)
def test_a_column_may_have_any_name(project: Project, name: str) -> None:
    for number, value in enumerate(["c", 7, None]):
        make_item(project, key=f"n-{number}", facts={"prompt": "p"}, metadata={name: value, "other": "c"})
    assert keys(project, name) == ["n-0", "n-1", "n-2"]
    assert keys(project, name, "c") == ["n-0"]
    assert keys(project, name, "7") == ["n-1"]
    assert dict(value_counts(project, ItemFilters(metadata=name)).counts) == {"c": 1, "7": 1}
    assert {row.value: row.total for row in column_counts(project, name, {"ready": 9}).rows} == {"c": 1, "7": 1}


def test_values_are_counted_under_the_other_filters(project: Project) -> None:
    of_numbers = value_counts(project, ItemFilters(metadata="n")).counts
    assert dict(of_numbers) == {"4": 2, "4.5": 1, "true": 1, "1.50": 1}
    counts = value_counts(project, ItemFilters(metadata="model", value="beta"))
    assert dict(counts.counts) == {"alpha": 2, "beta": 1, "true": 1}
    assert counts.counts[0] == ("alpha", 2)
    assert (counts.others, counts.cut) == (0, False)
    assert dict(value_counts(project, ItemFilters(metadata="n", q="k-2")).counts) == {"4.5": 1}


def test_leads_filter_and_see_counts(project: Project, client: Client) -> None:
    client.force_login(make_member(project, "lead").user)
    page = page_of(client, "?metadata=model&value=alpha")
    assert listed(page) == {"k-0", "k-1"}
    addresses = [html.unescape(address) for address in re.findall(r'href="(/p/own/items/\?[^"]*)"', page)]
    assert "/p/own/items/?metadata=model&value=beta&order=first" in addresses
    assert client.get("/p/own/items/?metadata=prompt").status_code == 422
    csv = b"".join(client.get("/p/own/items.csv?metadata=model&value=beta")).decode()
    assert "k-2" in csv
    assert "k-0" not in csv


@pytest.mark.parametrize("role", ["reviewer", "viewer"])
def test_for_others_the_parameter_does_nothing_and_shows_nothing(project: Project, client: Client, role: str) -> None:
    client.force_login(make_member(project, role).user)
    plain = page_of(client)
    assert len(listed(plain)) == len(ROWS)
    for query in ("?metadata=model&value=alpha", "?metadata=model", "?metadata=nothing&value=x"):
        page = page_of(client, query)
        assert listed(page) == listed(plain)
        assert "alpha" not in page.replace("alpha", "", page.count("value=alpha"))
        assert 'name="metadata"' not in page
    for kept in ("beta", ">model<"):
        assert kept not in plain
    item = project.items.get(key="k-0")
    of_a_list = client.get(f"/p/own/items/{item.pk}/?list=metadata%3Dmodel%26value%3Dbeta&order=first").content.decode()
    assert "k-1" in of_a_list or f"/items/{project.items.get(key='k-1').pk}/" in of_a_list
    rows = b"".join(client.get("/p/own/items.csv?metadata=model&value=beta")).decode()
    assert rows == b"".join(client.get("/p/own/items.csv")).decode()


def test_annotators_have_no_list_at_all(project: Project, client: Client) -> None:
    client.force_login(make_member(project).user)
    assert client.get("/p/own/items/?metadata=model").status_code == 403


def test_a_saved_view_holds_it_for_its_lead_alone(project: Project, client: Client) -> None:
    client.force_login(make_member(project, "lead").user)
    view = {"page": "items", "name": "Alpha", "query": "metadata=model&value=alpha"}
    saved = client.post("/p/own/views/save/", view)
    assert saved.status_code == 302
    assert listed(client.get(saved.headers["location"]).content.decode()) == {"k-0", "k-1"}
    refused = client.post("/p/own/views/save/", view | {"name": "All", "shared": "on"})
    assert refused.status_code == 422
    assert "only leads see metadata" in refused.content.decode()
    assert not SavedView.objects.filter(shared=True).exists()


def test_chosen_items_of_a_bulk_step_are_the_filtered_ones(project: Project, client: Client) -> None:
    client.force_login(make_member(project, "lead").user)
    chosen = {"verb": "priority", "scope": "all", "filter": "metadata=model&value=alpha"}
    assert "2 items" in client.post("/p/own/items/bulk/", chosen).content.decode()


def test_kinds_with_fixed_questions_have_no_such_filter(client: Client) -> None:
    fixed = create_project(slug="own", kind="feedback")
    client.force_login(make_member(fixed, "lead").user)
    assert 'name="metadata"' not in page_of(client, "?metadata=model&value=x")


@pytest.mark.parametrize("name", ["n", "0", 'x"y'])
def test_whole_numbers_above_64_bits_are_counted_and_filtered_as_they_are_stored(name: str) -> None:
    """Only in a name with a quotation mark does SQLite round them."""
    project = create_project(slug="own", kind="form", definition=TEXT)
    numbers = [10**20, -(10**20), 2**63 - 1, 10**20 if '"' in name else 10**20 + 1]
    for place, number in enumerate(numbers):
        make_item(project, key=f"k-{place}", facts={"prompt": "?"}, metadata={name: number})
    counted = column_counts(project, name, {"ready": 4})
    assert {row.value for row in counted.rows} == set(map(str, numbers))
    assert {value for value, _n in value_counts(project, ItemFilters(metadata=name)).counts} == set(map(str, numbers))
    assert [len(keys(project, name, str(number))) for number in set(numbers)] == [
        numbers.count(number) for number in set(numbers)
    ]
