import pytest

from lib.charts.heat_colours import COOL, HEAT, SWAY
from lib.charts.heat_map import HeatScale, scale_around


@pytest.mark.parametrize(("value", "look"), [(0, "heat-0"), (57.4, "heat-57"), (100, "heat-100"), (130, "heat-100")])
def test_a_value_has_the_colour_of_its_place_on_the_scale(value: float, look: str) -> None:
    assert HeatScale(HEAT).look(value) == look


def test_a_scale_has_round_ends_around_its_values_and_says_them() -> None:
    scale = scale_around(COOL, [61.2, 88.9])
    assert (scale.low, scale.high) == (60, 90)
    assert scale.marks == ["60", "90"]
    assert scale.look(75) == "cool-50"


def test_a_scale_with_two_sides_says_its_middle() -> None:
    assert HeatScale(SWAY).marks == ["0", "50", "100"]
