from xml.etree import ElementTree

import pytest

from lib.charts.dot_plots import group_dots
from lib.charts.marks import WIDTHS
from lib.charts.radar import RadarLine
from tests.lib.charts.drawn import numbers, words

GROUPS = [f"group {number} <&>" for number in range(12)]
LINES = [RadarLine("a", [50.0 + number for number in range(12)]), RadarLine("b", [None, *[70.0] * 11])]


@pytest.mark.parametrize("wide", WIDTHS)
def test_every_group_has_its_row_and_every_author_a_mark_in_it(wide: int) -> None:
    svg = group_dots(GROUPS, LINES, label="x", wide=wide)
    ElementTree.fromstring(svg)
    assert len(words(svg, "name")) == 12
    assert svg.count('class="mark series-1"') == 12
    assert svg.count('class="mark series-2"') == 11  # one has no value


def test_larger_values_stand_further_right_and_inside() -> None:
    svg = group_dots(GROUPS, LINES[:1], label="x", wide=780)
    places = [mark["cx"] for mark in numbers(svg, "circle", "mark series-1")]
    assert places == sorted(places)
    assert 0 < places[0] < places[-1] < 780


def test_nothing_is_drawn_of_nothing() -> None:
    assert group_dots([], [], label="x").startswith("<svg")
