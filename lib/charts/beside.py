"""Two dots with their intervals on one line: people among themselves, filled, and people with a judge, hollow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from lib.charts.lettering import cut, width
from lib.charts.marks import drawing, element, text

ROW, HEAD = 40, 22
STEPS, MOST = [0.25 * 2**power for power in range(20)], 8  # between marks of the scale, and how many at most
NARROW = 420  # below this the name stands above its dots


@dataclass(frozen=True)
class Dot:
    """low, high: None where there is no interval."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Line:
    """thin: it stands on too few units."""

    name: str
    people: Dot | None
    judge: Dot | None
    thin: bool = False


def beside_dots(lines: Sequence[Line], *, wide: int = 720) -> SafeString:
    """From 0 to 1, further where a value or the end of an interval lies outside."""
    above = wide < NARROW
    left = 8.0 if above else min(max(width(line.name) for line in lines) + 14, wide * 0.4)
    row = ROW + 16 if above else ROW
    low, high = _ends(lines)
    scale = (wide - left - 12) / (high - low)
    height = HEAD + row * len(lines)

    def at(value: float) -> float:
        return left + (value - low) * scale

    elements: list[SafeString] = []
    for tick in _ticks(low, high):
        elements.append(element("line", "grid", x1=at(tick), x2=at(tick), y1=HEAD - 4, y2=height))
        elements.append(text(f"{tick:g}".replace("-", "−"), at(tick), 12, "middle"))
    for index, line in enumerate(lines):
        top = HEAD + index * row
        name = cut(line.name, wide - 8 if above else left - 10)
        elements.append(text(name, 0 if above else left - 10, top + (14 if above else 25), "start" if above else "end"))
        for dot, look, y in ((line.people, "person", top + row - 28), (line.judge, "machine", top + row - 12)):
            elements += [] if dot is None else _dot(dot, f"{look} thin" if line.thin else look, at, y)
    return drawing(
        elements, wide, height, _("Agreement of people, and of people with judges; the intervals are of 95 %")
    )


def _dot(dot: Dot, look: str, at: Callable[[float], float], y: float) -> list[SafeString]:
    elements = []
    if dot.low is not None and dot.high is not None:
        elements.append(element("line", f"{look} span", x1=at(dot.low), x2=at(dot.high), y1=y, y2=y))
    return [*elements, element("circle", look, cx=at(dot.value), cy=y, r=4)]


def _ends(lines: Sequence[Line]) -> tuple[float, float]:
    dots = [dot for line in lines for dot in (line.people, line.judge) if dot is not None]
    ends = [end for dot in dots for end in (dot.value, dot.low, dot.high) if end is not None]
    return floor(min([0.0, *ends]) * 4) / 4, ceil(max([1.0, *ends]) * 4) / 4


def _ticks(low: float, high: float) -> list[float]:
    step = next(step for step in STEPS if (high - low) / step <= MOST)
    return [index * step for index in range(ceil(low / step), floor(high / step) + 1)]
