import csv
import io
import re
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from annotate.chores import index_items
from annotate.items import actions, queue
from annotate.items.columns import fields_of
from annotate.items.keyset import PAGE
from annotate.kinds import all_kinds
from annotate.kinds.contract import Kind
from annotate.models import Item
from annotate.review import decisions
from tests.support.reviews import FACTS, Case

pytestmark = pytest.mark.django_db
LIST = "/p/fb/items/"


def many(case: Case, count: int) -> None:
    Item.objects.bulk_create(
        Item(project=case.project, key=f"k-{n:05d}", title=f"Title {n}", content_hash=f"{n}", facts={})
        for n in range(count)
    )


def keys(html: str) -> list[str]:
    return re.findall(r'<a class="row-link num"[^>]*>([^<]+)</a>', html)


def listed(client: Client, query: str = "") -> list[str]:
    answer = client.get(LIST + query)
    assert answer.status_code == 200
    return keys(answer.content.decode())


@pytest.mark.parametrize("role", ["lead", "reviewer", "viewer"])
def test_readers_see_the_items(client: Client, case: Case, role: str) -> None:
    many(case, 2)
    client.force_login(getattr(case, role))
    assert listed(client) == ["k-00000", "k-00001"]


def test_an_annotator_is_refused_and_a_stranger_finds_nothing(client: Client, case: Case) -> None:
    for path in (LIST, "/p/fb/items.csv"):
        client.force_login(case.annotator)
        assert client.get(path).status_code == 403
        client.force_login(case.stranger)
        assert client.get(path).status_code == 404


def test_folded_filters_say_how_many_are_in_use(client: Client, case: Case) -> None:
    client.force_login(case.lead)
    label = r'for="filters-fold">(.*?)</label>'
    for query, count in (("", None), ("?state=ready&purpose=work&order=last", "2")):
        text = re.search(label, client.get(LIST + query).content.decode(), re.DOTALL)
        assert text
        assert re.findall(r'class="count">(\d+)<', text[1]) == ([count] if count else [])
    assert 'id="filters-fold" autocomplete="off" checked' in client.get(LIST + "?priority=x").content.decode()


def test_only_a_lead_can_select(client: Client, case: Case) -> None:
    many(case, 1)
    client.force_login(case.viewer)
    assert b'name="verb"' not in client.get(LIST).content
    client.force_login(case.lead)
    assert b'name="verb"' in client.get(LIST).content


def test_an_empty_project_says_so(lead: Client) -> None:
    assert "No items yet." in lead.get(LIST).content.decode()


def test_filters_that_match_nothing_can_be_cleared(lead: Client, case: Case) -> None:
    many(case, 1)
    text = lead.get(LIST + "?q=nothing").content.decode()
    assert "No matching items." in text
    assert f'href="{LIST}"' in text


def test_a_filter_filters(lead: Client, case: Case) -> None:
    many(case, 3)
    Item.objects.filter(key="k-00001").update(language="zh")
    assert listed(lead, "?language=zh") == ["k-00001"]


def test_pages_are_linked_and_keep_the_filters(lead: Client, case: Case) -> None:
    many(case, PAGE + 1)
    text = lead.get(LIST + "?q=Title&order=first").content.decode()
    (following,) = re.findall(r'href="([^"]+)" rel="next"', text)
    assert "q=Title" in following
    assert keys(lead.get(following.replace("&amp;", "&")).content.decode()) == [f"k-{PAGE:05d}"]


def test_with_htmx_only_the_list_is_sent(lead: Client, case: Case) -> None:
    many(case, 1)
    text = lead.get(LIST, headers={"HX-Request": "true"}).content.decode()
    assert text.strip().startswith('<div class="item-list" id="item-list">')
    assert keys(text) == ["k-00000"]


def test_the_list_says_who_has_what(lead: Client, case: Case) -> None:
    queue.claim(case.open_slot(case.item("held"), "annotate").pk, case.member(case.reviewer))
    actions.assign(case.item("kept"), to=case.member(case.annotator), by=case.lead)
    text = lead.get(LIST).content.decode()
    assert "</svg>reviewer</span>" in text
    assert "for annotator" in text


def test_titles_are_escaped(lead: Client, case: Case) -> None:
    many(case, 1)
    Item.objects.update(title="<script>alert(1)</script>")
    assert b"<script>alert" not in lead.get(LIST).content


def index() -> None:
    for pk in index_items.leases.claimable():
        index_items.work(pk, whole=True)


def test_a_hit_in_a_text_shows_its_place_and_escapes_it(lead: Client, case: Case) -> None:
    item = case.item("k-1")
    text = "<b>Bold</b> & <script>alert(1)</script> 请检查这段代码"
    Item.objects.filter(pk=item.pk).update(facts=FACTS | {"user_query": text}, title="Title")
    index()
    html = lead.get(f"{LIST}?q=<SCRIPT>alert").content.decode()
    assert "&lt;b&gt;Bold&lt;/b&gt; &amp; <mark>&lt;script&gt;alert</mark>(1)&lt;/script&gt; 请检查这段代码" in html
    assert "<mark>代码</mark>" in lead.get(f"{LIST}?q=代码").content.decode()
    assert "<mark>" not in lead.get(f"{LIST}?q=k-1").content.decode()


def test_the_list_says_what_is_not_searchable_yet(lead: Client, case: Case) -> None:
    case.item("k-1")
    assert "not searchable yet" in lead.get(f"{LIST}?q=k").content.decode()
    assert "not searchable yet" not in lead.get(LIST).content.decode()
    index()
    assert "not searchable yet" not in lead.get(f"{LIST}?q=k").content.decode()


@pytest.mark.parametrize("count", [3, 300])
def test_the_number_of_queries_stays_small(
    lead: Client, case: Case, count: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    many(case, count)
    with django_assert_max_num_queries(17):
        lead.get(LIST + "?held=&q=Title&comments=&skipped=&order=changed")


def test_a_title_is_read_without_its_marks(lead: Client, case: Case) -> None:
    many(case, 1)
    Item.objects.update(title="Solve **this**: $x^2 \\leq 4$ for `x`")
    assert "<span>Solve this: x² ≤ 4 for x</span>" in lead.get(LIST).content.decode()


# --- columns ----------------------------------------------------------------------------------------------------------
def columns(client: Client, *names: str) -> None:
    answer = client.post("/p/fb/items/columns/", {"column": names, "query": "state=ready&order=last"})
    assert answer.headers["Location"] == f"{LIST}?state=ready&order=last"


def heads(client: Client) -> list[str]:
    return re.findall(r'<th role="columnheader"[^>]*>([^<]+)</th>', client.get(LIST).content.decode())


def test_a_person_chooses_columns_for_this_project(client: Client, case: Case) -> None:
    many(case, 1)
    client.force_login(case.lead)
    default = heads(client)
    columns(client, "batch", "title", "nonsense")
    assert heads(client) == ["Key", "Title", "Import"]
    client.force_login(case.viewer)
    assert heads(client) == default
    columns(client)
    client.force_login(case.lead)
    columns(client)
    assert heads(client) == default


def test_fields_of_the_kind_are_columns_of_the_current_texts(lead: Client, case: Case) -> None:
    review = case.under_review()
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    case.item("k-2")
    columns(lead, "title", "label:error_type")
    text = lead.get(LIST).content.decode()
    assert heads(lead)[-1] == _label(case, "error_type")
    assert text.count("Logical Error") == 1


def _label(case: Case, name: str) -> str:
    kind = case.project.kind
    return str(next(field.label for field in kind.fields(kind.read_facts(FACTS)) if field.name == name))


@pytest.mark.parametrize("kind", all_kinds().values(), ids=lambda kind: kind.slug)
def test_every_kind_can_tell_its_fields(kind: Kind) -> None:
    names = [field.name for field in fields_of(kind)]
    assert bool(names) is not kind.opinions
    assert len(names) == len(set(names))


def test_metadata_are_columns_for_leads(client: Client, case: Case) -> None:
    many(case, 2)
    Item.objects.filter(key="k-00001").update(metadata={"source": "forum", "tags": ["a", "b"]})
    client.force_login(case.lead)
    columns(client, "metadata:source", "metadata:tags", "metadata:nonsense")
    text = client.get(LIST).content.decode()
    assert heads(client) == ["Key", "source", "tags"]
    assert [text.count("forum"), text.count("[&quot;a&quot;, &quot;b&quot;]")] == [1, 1]
    client.force_login(case.viewer)
    columns(client, "title", "metadata:source")
    assert heads(client) == ["Key", "Title"]
    assert "forum" not in client.get(LIST).content.decode()


@pytest.mark.parametrize("role", ["viewer", "reviewer"])
def test_a_check_does_not_tell_its_answer_in_a_column(client: Client, case: Case, role: str) -> None:
    review = case.under_review()
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    Item.objects.update(purpose="attention")
    client.force_login(getattr(case, role))
    columns(client, "title", "label:error_type")
    assert "Logical Error" not in client.get(LIST).content.decode()


@pytest.mark.parametrize("count", [1, 40])
def test_columns_of_the_kind_cost_one_query_however_many_rows(
    lead: Client, case: Case, count: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(count):
        review = case.under_review(f"k-{number}")
        decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    columns(lead, "title", "label:error_type", "label:feedback_type", "batch")
    with django_assert_max_num_queries(15):
        assert lead.get(LIST).content.decode().count("Logical Error") == count


# --- saved views ------------------------------------------------------------------------------------------------------
def test_a_view_of_the_list_keeps_filters_and_order_but_no_place(lead: Client, case: Case) -> None:
    many(case, PAGE + 2)
    after = re.findall(r"after=([^\"&]+)", lead.get(LIST).content.decode())[0]
    text = lead.get(f"{LIST}?q=Title&order=last&after={after}").content.decode()
    (kept,) = re.findall(r'name="query" value="([^"]*)">\s*<label class="small" for="view-name"', text)
    assert kept == "q=Title&amp;order=last"
    answer = lead.post("/p/fb/views/save/", {"name": "Titles", "page": "items", "query": "q=Title&order=last"})
    assert answer.headers["Location"] == f"{LIST}?q=Title&order=last"
    assert f'href="{LIST}?q=Title&amp;order=last"' in lead.get(LIST).content.decode()


def test_the_search_says_what_it_looks_through(lead: Client, case: Case) -> None:
    text = lead.get(LIST).content.decode()
    assert 'aria-describedby="filter-q-help"' in text
    assert "Searches keys, titles and the texts of the material" in text


@pytest.mark.parametrize(
    "bad",
    [
        "event=accepted&until=9999-12-31",
        "state=nonsense",
        "priority=x",
        "priority=99999999",
        "batch=-1",
        "held=nobody",
        "assigned=overdue",
        "by=1%20or%201",
        "since=yesterday",
        "event=password",
        "skipped=x",
        "q=%00",
        "language=" + "x" * 40,
    ],
)
def test_a_filter_that_cannot_be_read_lists_nothing_and_says_so(lead: Client, case: Case, bad: str) -> None:
    many(case, 2)
    answer = lead.get(f"{LIST}?{bad}")
    assert answer.status_code == 422
    assert keys(answer.content.decode()) == []
    assert "Invalid filters:" in answer.content.decode()
    assert lead.get(f"/p/fb/items.csv?{bad}").status_code == 422


RELATIONS = [
    "project__members__user__password__startswith",
    "batch__created_by__password__startswith",
    "slots__holder__password__regex",
    "annotations__author__email__contains",
    "facts__user_query__contains",
    "key__startswith",
    "id__gte",
    "pk",
    "project",
    "project_id",
    "facts",
    "content_hash",
]


@pytest.mark.parametrize("name", RELATIONS)
def test_what_is_no_filter_is_never_looked_at(lead: Client, case: Case, name: str) -> None:
    many(case, 2)
    for value in ("", "0", "zzz", "pbkdf2"):
        assert len(listed(lead, f"?{name}={value}")) == 2


@settings(max_examples=40, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    first=st.sampled_from(["project", "batch", "slots", "annotations", "events", "comments", "base", "parent"]),
    path=st.lists(st.sampled_from(["user", "author", "holder", "password", "email", "item", "token"]), max_size=3),
    lookup=st.sampled_from(["", "__startswith", "__regex", "__gt", "__in", "__isnull", "__contains"]),
    value=st.text(max_size=8),
)
def test_no_lookup_through_relations_changes_the_list(
    lead: Client, case: Case, first: str, path: list[str], lookup: str, value: str
) -> None:
    if not Item.objects.exists():
        many(case, 2)
    name = "__".join([first, *path]) + lookup
    if name == "batch":  # a filter of its own
        return
    answer = lead.get(LIST, {name: value})
    assert answer.status_code == 200
    assert len(keys(answer.content.decode())) == 2


@settings(max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    said=st.dictionaries(
        st.sampled_from(
            ["q", "state", "group", "batch", "priority", "held", "since", "event", "after", "before", "order"]
        ),
        st.text(max_size=12) | st.integers().map(str) | st.sampled_from(["anyone", "first", "1~1", "changed"]),
        max_size=4,
    )
)
def test_whatever_an_address_says_is_answered(lead: Client, case: Case, said: dict[str, Any]) -> None:
    assert lead.get(LIST, said).status_code in (200, 422)


# --- spreadsheet -----------------------------------------------------------------------------------------------------
def table(client: Client, query: str = "") -> list[dict[str, str]]:
    answer = client.get("/p/fb/items.csv" + query)
    text = b"".join(answer).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_the_spreadsheet_holds_all_that_matches(lead: Client, case: Case) -> None:
    many(case, 3)
    Item.objects.filter(key="k-00002").update(group="Coding")
    assert [row["key"] for row in table(lead)] == ["k-00000", "k-00001", "k-00002"]
    assert [row["group"] for row in table(lead, "?group=Coding")] == ["Coding"]


def test_no_cell_of_the_spreadsheet_is_a_formula(lead: Client, case: Case) -> None:
    many(case, 1)
    Item.objects.update(title='=HYPERLINK("x")', key="+1")
    (row,) = table(lead)
    assert (row["title"], row["key"]) == ('\'=HYPERLINK("x")', "'+1")


def test_active_filters_are_chips_that_lead_to_the_list_without_them(client: Client, case: Case) -> None:
    many(case, 3)
    client.force_login(case.lead)
    html = client.get(f"{LIST}?q=Title&state=ready&by=anyone&order=last").content.decode()
    chips = re.findall(r'<a href="([^"]+)">\s*<span class="quiet">([^<]+)</span> ([^<]+)<', html)
    assert [(label, value.strip()) for _href, label, value in chips] == [
        ("Key, title or text", "Title"),
        ("State", "To annotate"),
        ("Submitted by", "anyone"),
    ]
    assert chips[1][0] == f"{LIST}?q=Title&amp;by=anyone&amp;order=last"
    assert "filter-chips" not in client.get(LIST).content.decode()


def test_an_item_leads_to_its_neighbours_in_the_list(client: Client, case: Case) -> None:
    many(case, 4)
    Item.objects.update(facts=FACTS)
    Item.objects.filter(key="k-00001").update(language="fr")
    client.force_login(case.lead)
    first, _french, third, last = Item.objects.order_by("pk").values_list("pk", flat=True)
    Item.objects.exclude(language="fr").update(language="en")
    page = client.get(f"{LIST}?language=en&order=last").content.decode()
    (link,) = re.findall(rf'href="({LIST}{third}/[^"]*)"', page)
    html = client.get(link.replace("&amp;", "&")).content.decode()
    way = dict(re.findall(r'rel="(prev|next)" href="([^"?]+)', html))
    assert way == {"prev": f"{LIST}{last}/", "next": f"{LIST}{first}/"}
    assert f'href="{LIST}?language=en&amp;order=last"' in html
    assert "Back to the list" not in client.get(f"{LIST}{third}/").content.decode()
    assert "Back to the list" not in client.get(f"{LIST}{third}/?order=first&list=state%3Dnone").content.decode()
