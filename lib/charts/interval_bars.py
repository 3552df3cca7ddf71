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
    left = 0.0 if above else min(max([width(bar.name) for bar in bars], default=0.0) + 10, wide * 0.42)
    row = 2 * ROW - 4 if above else ROW
    height = HEAD + row * len(bars) + 4
    scale = (wide - left - FIGURE) / top
    drawn = _scale(left, scale, height, top)
    for place, bar in enumerate(bars):
        y = HEAD + place * row
        if above:
            drawn.append(text(cut(bar.name, wide), 0, y + 14, look="name"))
        else:
            drawn.append(text(cut(bar.name, left - 8), left - 8, y + 15, "end", "name"))
        drawn += _bar(bar, left, y + row - ROW, scale, missing)
    return drawing(drawn, wide, height, label, "bars")


def _scale(left: float, scale: float, height: int, top: float) -> list[SafeString]:
    drawn = []
    for tick in ticks(0, top, 5):
        x = left + tick * scale
        drawn.append(element("line", "grid", x1=x, x2=x, y1=HEAD - 4, y2=height))
        drawn.append(text(number(tick), x, 12, "middle" if x else "start"))
    return drawn


def _bar(bar: Bar, left: float, top: float, scale: float, missing: str) -> list[SafeString]:
    middle = top + ROW / 2
    if bar.value is None:
        return [text(missing, left + 4, middle + 4, look="aside")]
    look = "bar bar--soft" if bar.thin else "bar bar--pale"
    drawn = [element("rect", look, x=left, y=top + 4, width=bar.value * scale, height=ROW - 8)]
    end = bar.value
    if bar.low is not None and bar.high is not None:
        x1, x2, end = left + bar.low * scale, left + bar.high * scale, max(bar.high, bar.value)
        drawn.append(element("path", "span", d=_whisker(x1, x2, middle)))
    drawn.append(element("circle", "person", cx=left + bar.value * scale, cy=middle, r=3))
    drawn.append(text(f"{bar.value:.1f}", left + end * scale + 6, middle + 4, look="name"))
    return drawn


def _whisker(x1: float, x2: float, y: float) -> str:
    """A line with a stroke at each end."""
    low, high = number(x1), number(x2)
    return f"M{low} {number(y - 4)}V{number(y + 4)}M{low} {number(y)}H{high}M{high} {number(y - 4)}V{number(y + 4)}"
