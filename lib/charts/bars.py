"""Bar charts: counts by name, values with intervals, and histograms."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from lib.charts.marks import AXIS, cut, drawing, element, number, text, ticks, whole_ticks, width

BAR = 12
GAP = 2  # between bars of one name
AROUND = 8  # between names
COUNT_HEAD = 20
NAME = 18  # height of a name above its bars
COUNT_ROOM = 56  # room for the count to the right
NARROW = 420  # below this width the name is above its bars


@dataclass(frozen=True)
class CountRow:
    """counts: one for each of the looks of the chart."""

    name: str
    counts: Sequence[int]


def count_bars(rows: Sequence[CountRow], *, label: str, looks: Sequence[str] = ("bar",), wide: int = 620) -> SafeString:
    """Bars from 0 to the largest count, each with its figure. looks: class of the first bar of a name, the second, …"""
    above = wide < NARROW
    left = 0.0 if above else min(max([width(row.name) for row in rows], default=0.0) + 10, wide * 0.42)
    top = max([count for row in rows for count in row.counts], default=0)
    scale = (wide - left - COUNT_ROOM) / max(top, 1)
    tall = len(looks) * (BAR + GAP) + AROUND + (NAME if above else 0)
    height = COUNT_HEAD + tall * len(rows)
    elements = _count_scale(top, left, scale, height)
    for index, row in enumerate(rows):
        begins = COUNT_HEAD + index * tall
        middle = begins + len(looks) * (BAR + GAP) / 2 + 3
        if above:
            elements.append(text(cut(row.name, wide), 0, begins + 13, look="name"))
        else:
            elements.append(text(cut(row.name, left - 8), left - 8, middle, "end", "name"))
        elements += _bars(row, looks, left, begins + (NAME if above else 0), scale)
    return drawing(elements, wide, height, label, "bars")


def _count_scale(top: int, left: float, scale: float, height: int) -> list[SafeString]:
    elements = []
    for tick in whole_ticks(top):
        x = left + min(tick, max(top, 1)) * scale
        elements.append(element("line", "grid", x1=x, x2=x, y1=COUNT_HEAD - 4, y2=height))
        elements.append(text(number(tick), x, 12, "middle" if tick else "start"))
    return elements


def _bars(row: CountRow, looks: Sequence[str], left: float, top: float, scale: float) -> list[SafeString]:
    elements = []
    for index, (count, look) in enumerate(zip(row.counts, looks, strict=True)):
        y = top + index * (BAR + GAP)
        elements.append(element("rect", look, x=left, y=y, width=count * scale, height=BAR))
        elements.append(text(str(count), left + count * scale + 6, y + BAR - 2, look="aside"))
    return elements


# Bars with intervals: one for each author, all on one scale.


ROW = 22
INTERVAL_HEAD = 22
VALUE_ROOM = 48  # room for the value to the right


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
    """Bars on a scale from 0 to `top`, whatever their height: bars that do not start at 0 mislead."""
    above = wide < NARROW
    margin = 0.0 if above else min(max([width(bar.name) for bar in bars], default=0.0) + 10, wide * 0.42)
    row = 2 * ROW - 4 if above else ROW
    height = INTERVAL_HEAD + row * len(bars) + 4
    scale = (wide - margin - VALUE_ROOM) / top
    elements = _interval_scale(margin, scale, height, top)
    for index, bar in enumerate(bars):
        y = INTERVAL_HEAD + index * row
        if above:
            elements.append(text(cut(bar.name, wide), 0, y + 14, look="name"))
        else:
            elements.append(text(cut(bar.name, margin - 8), margin - 8, y + 15, "end", "name"))
        elements += _interval_bar(bar, margin, y + row - ROW, scale, missing)
    return drawing(elements, wide, height, label, "bars")


def _interval_scale(margin: float, scale: float, height: int, top: float) -> list[SafeString]:
    elements = []
    for tick in ticks(0, top, 5):
        x = margin + tick * scale
        elements.append(element("line", "grid", x1=x, x2=x, y1=INTERVAL_HEAD - 4, y2=height))
        elements.append(text(number(tick), x, 12, "middle" if x else "start"))
    return elements


def _interval_bar(bar: Bar, margin: float, top: float, scale: float, missing: str) -> list[SafeString]:
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
    """A horizontal line with a stroke at each end."""
    low, high = number(x1), number(x2)
    return f"M{low} {number(y - 4)}V{number(y + 4)}M{low} {number(y)}H{high}M{high} {number(y - 4)}V{number(y + 4)}"


# Histograms: a bar for each range, with lines at the median and at the 95th percentile.


HISTOGRAM_HEAD = 34
FOOT = 22
MORE = 16  # room for the bar of all that is larger, apart from the others


@dataclass(frozen=True)
class HistogramBin:
    """Values from low to below high; high None: all from low on."""

    low: int
    high: int | None
    count: int


def histogram(
    bins: Sequence[HistogramBin], lines: Sequence[tuple[str, float]], *, label: str, wide: int = 620, height: int = 190
) -> SafeString:
    """bins: of equal width, in their order; the last one may be open. lines: name and value of each mark."""
    closed = [bucket for bucket in bins if bucket.high is not None]
    open_bins = [bucket for bucket in bins if bucket.high is None]
    top = max([bucket.count for bucket in bins], default=0)
    room = (wide - AXIS - 8 - (MORE * 2 if open_bins else 0)) / max(len(closed), 1)
    scale, bottom = (height - HISTOGRAM_HEAD - FOOT) / max(top, 1), height - FOOT
    elements = [_level(bottom - tick * scale, tick, wide) for tick in whole_ticks(top) if tick <= max(top, 1)]
    for index, bucket in enumerate(closed):
        elements.append(_histogram_bar(AXIS + 4 + index * room, room, bucket.count * scale, bottom))
    for bucket in open_bins:
        elements.append(_histogram_bar(wide - MORE - 4, MORE, bucket.count * scale, bottom))
        elements.append(text(f"≥ {bucket.low}", wide - 4, height - 6, "end"))
    elements += _names(closed, room, height, wide - (70 if open_bins else 0))
    if closed:
        elements += _marks(lines, closed, room, bottom)
    return drawing(elements, wide, height, label, "histogram")


def _level(y: float, tick: int, wide: int) -> SafeString:
    return element("line", "grid", x1=AXIS, x2=wide, y1=y, y2=y) + text(str(tick), AXIS - 6, y + 4, "end")


def _histogram_bar(left: float, room: float, tall: float, bottom: float) -> SafeString:
    return element("rect", "bar bar--pale", x=left, y=bottom - tall, width=max(room - 2, 1), height=tall)


def _names(bins: Sequence[HistogramBin], room: float, height: int, most: float) -> list[SafeString]:
    """Labels at the beginnings of ranges, as many as fit side by side."""
    every = max(-(-56 // int(max(room, 1))), 1)
    starts = [(AXIS + 4 + index * room, bucket.low) for index, bucket in enumerate(bins) if index % every == 0]
    return [text(number(low), x, height - 6, "start") for x, low in starts if x < most - 30]


def _marks(
    lines: Sequence[tuple[str, float]], bins: Sequence[HistogramBin], room: float, bottom: float
) -> list[SafeString]:
    """Each name at another height, so that near lines do not write over each other."""
    step = max((bins[0].high or 1) - bins[0].low, 1)
    elements = []
    for index, (name, value) in enumerate(lines):
        x = AXIS + 4 + min((value - bins[0].low) / step, len(bins)) * room
        y = 12 + index * 14
        anchor = "end" if x > AXIS + 4 + len(bins) * room * 0.6 else "start"
        elements.append(element("line", "target", x1=x, x2=x, y1=y - 8, y2=bottom))
        elements.append(text(name, x - 4 if anchor == "end" else x + 4, y, anchor, "name"))
    return elements
