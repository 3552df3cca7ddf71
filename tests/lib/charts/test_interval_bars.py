import pytest

from lib.charts.bars import Bar, interval_bars
from tests.lib.charts.drawn import numbers, words


def test_bars_are_as_long_as_their_values() -> None:
    svg = interval_bars([Bar("a", 80), Bar("b", 40), Bar("c", 0)], label="x")
    long, half, none = (each["width"] for each in numbers(svg, "rect", "bar bar--pale"))
    assert long == pytest.approx(2 * half, abs=0.2)
    assert none == 0


def test_an_interval_lies_around_its_value() -> None:
    # A name of 10 units is 6.96 wide, so bars begin at 16.96; 620 - 16.96 - 48 = 555.04 for a hundred.
    svg = interval_bars([Bar("a", 50, 40, 60)], label="x")
    (rect,) = numbers(svg, "rect", "bar bar--pale")
    assert rect["x"] == pytest.approx(16.96, abs=0.1)
    assert 'class="span" d="M239' in svg  # 16.96 + 40 % of 555.04
    assert "H350" in svg  # 16.96 + 60 %


def test_every_bar_has_its_name_and_number() -> None:
    svg = interval_bars([Bar("one", 12.34), Bar("two", None)], label="x", missing="no item")
    assert words(svg, "name") == ["one", "12.3", "two"]
    assert words(svg, "aside") == ["no item"]


def test_a_number_of_few_is_drawn_pale() -> None:
    assert 'class="bar bar--soft"' in interval_bars([Bar("a", 50, thin=True)], label="x")


def test_on_a_phone_names_stand_above_their_bars() -> None:
    name = "a-model-with-a-long-name-of-40-letters-1"
    svg = interval_bars([Bar(name, 50)], label="x", wide=334)
    assert name in svg
    (rect,) = numbers(svg, "rect", "bar bar--pale")
    assert rect["x"] == 0
    assert rect["width"] == pytest.approx((334 - 48) / 2)


def test_a_name_that_is_too_long_is_cut() -> None:
    assert "…</text>" in interval_bars([Bar("x" * 200, 50)], label="x")


def test_nothing_can_be_drawn_and_names_are_escaped() -> None:
    assert interval_bars([], label="x").startswith("<svg")
    svg = interval_bars([Bar("<b>", 50)], label='"><script>')
    assert "<b>" not in svg
    assert "<script>" not in svg
    assert "style" not in svg
