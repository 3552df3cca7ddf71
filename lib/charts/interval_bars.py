"""One bar for each author with its interval, all on one scale."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from lib.charts.lettering import cut, width
from lib.charts.marks import drawing, element, number, text
from lib.charts.scale import ticks

ROW = 22
HEAD = 22
FIGURE = 48  # room for the value to the right
NARROW = 420  # below this the name stands above its bar


@dataclass(frozen=True)
class Bar:
    """value: 0 to 100, None where there is none; low, high: its interval, None where there is none."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    thin: bool = False


def interval_bars(
    bars: Sequence[Bar], *, label: str, missing: str = "–", wide: int = 620, top: float = 100
) -> SafeString:
    """From 0 to `top` however high the bars are: a bar that begins elsewhere would say what is not so."""
    above = wide < NARROW
    margin = 0.0 if above else min(max([width(bar.name) for bar in bars], default=0.0) + 10, wide * 0.42)
    row = 2 * ROW - 4 if above else ROW
    height = HEAD + row * len(bars) + 4
    scale = (wide - margin - FIGURE) / top
    elements = _scale(margin, scale, height, top)
    for index, bar in enumerate(bars):
        y = HEAD + index * row
        if above:
            elements.append(text(cut(bar.name, wide), 0, y + 14, look="name"))
        else:
            elements.append(text(cut(bar.name, margin - 8), margin - 8, y + 15, "end", "name"))
        elements += _bar(bar, margin, y + row - ROW, scale, missing)
    return drawing(elements, wide, height, label, "bars")


def _scale(margin: float, scale: float, height: int, top: float) -> list[SafeString]:
    elements = []
    for tick in ticks(0, top, 5):
        x = margin + tick * scale
        elements.append(element("line", "grid", x1=x, x2=x, y1=HEAD - 4, y2=height))
        elements.append(text(number(tick), x, 12, "middle" if x else "start"))
    return elements


def _bar(bar: Bar, margin: float, top: float, scale: float, missing: str) -> list[SafeString]:
    middle = top + ROW / 2
    if bar.value is None:
        return [text(missing, margin + 4, middle + 4, look="aside")]
    look = "bar bar--soft" if bar.thin else "bar bar--pale"
    elements = [element("rect", look, x=margin, y=top + 4, width=bar.value * scale, height=ROW - 8)]
    end = bar.value
    if bar.low is not None and bar.high is not None:
        x1, x2, end = margin + bar.low * scale, margin + bar.high * scale, max(bar.high, bar.value)
        elements.append(element("path", "span", d=_whisker(x1, x2, middle)))
    elements.append(element("circle", "person", cx=margin + bar.value * scale, cy=middle, r=3))
    elements.append(text(f"{bar.value:.1f}", margin + end * scale + 6, middle + 4, look="name"))
    return elements


def _whisker(x1: float, x2: float, y: float) -> str:
    """A line with a stroke at each end."""
    low, high = number(x1), number(x2)
    return f"M{low} {number(y - 4)}V{number(y + 4)}M{low} {number(y)}H{high}M{high} {number(y - 4)}V{number(y + 4)}"
