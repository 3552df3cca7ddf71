import pytest

from lib.charts.dot_plots import DifferenceDot, differences
from lib.charts.line_chart import FOOT, LineDot, ShareLine, by_number
from tests.lib.charts.drawn import numbers, words


def test_points_stand_above_their_number_as_high_as_their_share() -> None:
    """Of 300 pixels 38 are below and 32 above: a half lies 115 above the bottom, 262. The key's mark comes first."""
    svg = by_number([ShareLine("a", [LineDot(1, 0.0), LineDot(2, 50.0, 25.0, 75.0)])], label="l", below="n")
    _key, first, second = numbers(svg, "circle", "person")
    assert (first["cy"], second["cy"]) == (pytest.approx(300 - FOOT), pytest.approx(262 - 115))
    assert second["cx"] - first["cx"] == pytest.approx((620 - 34 - 10) / 2, abs=0.1)
    (whisker,) = numbers(svg, "line", "whisker")
    assert sorted([whisker["y1"], whisker["y2"]]) == pytest.approx([262 - 172.5, 262 - 57.5])


def test_what_has_no_value_is_not_drawn_and_a_single_point_has_no_line() -> None:
    svg = by_number([ShareLine("a", [LineDot(1, None), LineDot(2, 50.0)])], label="l", below="n")
    assert len(numbers(svg, "circle", "person")) == 2  # the key and the point
    assert svg.count("<polyline") == 1  # of the key


def test_a_name_is_text_and_no_mark_up() -> None:
    svg = by_number([ShareLine("<b>", [LineDot(1, 5.0)])], label="l", below="n")
    assert "<b>" not in svg


def test_differences_stand_on_both_sides_of_nothing() -> None:
    svg = differences([DifferenceDot("up", 2.0, 1.0, 3.0), DifferenceDot("down", -1.0)], label="l", wide=620)
    (zero,) = numbers(svg, "line", "axis")
    up, down = numbers(svg, "circle", "person")
    assert down["cx"] < zero["x1"] < up["cx"]
    (span,) = numbers(svg, "line", "person span")
    assert span["x1"] < up["cx"] < span["x2"]
    assert words(svg, "name") == ["up", "down"]


def test_a_difference_of_nothing_alone_can_be_drawn() -> None:
    svg = differences([DifferenceDot("same", 0.0)], label="l", wide=330)
    (dot,) = numbers(svg, "circle", "person")
    assert dot["cx"] == pytest.approx(8)
