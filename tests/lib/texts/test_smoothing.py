from hypothesis import given
from hypothesis import strategies as st

from lib.texts.diff import TokenChange, changes, smooth
from lib.texts.tokens import tokens


def smoothed(old: str, new: str) -> list[tuple[str, str]]:
    left, right = tokens(old), tokens(new)
    found = smooth(changes(left, right, timeout=10), left, right)
    return [("".join(left[c.old_start : c.old_end]), "".join(right[c.new_start : c.new_end])) for c in found]


def test_a_crumb_between_two_changes_joins_them() -> None:
    assert smoothed("start quick a clever end", "start slow a stupid end") == [("quick a clever", "slow a stupid")]


def test_a_longer_common_text_keeps_changes_apart() -> None:
    assert smoothed("old and everything else was fine yes", "new and everything else was fine no") == [
        ("old", "new"),
        ("yes", "no"),
    ]


def test_a_join_can_swallow_what_stands_before_it() -> None:
    # "bb" is longer than "a", but not than the change that "cccc" and "dd" make with "ee".
    assert smoothed("a bb cccc dd ee", "x bb yyyy dd zz") == [("a", "x"), ("cccc dd ee", "yyyy dd zz")]
    assert smoothed("aa b cccc dd ee", "xx b yyyy dd zz") == [("aa b cccc dd ee", "xx b yyyy dd zz")]


def test_an_added_sentence_is_marked_as_a_sentence() -> None:
    assert smoothed("第一句。第三句。", "第一句。第二句。第三句。") == [("", "第二句。")]
    assert smoothed("He came. He won.", "He came. He saw. He won.") == [("", "He saw. ")]


def test_an_added_line_is_marked_as_a_line() -> None:
    assert smoothed("- item one\n- item two\n", "- item one\n- item new\n- item two\n") == [("", "- item new\n")]


def test_a_removed_line_is_marked_as_a_line() -> None:
    assert smoothed("x = 1\nx = 2\nx = 3\n", "x = 1\nx = 3\n") == [("x = 2\n", "")]


@given(st.text(alphabet="ab ", max_size=40), st.text(alphabet="ab ", max_size=40))
def test_smoothing_changes_no_text(old: str, new: str) -> None:
    found = smooth(changes(old, new, timeout=10), old, new)
    old_at = new_at = 0
    for change in [*found, TokenChange(len(old), len(old), len(new), len(new))]:
        assert change.old_start >= old_at
        assert old[old_at : change.old_start] == new[new_at : change.new_start]
        old_at, new_at = change.old_end, change.new_end
