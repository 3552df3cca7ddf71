"""Differences with their intervals on one line each, around the line of no difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from django.utils.safestring import SafeString

from lib.charts.lettering import cut, width
from lib.charts.marks import drawing, element, text

ROW, HEAD, NARROW = 26, 22, 420


@dataclass(frozen=True)
class Difference:
    """low, high: None where there is no interval."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


def differences(rows: Sequence[Difference], *, label: str, wide: int = 620) -> SafeString:
    """From below the lowest end of an interval to above the highest; 0 is always on it."""
    above = wide < NARROW
    margin = 8.0 if above else min(max(width(row.name) for row in rows) + 14, wide * 0.45)
    tall = ROW + 16 if above else ROW
    ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    step = _step(max(max(ends, default=0), 0) - min(min(ends, default=0), 0))
    low, high = floor(min([*ends, 0]) / step) * step, ceil(max([*ends, 0.0]) / step) * step or step
    scale, height = (wide - margin - 16) / (high - low), HEAD + tall * len(rows) + 4

    def at(value: float) -> float:
        return margin + (value - low) * scale

    elements = []
    for count in range(round((high - low) / step) + 1):
        tick = low + count * step
        look = "axis" if abs(tick) < step / 2 else "grid"
        elements.append(element("line", look, x1=at(tick), x2=at(tick), y1=HEAD - 4, y2=height))
        elements.append(text(f"{tick:g}".replace("-", "−"), at(tick), 12, "middle"))
    for index, row in enumerate(rows):
        top = HEAD + index * tall
        name = cut(row.name, wide if above else margin - 10)
        elements.append(text(name, 0 if above else margin - 10, top + 15, "start" if above else "end", "name"))
        y = top + tall - ROW / 2
        if row.low is not None and row.high is not None:
            elements.append(element("line", "person span", x1=at(row.low), x2=at(row.high), y1=y, y2=y))
        elements.append(element("circle", "person", cx=at(row.value), cy=y, r=4))
    return drawing(elements, wide, height, label)


def _step(span: float) -> float:
    """1, 2 or 5 times a power of ten, so that there are three to eight marks."""
    if span <= 0:
        return 1.0
    power = 10.0 ** floor(log10(span / 4))
    return next(power * times for times in (1, 2, 5, 10) if span / (power * times) <= 7)
