"""Colours of charts, as people with and without a colour vision deficiency see them.

The three matrices simulate dichromacy in linear light. Source: Machado, Oliveira, Fernandes, A physiologically-based
model for simulation of color vision deficiency (IEEE TVCG 15, 2009), severity 1.0.
"""

from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from lib.charts.heat_colours import (
    DARK,
    LEVELS,
    LIGHT,
    STOPS,
    SWAY,
    colour,
    encoded,
    linear,
    look,
    luminance,
    style_sheet,
    text_colour,
)
from tests.look.test_styles import CSS, contrast
from tests.look.test_styles import DARK as DARK_TOKENS
from tests.look.test_styles import LIGHT as LIGHT_TOKENS

VISION = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE_POINT = np.array([0.95047, 1.0, 1.08883])
SCALES = [(scale, theme) for scale in STOPS for theme in (LIGHT, DARK)]
SERIES = [f"--series-{number}" for number in range(1, 7)]


def lab(shade: str, vision: str) -> NDArray[np.float64]:
    """CIE L*a*b* (D65) of a colour as it is seen."""
    parts = TO_XYZ @ np.clip(VISION[vision] @ linear(shade), 0, 1) / WHITE_POINT
    bent = np.where(parts > 216 / 24389, np.cbrt(parts), (24389 / 27 * parts + 16) / 116)
    return np.array([116 * bent[1] - 16, 500 * (bent[0] - bent[1]), 200 * (bent[1] - bent[2])])


def difference(one: str, other: str, vision: str) -> float:
    """CIE 1976 colour difference; about 2.3 is just noticeable."""
    return float(np.linalg.norm(lab(one, vision) - lab(other, vision)))


def test_black_and_white_are_as_far_apart_as_can_be() -> None:
    assert difference("#000000", "#FFFFFF", "usual") == pytest.approx(100, abs=0.1)
    assert encoded(linear("#57A3C1")) == pytest.approx([0x57 / 255, 0xA3 / 255, 0xC1 / 255])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(("scale", "theme"), SCALES)
def test_values_ten_apart_look_different(scale: str, theme: str, vision: str) -> None:
    shades = [colour(scale, theme, value) for value in range(0, 101, 10)]
    assert min(difference(*pair, vision) for pair in pairwise(shades)) >= 4


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(("scale", "theme"), SCALES)
def test_neighbouring_values_look_nearly_alike(scale: str, theme: str, vision: str) -> None:
    shades = [colour(scale, theme, value) for value in LEVELS]
    assert max(difference(*pair, vision) for pair in pairwise(shades)) < 4


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(("scale", "theme"), SCALES)
def test_lightness_runs_one_way_to_each_end(scale: str, theme: str, vision: str) -> None:
    lightness = [lab(colour(scale, theme, value), vision)[0] for value in range(0, 101, 5)]
    sides = [lightness[:11], lightness[10:]] if scale == SWAY else [lightness]
    for side in sides:
        assert list(side) in (sorted(side), sorted(side, reverse=True))


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_both_sides_of_a_middle_are_told_apart(theme: str, vision: str) -> None:
    for away in (20, 30, 40, 50):
        assert difference(colour(SWAY, theme, 50 - away), colour(SWAY, theme, 50 + away), vision) >= 20


@pytest.mark.parametrize(("scale", "theme"), SCALES)
def test_the_number_in_every_cell_can_be_read(scale: str, theme: str) -> None:
    grounds = [colour(scale, theme, value) for value in LEVELS]
    assert min(contrast(text_colour(ground), ground) for ground in grounds) >= 4.5


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("tokens", [LIGHT_TOKENS, DARK_TOKENS], ids=["light", "dark"])
def test_the_series_of_a_chart_are_told_apart(tokens: dict[str, str], vision: str) -> None:
    for one, other in combinations(SERIES, 2):
        assert difference(tokens[one], tokens[other], vision) >= 13, (one, other)


@pytest.mark.parametrize("tokens", [LIGHT_TOKENS, DARK_TOKENS], ids=["light", "dark"])
def test_the_series_of_a_chart_stand_out(tokens: dict[str, str]) -> None:
    assert min(contrast(tokens[name], tokens["--surface"]) for name in SERIES) >= 3


def test_the_style_sheet_is_the_one_that_the_stops_give() -> None:
    sheet = (CSS / "heat.css").read_text(encoding="utf-8")
    assert sheet == style_sheet()
    assert f".{look(SWAY, 57)}{{" in sheet


def test_the_ends_are_the_stops_and_values_outside_are_the_ends() -> None:
    for scale, theme in SCALES:
        assert colour(scale, theme, -5) == STOPS[scale][theme][0]
        assert colour(scale, theme, 200) == STOPS[scale][theme][-1]
    assert luminance("#FFFFFF") == pytest.approx(1)
