"""What the search over items asks PostgreSQL: its statements, compiled without a server."""

import pytest

from annotate.items import text_search
from tests.support.postgres_statements import postgres_without_server
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def asked(case: Case, words: str, monkeypatch: pytest.MonkeyPatch, **options: bool) -> str:
    """The condition of the statement."""
    postgres, _statements = postgres_without_server()
    with monkeypatch.context() as patched:
        patched.setattr(text_search, "connection", postgres)
        patched.setattr("annotate.items.search_index.connection", postgres)
        query = text_search.hits(case.project, words, **options).order_by().query
    sql, _values = query.get_compiler(connection=postgres).as_sql()
    return sql.partition(" WHERE ")[2]


def test_a_page_is_asked_for_by_the_grams_of_each_item_and_its_text(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    condition = asked(case, "kilogram", monkeypatch)
    assert 'annotate_indexed_grams("annotate_searchgrams"."grams") @> %s::bigint[]' in condition
    assert 'annotate_text_holds("annotate_searchtext"."text", %s)' in condition
    assert " IN (" not in condition


def test_short_words_need_no_look_at_the_text(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "annotate_text_holds" not in asked(case, "码", monkeypatch)


def test_all_hits_are_asked_for_at_once(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    condition = asked(case, "kilogram", monkeypatch, whole=True)
    assert "IN (SELECT * FROM annotate_items_holding(%s::bigint[]))" in condition
    assert "annotate_indexed_grams" not in condition


def test_items_that_wait_for_the_index_are_added_by_their_ids(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    case.item("kilogram-1")
    condition = asked(case, "kilogram", monkeypatch)
    assert condition.count(" IN (") == 2
    assert " OR " in condition
