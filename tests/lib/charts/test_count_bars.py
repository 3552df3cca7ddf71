import pytest

from lib.charts.bars import CountRow, HistogramBin, count_bars, histogram
from tests.lib.charts.drawn import numbers, words


def test_bars_are_as_long_as_their_counts() -> None:
    svg = count_bars([CountRow("a", (40,)), CountRow("b", (10,)), CountRow("c", (0,))], label="x")
    long, short, none = (each["width"] for each in numbers(svg, "rect", "bar"))
    assert long == pytest.approx(4 * short, abs=0.3)
    assert none == 0
    assert words(svg, "aside") == ["40", "10", "0"]


def test_numbers_set_against_each_other_have_bars_of_their_own() -> None:
    svg = count_bars([CountRow("a", (4, 2))], label="x", looks=("bar bar--soft", "bar"))
    (before,), (after,) = numbers(svg, "rect", "bar bar--soft"), numbers(svg, "rect", "bar")
    assert before["width"] == pytest.approx(2 * after["width"], abs=0.2)
    assert before["y"] + before["height"] <= after["y"]


def test_nothing_is_a_chart_without_bars() -> None:
    assert "<rect" not in count_bars([], label="x")
    assert "<rect" not in histogram([], [], label="x")


def test_names_are_text_and_no_markup() -> None:
    assert "&lt;b&gt;" in count_bars([CountRow("<b>", (1,))], label="x")


def test_a_histogram_is_as_high_as_its_counts_and_marks_where_it_is_told() -> None:
    bins = [HistogramBin(0, 10, 4), HistogramBin(10, 20, 2), HistogramBin(20, None, 1)]
    svg = histogram(bins, [("median", 10)], label="x")
    first, second, more = numbers(svg, "rect", "bar bar--pale")
    assert first["height"] == pytest.approx(2 * second["height"], abs=0.2)
    assert first["height"] == pytest.approx(4 * more["height"], abs=0.2)
    (mark,) = numbers(svg, "line", "target")
    assert mark["x1"] == pytest.approx(second["x"])
    assert "≥ 20" in svg
