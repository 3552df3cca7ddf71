import pytest

from annotate.work.keys import ACTIONS, BadKeys, key_symbol, keys_of, read_keys


def test_our_keys_do_not_collide() -> None:
    assert read_keys({}) == {}


def test_only_keys_that_differ_from_ours_are_kept() -> None:
    assert read_keys({"keep": "y", "skip": "s"}) == {"keep": "y"}


def test_an_own_key_stands_in_place_of_ours() -> None:
    assert keys_of({"keep": "y"}) == {action.name: action.key for action in ACTIONS} | {"keep": "y"}


@pytest.mark.parametrize(("typed", "key"), [("↑", "ArrowUp"), ("home", "Home"), (" Y ", "y"), ("%", "%")])
def test_keys_are_read_as_people_write_them(typed: str, key: str) -> None:
    given = {"keep": typed, "up": "PageUp"} if key == "ArrowUp" else {"keep": typed}
    assert read_keys(given)["keep"] == key


def test_keys_may_change_places() -> None:
    assert read_keys({"keep": "r", "reset": "k"}) == {"keep": "r", "reset": "k"}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"keep": "s"}, {"keep", "skip"}),
        ({"keep": "S"}, {"keep", "skip"}),
        ({"keep": "1"}, {"keep"}),
        ({"keep": "Ctrl+K"}, {"keep"}),
        ({"keep": "\x07"}, {"keep"}),
    ],
)
def test_collisions_digits_and_nonsense_are_refused_by_name(given: dict[str, str], named: set[str]) -> None:
    with pytest.raises(BadKeys) as refused:
        read_keys(given)
    assert set(refused.value.errors) == named


def test_keys_are_shown_as_they_are_printed_on_a_keyboard() -> None:
    assert [key_symbol(key) for key in ("ArrowLeft", "k", "?", "F2")] == ["←", "K", "?", "F2"]
