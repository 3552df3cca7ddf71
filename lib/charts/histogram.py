"""How a quantity is spread: a bar for each range, with lines at the median and where 95 % lie below."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from lib.charts.marks import AXIS, drawing, element, number, text, ticks

HEAD = 34
FOOT = 22
MORE = 16  # room for the bar of all that is larger, apart from the others


@dataclass(frozen=True)
class Bin:
    """Values from low to below high; high None: all from low on."""

    low: int
    high: int | None
    count: int


def histogram(
    bins: Sequence[Bin], lines: Sequence[tuple[str, float]], *, label: str, wide: int = 620, height: int = 190
) -> SafeString:
    """bins: of equal width, in their order; the last one may be open. lines: name and value of each mark."""
    closed = [bucket for bucket in bins if bucket.high is not None]
    open_bins = [bucket for bucket in bins if bucket.high is None]
    top = max([bucket.count for bucket in bins], default=0)
    room = (wide - AXIS - 8 - (MORE * 2 if open_bins else 0)) / max(len(closed), 1)
    scale, bottom = (height - HEAD - FOOT) / max(top, 1), height - FOOT
    elements = [_level(bottom - tick * scale, tick, wide) for tick in ticks(top) if tick <= max(top, 1)]
    for index, bucket in enumerate(closed):
        elements.append(_bar(AXIS + 4 + index * room, room, bucket.count * scale, bottom))
    for bucket in open_bins:
        elements.append(_bar(wide - MORE - 4, MORE, bucket.count * scale, bottom))
        elements.append(text(f"≥ {bucket.low}", wide - 4, height - 6, "end"))
    elements += _names(closed, room, height, wide - (70 if open_bins else 0))
    if closed:
        elements += _marks(lines, closed, room, bottom)
    return drawing(elements, wide, height, label, "histogram")


def _level(y: float, tick: int, wide: int) -> SafeString:
    return element("line", "grid", x1=AXIS, x2=wide, y1=y, y2=y) + text(str(tick), AXIS - 6, y + 4, "end")


def _bar(left: float, room: float, tall: float, bottom: float) -> SafeString:
    return element("rect", "bar bar--pale", x=left, y=bottom - tall, width=max(room - 2, 1), height=tall)


def _names(bins: Sequence[Bin], room: float, height: int, most: float) -> list[SafeString]:
    """Where ranges begin, as many as have room beside each other."""
    every = max(-(-56 // int(max(room, 1))), 1)
    starts = [(AXIS + 4 + index * room, bucket.low) for index, bucket in enumerate(bins) if index % every == 0]
    return [text(number(low), x, height - 6, "start") for x, low in starts if x < most - 30]


def _marks(lines: Sequence[tuple[str, float]], bins: Sequence[Bin], room: float, bottom: float) -> list[SafeString]:
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
