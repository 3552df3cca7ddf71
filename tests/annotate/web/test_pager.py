"""The pager: every row of a list is on exactly one page, forwards and backwards."""

import pytest
from django.http import HttpRequest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from annotate.web.pager import index_page, numbered_page, row_named, row_page


def request(query: str) -> HttpRequest:
    return RequestFactory().get(f"/?{query}")


@given(st.integers(0, 30), st.integers(1, 7))
def test_walking_forwards_and_back_meets_every_row_once(n: int, size: int) -> None:
    rows = list(range(n))
    page, pages = row_page(rows, size), []
    assert page.previous is None
    while True:
        pages.append(page)
        if page.next is None:
            break
        page = row_page([row for row in rows if row > page.next], size, after=True)
        assert page.previous == page.rows[0]
    assert [row for page in pages for row in page.rows] == rows
    for earlier, later in zip(reversed(pages[:-1]), reversed(pages[1:]), strict=True):
        back = row_page([row for row in reversed(rows) if row < later.rows[0]], size, before=True)
        assert back.rows == earlier.rows
        assert back.next == earlier.rows[-1]
        assert (back.previous is None) == (earlier is pages[0])


def test_a_place_beyond_the_last_row_has_no_neighbours() -> None:
    assert row_page([], 3, after=True) == row_page([], 3, before=True) == row_page([], 3)


@pytest.mark.parametrize(
    ("start", "rows", "previous", "following"),
    [(0, "ab", None, 2), (2, "cd", 0, 4), (4, "e", 2, None), (1, "bc", 0, 3), (6, "", 4, None)],
)
def test_a_page_from_an_index_knows_where_its_neighbours_start(
    start: int, rows: str, previous: int | None, following: int | None
) -> None:
    page = index_page("abcde", 2, start)
    assert (page.rows, page.total, page.previous, page.next) == (rows, 5, previous, following)


@pytest.mark.parametrize(("query", "number"), [("", 1), ("page=2", 2), ("page=9", 3), ("page=x", 1)])
def test_a_number_beyond_the_pages_shows_the_last_one(query: str, number: int) -> None:
    assert numbered_page(request(query), "abcde", 2).number == number


@pytest.mark.parametrize(
    ("text", "row"), [("12", 12), ("", None), ("-1", None), ("x", None), ("9" * 18, 10**18 - 1), ("9" * 19, None)]
)
def test_only_a_whole_number_names_a_row(text: str, row: int | None) -> None:
    assert row_named(request(f"after={text}"), "after") == row
