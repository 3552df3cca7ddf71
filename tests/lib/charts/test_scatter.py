import re

import pytest

from lib.charts.scatter import MOST_NAMED, ScatterDot, ScatterWords, scatter
from tests.lib.charts.drawn import numbers, words

SAID = ScatterWords("Both scores", "Correction", "Maintenance", "above", "below")


def dots(*places: tuple[float, float]) -> list[ScatterDot]:
    return [ScatterDot(f"author {number}", *place) for number, place in enumerate(places)]


def test_a_dot_with_equal_scores_lies_on_the_diagonal() -> None:
    svg = scatter(dots((40, 40), (60, 60), (50, 70)), SAID)
    (line,) = numbers(svg, "line", "diagonal-line")
    on, also_on, above = numbers(svg, "circle", "person")
    for dot in (on, also_on):
        share = (dot["cx"] - line["x1"]) / (line["x2"] - line["x1"])
        assert dot["cy"] == pytest.approx(line["y1"] + share * (line["y2"] - line["y1"]), abs=0.2)
    share = (above["cx"] - line["x1"]) / (line["x2"] - line["x1"])
    assert above["cy"] < line["y1"] + share * (line["y2"] - line["y1"])  # smaller is higher up


def test_a_greater_score_is_further_right_and_further_up() -> None:
    low, high = numbers(scatter(dots((30, 30), (80, 80)), SAID), "circle", "person")
    assert high["cx"] > low["cx"]
    assert high["cy"] < low["cy"]


def test_whiskers_end_where_the_intervals_do() -> None:
    svg = scatter([ScatterDot("a", 50, 50, (40, 60), (45, 55)), ScatterDot("b", 40, 45), ScatterDot("c", 60, 55)], SAID)
    across, down = numbers(svg, "line", "whisker")
    _a, left_low, right_high = numbers(svg, "circle", "person")
    assert (across["x1"], across["x2"]) == (left_low["cx"], right_high["cx"])
    assert (down["y1"], down["y2"]) == (left_low["cy"], right_high["cy"])


def test_every_author_has_a_name_and_every_mark_says_its_numbers() -> None:
    svg = scatter(dots((30, 30), (80, 81.256)), SAID)
    assert words(svg, "name") == ["author 0", "author 1"]
    assert "<title>author 1: 80.00, 81.26</title>" in svg


def test_names_are_escaped_and_nothing_is_styled() -> None:
    svg = scatter([ScatterDot('<script>"', 1, 2)], ScatterWords('"><b>', "<i>", "<i>"))
    assert "<script>" not in svg
    assert "<i>" not in svg
    assert "<b>" not in svg
    assert "style" not in svg


@pytest.mark.parametrize("places", [[], [(50.0, 50.0)], [(0.0, 0.0)], [(100.0, 100.0)], [(0.0, 100.0)]])
def test_everything_lies_inside_of_the_drawing(places: list[tuple[float, float]]) -> None:
    svg = scatter(dots(*places), SAID, size=400)
    found = numbers(svg, "circle", "person")
    assert len(found) == len(places)
    assert all(44 <= each["cx"] <= 388 and 26 <= each["cy"] <= 356 for each in found)


def test_many_intervals_step_back() -> None:
    assert "chart--crowded" in scatter(dots(*[(50, 50)] * 12), SAID)
    assert "chart--crowded" not in scatter(dots(*[(50, 50)] * 11), SAID)


def test_a_name_far_from_its_dot_is_tied_to_it() -> None:
    alone, crowd = scatter(dots((50, 50)), SAID), scatter(dots(*[(50, 50)] * 9), SAID)
    assert not re.search('class="leader"', alone)
    assert re.search('class="leader"', crowd)


@pytest.mark.parametrize(
    ("dot", "shown"),
    [
        (ScatterDot("a", 50, 50), ["above", "below"]),
        (ScatterDot("a", 4, 97), ["below"]),
        (ScatterDot("a", 97, 4), ["above"]),
        (ScatterDot("a", 50, 97, (2, 98), (90, 98)), ["below"]),
        (ScatterDot("a", 50, 50, (2, 98), (2, 98)), ["above", "below"]),
    ],
)
def test_no_remark_stands_over_a_dot_or_its_interval(dot: ScatterDot, shown: list[str]) -> None:
    svg = scatter([ScatterDot("low", 0, 0), ScatterDot("high", 100, 100), dot], SAID)
    assert [remark for remark in words(svg, "aside") if remark] == shown


def test_with_more_points_than_names_have_room_only_the_titles_name_them() -> None:
    many = dots(*((number / 10, number / 10) for number in range(MOST_NAMED + 1)))
    svg = scatter(many, SAID)
    assert svg.count("<circle ") == MOST_NAMED + 1
    assert "author 60: 6.00, 6.00" in svg
    assert 'class="name"' not in svg
    assert scatter(many[1:], SAID).count('class="name"') == MOST_NAMED
