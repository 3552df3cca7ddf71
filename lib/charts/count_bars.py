"""How many there are of each: a bar a name, or several where numbers are set against each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from lib.charts.lettering import cut, width
from lib.charts.marks import drawing, element, number, text, ticks

BAR = 12
GAP = 2  # between bars of one name
AROUND = 8  # between names
HEAD = 20
NAME = 18  # height of a name that stands above its bars
FIGURE = 56  # room for the count to the right
NARROW = 420  # below this the name stands above its bars


@dataclass(frozen=True)
class Counted:
    """counts: one for each of the looks of the chart."""

    name: str
    counts: Sequence[int]


def count_bars(rows: Sequence[Counted], *, label: str, looks: Sequence[str] = ("bar",), wide: int = 620) -> SafeString:
    """Bars from 0 to the largest count, each with its figure. looks: class of the first bar of a name, the second, …"""
    above = wide < NARROW
    left = 0.0 if above else min(max([width(row.name) for row in rows], default=0.0) + 10, wide * 0.42)
    top = max([count for row in rows for count in row.counts], default=0)
    scale = (wide - left - FIGURE) / max(top, 1)
    tall = len(looks) * (BAR + GAP) + AROUND + (NAME if above else 0)
    height = HEAD + tall * len(rows)
    elements = _scale(top, left, scale, height)
    for index, row in enumerate(rows):
        begins = HEAD + index * tall
        middle = begins + len(looks) * (BAR + GAP) / 2 + 3
        if above:
            elements.append(text(cut(row.name, wide), 0, begins + 13, look="name"))
        else:
            elements.append(text(cut(row.name, left - 8), left - 8, middle, "end", "name"))
        elements += _bars(row, looks, left, begins + (NAME if above else 0), scale)
    return drawing(elements, wide, height, label, "bars")


def _scale(top: int, left: float, scale: float, height: int) -> list[SafeString]:
    elements = []
    for tick in ticks(top):
        x = left + min(tick, max(top, 1)) * scale
        elements.append(element("line", "grid", x1=x, x2=x, y1=HEAD - 4, y2=height))
        elements.append(text(number(tick), x, 12, "middle" if tick else "start"))
    return elements


def _bars(row: Counted, looks: Sequence[str], left: float, top: float, scale: float) -> list[SafeString]:
    elements = []
    for index, (count, look) in enumerate(zip(row.counts, looks, strict=True)):
        y = top + index * (BAR + GAP)
        elements.append(element("rect", look, x=left, y=y, width=count * scale, height=BAR))
        elements.append(text(str(count), left + count * scale + 6, y + BAR - 2, look="aside"))
    return elements
