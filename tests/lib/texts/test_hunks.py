import pytest
from hypothesis import given

from lib.texts.differences import DifferencePiece, Hunk, changes_only, difference
from tests.lib.texts.writing import mixed_texts

NUMBERS = [f"n{number}" for number in range(40)]


def numbers(**replaced: str) -> str:
    return " ".join(replaced.get(word, word) for word in NUMBERS)


def test_a_hunk_shows_a_change_with_its_surroundings() -> None:
    found = difference(numbers(), numbers(n20="new"))
    assert changes_only(found, context=2) == [
        Hunk(
            pieces=[
                DifferencePiece("same", "n18 n19 "),
                DifferencePiece("removed", "n20"),
                DifferencePiece("added", "new"),
                DifferencePiece("same", " n21 n22"),
            ],
            cut_before=True,
            cut_after=True,
        )
    ]


def test_near_changes_share_a_hunk_and_far_ones_do_not() -> None:
    found = difference(numbers(), numbers(n10="x", n14="y", n30="z"))
    assert [len(hunk.pieces) for hunk in changes_only(found, context=3)] == [7, 4]


def test_hunks_at_the_ends_are_not_cut_there() -> None:
    first, last = changes_only(difference(numbers(), numbers(n0="x", n39="y")))
    assert (first.cut_before, first.cut_after) == (False, True)
    assert (last.cut_before, last.cut_after) == (True, False)


@pytest.mark.parametrize("text", ["", "the same", numbers()])
def test_without_a_change_there_is_no_hunk(text: str) -> None:
    assert changes_only(difference(text, text)) == []


@given(mixed_texts, mixed_texts)
def test_every_change_is_in_exactly_one_hunk_in_order(old: str, new: str) -> None:
    found = difference(old, new)
    shown = [piece for hunk in changes_only(found, context=1) for piece in hunk.pieces if piece.op != "same"]
    assert shown == [piece for piece in found.pieces if piece.op != "same"]
