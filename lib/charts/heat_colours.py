"""Colours of heat maps: continuous scales, interpolated in OKLab, for the light and the dark theme.

A cell has the class of its scale and of its value in per cent, such as `heat-57`; static/css/heat.css holds the colours
of all of them and is written by `python -m lib.charts.heat_colours`.
Source of OKLab: B. Ottosson, A perceptual color space for image processing (2020).
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Colour = NDArray[np.float64]  # (3,): red, green, blue, 0..1, as a screen takes them
LIGHT, DARK = "light", "dark"
HEAT, COOL, SWAY = "heat", "cool", "sway"
LEVELS = range(101)
# Stops at equal distances. heat: much is bad; cool: much is good; sway: both sides of a middle.
STOPS: Mapping[str, Mapping[str, Sequence[str]]] = {
    HEAT: {
        LIGHT: ("#FAF6E9", "#F5E5C1", "#F1CB95", "#EAA565", "#D67844", "#AF4831", "#7A272A"),
        DARK: ("#281E1A", "#462924", "#6A352C", "#94462E", "#C57036", "#DE984B", "#F0D08F"),
    },
    COOL: {
        LIGHT: ("#EEF7FC", "#D3EAF9", "#B1D8F2", "#83BBE6", "#5897D2", "#356DAF", "#214682"),
        DARK: ("#1B2129", "#223348", "#29486B", "#316492", "#4A89BB", "#71B2DC", "#B1DBF3"),
    },
    SWAY: {
        LIGHT: ("#8A3B0C", "#C9682C", "#EFB88D", "#F5F5F3", "#A3CBEA", "#4A89C2", "#1B4C84"),
        DARK: ("#F6BE8E", "#CF7A3C", "#7C4420", "#1F2328", "#274B70", "#4587BD", "#A9D6F5"),
    },
}
BLACK, WHITE = "#000000", "#FFFFFF"  # one of them has a contrast of at least 4.58 on any colour
_TO_CONES = np.array(
    [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
     [0.0883024619, 0.2817188376, 0.6299787005]]
)  # fmt: skip
_TO_LAB = np.array(
    [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
     [0.0259040371, 0.7827717662, -0.8086757660]]
)  # fmt: skip


def colour(scale: str, theme: str, value: float) -> str:
    """The colour of a value of 0..100, as #RRGGBB; values outside have the colour of the end."""
    stops = [_oklab(stop) for stop in STOPS[scale][theme]]
    position = min(max(value, 0.0), 100.0) / 100 * (len(stops) - 1)
    left = min(int(position), len(stops) - 2)
    return _hex(stops[left] + (stops[left + 1] - stops[left]) * (position - left))


def text_colour(ground: str) -> str:
    """Black or white, whichever is read better on this colour."""
    light = luminance(ground)
    return BLACK if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else WHITE


def luminance(shade: str) -> float:
    """Relative luminance by WCAG 2, 0..1."""
    return float(linear(shade) @ [0.2126, 0.7152, 0.0722])


def linear(shade: str) -> Colour:
    """#RRGGBB as linear light, 0..1."""
    channels = np.array([int(shade[start : start + 2], 16) / 255 for start in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def encoded(light: Colour) -> Colour:
    """Linear light as the channels of a screen, 0..1; what a screen cannot show is cut."""
    light = np.clip(light, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def look(scale: str, value: float) -> str:
    """The class of a value of 0..100."""
    return f"{scale}-{min(max(round(value), 0), 100)}"


def style_sheet() -> str:
    return "\n".join([HEADER, *_rules(), *map(_legend, STOPS)]) + "\n"


HEADER = (
    """/* Colours of heat maps. Written by `python -m lib.charts.heat_colours`: change the stops there, not here. */"""
)


def _rules() -> Iterator[str]:
    for scale in STOPS:
        for value in LEVELS:
            grounds = [colour(scale, theme, value) for theme in (LIGHT, DARK)]
            texts = [text_colour(ground) for ground in grounds]
            yield f".{scale}-{value}{{--ground:{_both(grounds)};--on-ground:{_both(texts)}}}"


def _both(shades: Sequence[str]) -> str:
    light, dark = shades
    return light if light == dark else f"light-dark({light},{dark})"


def _legend(scale: str) -> str:
    stops = ",".join(_both(pair) for pair in zip(STOPS[scale][LIGHT], STOPS[scale][DARK], strict=True))
    return f".ramp--{scale}{{background:linear-gradient(to right in oklab,{stops})}}"


def _oklab(shade: str) -> Colour:
    lab: Colour = _TO_LAB @ np.cbrt(_TO_CONES @ linear(shade))
    return lab


def _hex(oklab: Colour) -> str:
    light = np.linalg.solve(_TO_CONES, np.linalg.solve(_TO_LAB, oklab) ** 3)
    return "#" + "".join(f"{round(float(channel) * 255):02X}" for channel in encoded(light))


if __name__ == "__main__":
    sheet = Path(__file__).resolve().parents[2] / "static" / "css" / "heat.css"
    sheet.write_text(style_sheet(), encoding="utf-8")
