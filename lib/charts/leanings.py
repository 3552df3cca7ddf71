"""Dots with their intervals on both sides of zero: a bias, a difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from django.utils.safestring import SafeString

from lib.charts.lettering import cut, width
from lib.charts.marks import drawing, element, text

ROW, HEAD, FIGURE = 24, 22, 52
NARROW = 420  # below this the name stands above its dot
STEPS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
MOST = 6  # marks of the scale on either side and at zero


@dataclass(frozen=True)
class Leaning:
    """value: None where there is none; low, high: its interval, None where there is none."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    thin: bool = False


def leanings(rows: Sequence[Leaning], *, label: str, missing: str = "–", wide: int = 620) -> SafeString:
    """As far to the left of zero as to the right, to a round number that nothing passes."""
    above = wide < NARROW
    margin = 24.0 if above else min(max([width(row.name) for row in rows], default=0.0) + 14, wide * 0.4)
    tall = ROW + 18 if above else ROW
    height, step, end = HEAD + tall * len(rows) + 4, *_ends(rows)
    scale = (wide - margin - FIGURE) / (2 * end)
    middle = margin + end * scale
    elements: list[SafeString] = []
    for index in range(-round(end / step), round(end / step) + 1):
        x = middle + index * step * scale
        elements.append(element("line", "grid" if index else "axis", x1=x, x2=x, y1=HEAD - 4, y2=height))
        elements.append(text(signed(index * step), x, 12, "middle"))
    for index, row in enumerate(rows):
        top = HEAD + index * tall
        name = cut(row.name, wide if above else margin - 12)
        elements.append(
            text(name, 0 if above else margin - 12, top + (12 if above else 16), "start" if above else "end")
        )
        elements += _dot(row, middle, top + tall - ROW / 2, scale, missing)
    return drawing(elements, wide, height, label, "bars")


def signed(value: float) -> str:
    return f"{value:+g}".replace("-", "−") if value else "0"


def _dot(row: Leaning, middle: float, y: float, scale: float, missing: str) -> list[SafeString]:
    if row.value is None:
        return [text(missing, middle + 6, y + 4, look="aside")]
    look, elements, end = "person thin" if row.thin else "person", [], row.value
    if row.low is not None and row.high is not None:
        x1, x2, end = middle + row.low * scale, middle + row.high * scale, max(row.high, row.value)
        elements.append(element("line", f"{look} span", x1=x1, x2=x2, y1=y, y2=y))
    elements.append(element("circle", look, cx=middle + row.value * scale, cy=y, r=4))
    label = f"{row.value:+.2f}".replace("-", "−") if round(row.value, 2) else "0.00"
    return [*elements, text(label, middle + end * scale + 8, y + 4, look="name")]


def _ends(rows: Sequence[Leaning]) -> tuple[float, float]:
    """(between two marks, where the scale ends)"""
    far = max(
        [abs(value) for row in rows for value in (row.value, row.low, row.high) if value is not None], default=0.0
    )
    step = next((step for step in STEPS if max(far, 0.1) / step <= MOST / 2), STEPS[-1])
    return step, max(ceil(far / step - 1e-9), 1) * step
