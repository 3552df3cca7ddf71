"""Dot plots of a few authors in many groups: a row for each group, a mark of its own shape for each author."""

from collections.abc import Callable, Sequence

from django.utils.safestring import SafeString

from lib.charts.marks import cut, domain, drawing, element, number, text, ticks, width
from lib.charts.radar import MOST, RadarLine, series_mark

ROW, HEAD, NARROW = 26, 24, 420  # below this width the name of a group is above its marks
APART = 3  # pixels between the heights of two marks, so that equal values stay visible


def group_dots(groups: Sequence[str], lines: Sequence[RadarLine], *, label: str, wide: int = 780) -> SafeString:
    """Values of 0..100 on a scale with round ends around them; at most six authors, in the looks of the radar."""
    drawn_lines = lines[:MOST]
    above = wide < NARROW
    margin = 12.0 if above else min(max([width(group) for group in groups], default=0.0) + 16, wide * 0.4)
    low, high = domain([value for line in drawn_lines for value in line.values if value is not None])
    tall = ROW + 18 if above else ROW
    height, scale = HEAD + tall * len(groups) + 4, (wide - margin - 16) / (high - low)

    def at(value: float) -> float:
        return margin + (value - low) * scale

    elements: list[SafeString] = []
    for tick in ticks(low, high):
        elements.append(element("line", "grid", x1=at(tick), x2=at(tick), y1=HEAD - 6, y2=height))
        elements.append(text(number(tick), at(tick), 12, "middle"))
    for index, group in enumerate(groups):
        middle = HEAD + (index + 1) * tall - ROW / 2
        name = cut(group, wide if above else margin - 10)
        elements.append(text(name, 0, middle - (16 if above else -4), look="name"))
        elements += _marks([line.values[index] for line in drawn_lines], at, middle)
    return drawing(elements, wide, height, label, "group-dots")


def _marks(values: Sequence[float | None], at: Callable[[float], float], middle: float) -> list[SafeString]:
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
