"""The search over items: on SQLite in this process, and what must be alike on both databases in installations."""

import re
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from annotate.chores import index_items
from annotate.items import keyset, search_index, text_search
from annotate.items.keyset import ORDERS, Scan, page
from annotate.items.queries import ItemFilters, matching
from annotate.models import Item, SearchPending, SearchText
from annotate.survey import withdrawal
from annotate.upkeep import diagnosis
from tests.support.files import command
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.pages import client_of, html_of
from tests.support.people import make_item, make_project
from tests.support.postgres import PostgresServer
from tests.support.reviews import FACTS, Case, make_case
from tests.support.sqlite_statistics import set_statistics

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def index() -> None:
    for pk in index_items.leases.claimable():
        index_items.work(pk, whole=True)


def keys(case: Case, words: str) -> list[str]:
    return list(matching(case.project, ItemFilters(q=words)).order_by("pk").values_list("key", flat=True))


def with_texts(case: Case, **texts: str) -> None:
    for key, text in texts.items():
        make_item(case.project, key=key, title=text[:20], facts=FACTS | {"user_query": text})
    index()


def grams_stored() -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rowid FROM annotate_searchgrams")
        return [pk for (pk,) in cursor.fetchall()]


def test_texts_keys_and_titles_are_searched(case: Case) -> None:
    case.item("alpha-1")
    case.item("beta-1")
    Item.objects.filter(key="beta-1").update(title="About ALPHA rays")
    index()
    assert keys(case, "Alpha") == ["alpha-1", "beta-1"]
    assert keys(case, "KILOGRAM OF  iron") == ["alpha-1", "beta-1"]
    assert keys(case, "because it is denser") == ["alpha-1", "beta-1"]
    assert keys(case, "kilogram of lead") == []


def test_one_and_two_characters_of_chinese_are_enough(case: Case) -> None:
    with_texts(case, code="请检查这段代码的错误", other="请检查这段文字")
    assert keys(case, "码") == keys(case, "代码") == keys(case, "代码的错") == ["code"]
    assert keys(case, "检查") == ["code", "other"]
    assert keys(case, "码代") == []


def test_pieces_of_a_query_must_stand_together(case: Case) -> None:
    """Both texts have all grams of the query; only one has them in its order."""
    with_texts(case, hit="abcdef", miss="abcd bcde cdef def")
    assert keys(case, "abcdef") == ["hit"]


def test_words_do_not_reach_from_one_text_into_the_next(case: Case) -> None:
    case.item("k")
    index()
    assert keys(case, "kilogram of iron? iron is heavier") == []
    assert keys(case, "iron is heavier") == ["k"]


def test_other_projects_are_never_searched(case: Case) -> None:
    case.item("mine")
    make_item(make_project(slug="other"), key="theirs", title="kilogram")
    index()
    assert keys(case, "kilogram") == ["mine"]


@pytest.mark.parametrize("words", ['"', "*", "a OR b", "NEAR(a b)", "grams:x", "%", "_", "\\", "'; --", "-x", "^k"])
def test_signs_of_query_languages_are_searched_as_they_are(case: Case, words: str) -> None:
    with_texts(case, sign=f"here {words} there", none="nothing of the kind")
    assert keys(case, words) == ["sign"] if words != "_" else "sign" in keys(case, words)


def test_words_that_fold_to_nothing_find_nothing(case: Case) -> None:
    case.item()
    index()
    assert keys(case, "\u0301") == []


@pytest.mark.parametrize("analysed", [False, True])
@pytest.mark.parametrize("order", ["pk", "-pk", "-changed_at"])
@pytest.mark.parametrize("words", ["iron", "我"])
def test_few_hits_are_looked_up_by_their_ids(case: Case, words: str, order: str, analysed: bool) -> None:
    if analysed:
        set_statistics()
    plan = matching(case.project, ItemFilters(q=words, state="ready", group="a")).order_by(order)[:51].explain()
    assert "SEARCH annotate_item USING INTEGER PRIMARY KEY (rowid=?)" in plan
    assert ":M1" in plan
    assert "=M1" not in plan


@pytest.mark.parametrize("analysed", [False, True])
@pytest.mark.parametrize("words", ["iron", "我"])
def test_of_many_hits_the_list_is_read_in_its_order(
    case: Case, words: str, analysed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`M1` is a search of the index for pieces; `=M1` would be one for an item at a time."""
    monkeypatch.setattr(text_search, "RARE", -1)
    if analysed:
        set_statistics()
    items = matching(case.project, ItemFilters(q=words))
    for order in [("pk",), ("-pk",), ("-changed_at", "-pk")]:
        plan = items.order_by(*order)[:51].explain()
        assert ":M1" in plan
        assert "TEMP B-TREE" not in plan
        assert not re.search("=M1|rowid=", plan)


@pytest.mark.parametrize("rare", [-1, 5000])
def test_hits_are_the_same_whichever_is_read_first(case: Case, rare: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_search, "RARE", rare)
    with_texts(case, one="heavy water", two="light", three="water, heavy", four="重水")
    assert keys(case, "water") == ["one", "three"]
    assert keys(case, "heavy water") == ["one"]
    assert keys(case, "水") == ["four"]
    case.item("waterfall")
    assert keys(case, "water") == ["one", "three", "waterfall"]
    items = matching(case.project, ItemFilters(q="water", state="imported"))
    assert items.count() == Item.objects.filter(pk__in=items.values("pk")).count()


def test_a_new_item_is_found_by_its_key_at_once_and_by_its_text_once_it_is_indexed(case: Case) -> None:
    case.item("fresh")
    assert keys(case, "fres") == ["fresh"]
    assert keys(case, "denser") == []
    assert search_index.waiting_count(case.project, 10) == 1
    index()
    assert keys(case, "denser") == ["fresh"]
    assert search_index.waiting_count(case.project, 10) == 0


def test_changed_facts_are_indexed_again_and_other_changes_are_not(case: Case) -> None:
    item = case.item()
    index()
    Item.objects.filter(pk=item.pk).update(priority=3, state="accepted", changed_at=item.created_at)
    assert not SearchPending.objects.exists()
    Item.objects.filter(pk=item.pk).update(facts=FACTS | {"user_query": "Now about rivers"})
    index()
    assert keys(case, "rivers") == ["k-1"]
    assert keys(case, "feathers?") == []


def test_a_deleted_item_leaves_nothing_behind(case: Case) -> None:
    item = make_item(case.project)
    index()
    assert grams_stored() == [item.pk]
    item.slots.all().delete()
    item.delete()
    assert grams_stored() == []
    assert not SearchText.objects.exists()


def test_an_erased_item_is_no_longer_found_by_its_words(case: Case) -> None:
    item = case.item("k")
    index()
    withdrawal.erase_texts(item)
    assert grams_stored() == []
    assert not SearchText.objects.exists()
    index()
    assert keys(case, "feathers") == []
    assert keys(case, "k") == ["k"]


def test_an_item_erased_while_a_worker_reads_it_is_not_stored(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    item = case.item()
    read = search_index._texts

    def read_and_erase(*arguments: Any) -> dict[int, str]:
        texts = read(*arguments)
        monkeypatch.setattr(search_index, "_texts", read)
        withdrawal.erase_texts(item)
        return texts

    monkeypatch.setattr(search_index, "_texts", read_and_erase)
    index()
    assert "feathers" not in SearchText.objects.get().text


def test_facts_that_cannot_be_read_leave_key_and_title(case: Case) -> None:
    make_item(case.project, key="broken", title="Legible", facts={})
    index()
    assert keys(case, "legib") == ["broken"]


def test_a_long_text_is_searched_to_the_limit(case: Case) -> None:
    with_texts(case, long=f"{'x' * 30_000} beyond")
    assert len(SearchText.objects.get().text) == search_index.LONGEST
    assert keys(case, "beyond") == []


def test_a_part_is_stored_whole_or_not_at_all(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    case.item()

    def fail(*_arguments: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(search_index, "_store_grams", fail)
    with pytest.raises(RuntimeError):
        index()
    assert SearchPending.objects.exists()
    assert not SearchText.objects.exists()


def test_the_excerpt_is_of_the_text_as_written(case: Case) -> None:
    item = case.item()
    match = text_search.excerpts(case.project, [item.pk], "IRON is")[item.pk]
    assert (match.before, match.match) == ("", "Iron is")


@pytest.mark.parametrize("name", ORDERS)
def test_pages_are_the_same_whether_texts_are_compared_or_the_index_is_read(
    case: Case, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the next items fill the page, the index is not read; where they do not, it is."""
    monkeypatch.setattr(keyset, "SCANNED", 4)
    with_texts(case, **{f"k{n}": "heavy water" if n not in (3, 4, 5) else "light" for n in range(9)})
    items, order = matching(case.project, ItemFilters(q="water")), ORDERS[name]
    scan = Scan(Item.objects.filter(project=case.project), text_search.compared("water"))
    cursors = [None, *(order.cursor(item) for item in Item.objects.filter(project=case.project))]
    for place in [{end: cursor} for end in ("after", "before") for cursor in cursors]:
        expected = page(items, order=order, size=2, **place)
        assert page(items, order=order, size=2, scan=scan, **place) == expected
        assert page(Item.objects.none(), order=order, size=2, scan=scan, **place).items in ([], expected.items)
    assert page(Item.objects.none(), order=order, size=2, scan=scan).items


def test_a_search_counts_fewer_hits_than_a_list(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotate.items.pages.HITS_AT_MOST", 2)
    with_texts(case, first="water", second="water", third="water")
    assert "More than 2 items" in html_of(client_of(case.lead), "/p/fb/items/?q=water")
    assert "3 items" in html_of(client_of(case.lead), "/p/fb/items/")


def test_every_trigger_is_there_after_all_migrations() -> None:
    """A migration that copies the table of items on SQLite drops them, and new items would never be found."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        names = {name for (name,) in cursor.fetchall()}
    assert {"new_items_are_indexed", "changed_items_are_indexed"} <= names


def test_the_command_indexes_without_a_worker_and_again(case: Case) -> None:
    case.item("first")
    assert command("index_items") == (0, {"indexed": 1, "waiting": 0}, "")
    SearchText.objects.all().delete()
    assert command("index_items", case.project.slug)[1] == {"indexed": 1, "waiting": 0}
    SearchText.objects.update(text="stale")
    assert command("index_items", "--rebuild")[1] == {"indexed": 1, "waiting": 0}
    assert keys(case, "feathers") == ["first"]


def test_the_command_says_that_a_worker_has_the_index(case: Case) -> None:
    case.item()
    assert index_items.leases.claim(case.project.pk) is not None
    assert command("index_items")[1] == {"indexed": 0, "waiting": 1}


def test_the_doctor_says_what_is_not_searchable(case: Case) -> None:
    case.item()
    assert (diagnosis.search().state, diagnosis.search().found) == ("note", "1 items are not searchable yet")
    index()
    assert diagnosis.search().state == "ok"


SEARCHES = """
from annotate.chores import index_items
from annotate.items.queries import ItemFilters, matching
from annotate.models import SearchPending, SearchText
from annotate.survey import withdrawal
from django.db import connection
from tests.support.people import make_item, make_project
from tests.support.reviews import FACTS

def index():
    for pk in index_items.leases.claimable():
        index_items.work(pk, whole=True)

def found(words):
    return sorted(matching(project, ItemFilters(q=words)).values_list("key", flat=True))

def grams():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM annotate_searchgrams")
        return cursor.fetchone()[0]

project, other = make_project(), make_project(slug="other")
texts = {"code": "请检查这段代码的错误", "word": "Le Café est à Nairobi", "order": "abcd bcde cdef def"}
items = {key: make_item(project, key=key, title=key, facts=FACTS | {"user_query": text}) for key, text in texts.items()}
make_item(other, key="theirs", title="代码", facts=FACTS)
index()
result = {words: found(words) for words in asked}
result["pending"] = SearchPending.objects.count()
withdrawal.erase_texts(items["code"])
result["texts without it"], result["grams without it"] = SearchText.objects.count(), grams()
index()
result["erased"], result["key"] = found("代码"), found("code")
if connection.vendor == "postgresql":
    with connection.cursor() as cursor:
        cursor.execute("SELECT datctype FROM pg_database WHERE datname = current_database()")
        result["locale"] = cursor.fetchone()[0]
"""
HITS = {
    "码": ["code"],
    "代码": ["code"],
    "代码的错误": ["code"],
    "错代": [],
    "CAFE EST": ["word"],
    "nairobi": ["word"],
    "é": ["code", "order", "word"],
    "abcdef": [],
    "bcde cdef": ["order"],
}


def check(installation: Installation) -> dict[str, Any]:
    outcome: dict[str, Any] = installation.python(SEARCHES, asked=list(HITS))
    assert {words: outcome[words] for words in HITS} == HITS
    assert outcome["pending"] == 0
    assert (outcome["texts without it"], outcome["grams without it"]) == (3, 3)
    assert (outcome["erased"], outcome["key"]) == ([], ["code"])
    return outcome


@pytest.mark.slow
def test_both_databases_find_the_same(installations: Installations, database: str) -> None:
    with installations.migrated(database) as installation:
        check(installation)


@pytest.mark.slow
@pytest.mark.postgres
def test_postgresql_finds_chinese_under_the_locale_c(postgres_server: PostgresServer, tmp_path: Path) -> None:
    """There its own extension for trigrams drops every letter that is not ASCII."""
    create = "CREATE DATABASE locale_c TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
    with psycopg.connect(postgres_server.url("postgres"), autocommit=True) as server:
        server.execute(create)
    installation = Installation(folder=tmp_path, database_url=postgres_server.url("locale_c"))
    try:
        installation.manage("migrate")
        assert check(installation)["locale"] == "C"
    finally:
        installation.close()
        postgres_server.drop("locale_c")
