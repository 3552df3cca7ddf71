"""Dot plots: differences around zero, signed effects such as a bias, agreement, and a few authors in many groups."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from lib.charts.marks import cut, domain, drawing, element, number, round_step, text, ticks, width
from lib.charts.radar import MOST, RadarLine, series_mark

ROW, HEAD = 26, 22
GROUP_HEAD = 24  # with the numbers of the scale
NARROW = 420  # below this width the name is above its dots
APART = 3  # pixels between the heights of two marks of a group, so that equal values stay visible


@dataclass(frozen=True)
class DifferenceDot:
    """low, high: None where there is no interval."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


def differences(rows: Sequence[DifferenceDot], *, label: str, wide: int = 620) -> SafeString:
    """One row for each difference with its interval. The scale covers all interval ends and always includes 0."""
    above = wide < NARROW
    margin = 8.0 if above else min(max(width(row.name) for row in rows) + 14, wide * 0.45)
    tall = ROW + 16 if above else ROW
    ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    step = round_step(max(max(ends, default=0), 0) - min(min(ends, default=0), 0))
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


# Signed effects: dots with intervals on both sides of zero.


ROW, HEAD, FIGURE = 24, 22, 52
LEANING_STEPS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
LEANING_MARKS = 6  # marks of the scale on either side and at zero


@dataclass(frozen=True)
class Leaning:
    """value: None where there is none; low, high: its interval, None where there is none."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    thin: bool = False


def leanings(rows: Sequence[Leaning], *, label: str, missing: str = "–", wide: int = 620) -> SafeString:
    """The scale is symmetric around zero and ends at a round number that no dot or interval exceeds."""
    above = wide < NARROW
    margin = 24.0 if above else min(max([width(row.name) for row in rows], default=0.0) + 14, wide * 0.4)
    tall = ROW + 18 if above else ROW
    height, step, end = HEAD + tall * len(rows) + 4, *_leaning_ends(rows)
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
        elements += _leaning_dot(row, middle, top + tall - ROW / 2, scale, missing)
    return drawing(elements, wide, height, label, "bars")


def signed(value: float) -> str:
    return f"{value:+g}".replace("-", "−") if value else "0"


def _leaning_dot(row: Leaning, middle: float, y: float, scale: float, missing: str) -> list[SafeString]:
    if row.value is None:
        return [text(missing, middle + 6, y + 4, look="aside")]
    look, elements, end = "person thin" if row.thin else "person", [], row.value
    if row.low is not None and row.high is not None:
        x1, x2, end = middle + row.low * scale, middle + row.high * scale, max(row.high, row.value)
        elements.append(element("line", f"{look} span", x1=x1, x2=x2, y1=y, y2=y))
    elements.append(element("circle", look, cx=middle + row.value * scale, cy=y, r=4))
    label = f"{row.value:+.2f}".replace("-", "−") if round(row.value, 2) else "0.00"
    return [*elements, text(label, middle + end * scale + 8, y + 4, look="name")]


def _leaning_ends(rows: Sequence[Leaning]) -> tuple[float, float]:
    """(between two marks, where the scale ends)"""
    far = max(
        [abs(value) for row in rows for value in (row.value, row.low, row.high) if value is not None], default=0.0
    )
    step = next((step for step in LEANING_STEPS if max(far, 0.1) / step <= LEANING_MARKS / 2), LEANING_STEPS[-1])
    return step, max(ceil(far / step - 1e-9), 1) * step


# Agreement: two dots with intervals on one line, people among themselves (filled) and people with a judge (hollow).


ROW, HEAD = 40, 22
AGREEMENT_STEPS, AGREEMENT_MARKS = (
    [0.25 * 2**power for power in range(20)],
    8,
)  # between marks of the scale, and how many at most


@dataclass(frozen=True)
class AgreementDot:
    """low, high: None where there is no interval."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class AgreementLine:
    """thin: it is based on too few units."""

    name: str
    people: AgreementDot | None
    judge: AgreementDot | None
    thin: bool = False


def beside_dots(lines: Sequence[AgreementLine], *, wide: int = 720) -> SafeString:
    """The scale runs from 0 to 1, or further where a value or the end of an interval lies outside."""
    above = wide < NARROW
    left = 8.0 if above else min(max(width(line.name) for line in lines) + 14, wide * 0.4)
    row = ROW + 16 if above else ROW
    low, high = _agreement_ends(lines)
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
            elements += [] if dot is None else _agreement_dot(dot, f"{look} thin" if line.thin else look, at, y)
    return drawing(elements, wide, height, _("Human–human and human–judge agreement; intervals: 95 %"))


def _agreement_dot(dot: AgreementDot, look: str, at: Callable[[float], float], y: float) -> list[SafeString]:
    elements = []
    if dot.low is not None and dot.high is not None:
        elements.append(element("line", f"{look} span", x1=at(dot.low), x2=at(dot.high), y1=y, y2=y))
    return [*elements, element("circle", look, cx=at(dot.value), cy=y, r=4)]


def _agreement_ends(lines: Sequence[AgreementLine]) -> tuple[float, float]:
    dots = [dot for line in lines for dot in (line.people, line.judge) if dot is not None]
    ends = [end for dot in dots for end in (dot.value, dot.low, dot.high) if end is not None]
    return floor(min([0.0, *ends]) * 4) / 4, ceil(max([1.0, *ends]) * 4) / 4


def _ticks(low: float, high: float) -> list[float]:
    step = next(step for step in AGREEMENT_STEPS if (high - low) / step <= AGREEMENT_MARKS)
    return [index * step for index in range(ceil(low / step), floor(high / step) + 1)]


def group_dots(groups: Sequence[str], lines: Sequence[RadarLine], *, label: str, wide: int = 780) -> SafeString:
    """Values of 0..100 on a scale with round ends around them; at most six authors, in the looks of the radar."""
    drawn_lines = lines[:MOST]
    above = wide < NARROW
    margin = 12.0 if above else min(max([width(group) for group in groups], default=0.0) + 16, wide * 0.4)
    low, high = domain([value for line in drawn_lines for value in line.values if value is not None])
    tall = ROW + 18 if above else ROW
    height, scale = GROUP_HEAD + tall * len(groups) + 4, (wide - margin - 16) / (high - low)

    def at(value: float) -> float:
        return margin + (value - low) * scale

    elements: list[SafeString] = []
    for tick in ticks(low, high):
        elements.append(element("line", "grid", x1=at(tick), x2=at(tick), y1=GROUP_HEAD - 6, y2=height))
        elements.append(text(number(tick), at(tick), 12, "middle"))
    for index, group in enumerate(groups):
        middle = GROUP_HEAD + (index + 1) * tall - ROW / 2
        name = cut(group, wide if above else margin - 10)
        elements.append(text(name, 0, middle - (16 if above else -4), look="name"))
        elements += _group_marks([line.values[index] for line in drawn_lines], at, middle)
    return drawing(elements, wide, height, label, "group-dots")


def _group_marks(values: Sequence[float | None], at: Callable[[float], float], middle: float) -> list[SafeString]:
    """A line over the range of the values, and their marks."""
    positions = [at(value) for value in values if value is not None]
    if not positions:
        return []
    elements = [element("line", "leader", x1=min(positions), x2=max(positions), y1=middle, y2=middle)]
    for index, value in enumerate(values):
        if value is not None:
            y = middle + APART * (index - (len(values) - 1) / 2)
            elements.append(series_mark(at(value), y, index + 1))
    return elements
