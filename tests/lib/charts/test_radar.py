import re
from html import unescape
from itertools import combinations
from math import hypot

import pytest

from annotate.kinds.feedback.shapes import TASKS
from lib.charts.marks import width
from lib.charts.radar import RadarLine, mark, radar
from lib.charts.scatter import Box
from tests.lib.charts.drawn import corners, numbers, words

GROUPS = ["north", "east", "south", "west"]


def test_a_score_of_a_hundred_reaches_the_outer_ring_and_half_of_it_half_way() -> None:
    svg = radar(GROUPS, [RadarLine("a", [100, 50, 100, 0])], label="x")
    outer = corners(svg, "grid ring")[-1]
    (found,) = corners(svg, "series series-1")
    centre_x, centre_y = outer[0][0], outer[1][1]
    radius = centre_y - outer[0][1]
    lengths = [hypot(x - centre_x, y - centre_y) / radius for x, y in found]
    assert lengths == pytest.approx([1, 0.5, 1, 0], abs=0.01)
    assert found[0][1] < centre_y < found[2][1]  # the first group is up


def test_the_outer_ring_is_the_first_round_number_that_no_score_passes() -> None:
    svg = radar(GROUPS, [RadarLine("a", [55, 50, 10, 0])], label="x")
    assert words(svg, "aside") == ["15", "30", "45", "60"]
    (found,) = corners(svg, "series series-1")
    outer = corners(svg, "grid ring")[-1]
    assert found[0][1] > outer[0][1]  # 55 of 60: below the upper corner
    assert words(radar(GROUPS, [RadarLine("a", [None] * 4)], label="x"), "aside") == ["5", "10", "15", "20"]


def test_a_missing_value_leaves_a_gap() -> None:
    svg = radar(GROUPS, [RadarLine("a", [10, None, 30, 40])], label="x")
    assert corners(svg, "series series-1") == []
    assert len(numbers(svg, "line", "series series-1")) == 2  # south to west, west to north
    assert len(numbers(svg, "circle", "mark series-1")) == 3


def test_lines_have_marks_of_different_shapes() -> None:
    svg = radar(GROUPS, [RadarLine(str(n), [50] * 4) for n in range(6)], label="x")
    shapes = [len(corners(svg, f"mark series-{place}")[0]) for place in range(2, 7)]
    assert len(numbers(svg, "circle", "mark series-1")) == 4
    assert shapes == [4, 3, 4, 3, 12]
    assert len({str(mark(place)) for place in range(1, 7)}) == 6


def test_no_more_than_six_lines_are_drawn() -> None:
    svg = radar(GROUPS, [RadarLine(str(n), [50] * 4) for n in range(9)], label="x")
    assert "series-6" in svg
    assert "series-7" not in svg


@pytest.mark.parametrize("groups", [[], ["a"], ["a", "b"]])
def test_fewer_than_three_groups_make_no_area(groups: list[str]) -> None:
    assert radar(groups, [RadarLine("a", [50] * len(groups))], label="x") == ""


def test_without_authors_there_is_nothing_to_draw() -> None:
    assert radar(GROUPS, [], label="x") == ""


def test_long_names_are_broken_in_two_and_escaped() -> None:
    groups = ["Equations and Inequalities of all sorts", "<b>bold</b>", "文本纠错与语法检查和其他很多很多任务"]
    svg = radar(groups, [RadarLine("a", [1, 2, 3])], label='"><script>', size=334)
    assert "<b>" not in svg
    assert "<script>" not in svg
    assert all(len(unescape(line)) < 16 for line in words(svg, "name"))


SUBTASKS = [name for names in TASKS.values() for name in names]


@pytest.mark.parametrize("size", [560, 660])
@pytest.mark.parametrize(
    "groups", [list(TASKS), *(SUBTASKS[:n] for n in range(3, 25))], ids=lambda names: str(len(names))
)
def test_names_around_the_web_do_not_cover_each_other(groups: list[str], size: int) -> None:
    svg = radar(groups, [RadarLine("a", [50] * len(groups))], label="x", size=size)
    boxes = [box_of(*each) for each in re.findall(NAME, svg)]
    assert len(boxes) >= len(groups)
    assert [pair for pair in combinations(boxes, 2) if pair[0].shared(pair[1])] == []
    assert all(box.left >= 0 and box.right <= size for box in boxes)


NAME = r'<text class="name" x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)">([^<]*)</text>'


def box_of(x: str, y: str, anchor: str, said: str) -> Box:
    """Where a line of words stands; its letters are 11 high."""
    wide = width(unescape(said))
    left = float(x) - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
    return Box(left, float(y) - 9, left + wide, float(y) + 2)
