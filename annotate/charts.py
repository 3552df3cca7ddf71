"""Charts as SVG, drawn on the server: classes only, so that one string serves both themes under a strict CSP.

Every chart has a sentence as its label, and stands beside a table that says the same.
"""

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

AXIS = 30  # room for figures on the left
FOOT = 22  # room for names below
HEAD = 12


def bars(values: Sequence[tuple[str, int]], *, label: str, width: int = 700, height: int = 132) -> SafeString:
    """One bar for each (name, value), the last one marked as still under way."""
    top = max([value for _name, value in values], default=0)
    steps = ticks(top)
    scale = (height - FOOT - HEAD) / max(top, steps[-1], 1)
    room = (width - AXIS - 4) / max(len(values), 1)
    drawn = [_gridline(height - FOOT - tick * scale, tick, width) for tick in steps]
    for place, (name, value) in enumerate(values):
        left, tall = AXIS + 4 + place * room, value * scale
        look = "bar bar--now" if place == len(values) - 1 else "bar"
        drawn.append(_element("rect", look, x=left + 2, y=height - FOOT - tall, width=room - 6, height=tall))
        drawn.append(_text(name, left + room / 2 - 1, height - 6, "middle"))
    return _chart(drawn, width, height, label)


def interval(
    estimate: float, low: float, high: float, *, label: str, most: float = 1.0, width: int = 160, thin: bool = False
) -> SafeString:
    """A point with its interval on a line from 0 to most; thin where the number stands on too few."""
    scale = (width - 8) / most
    drawn = [_element("line", "grid", x1=x, x2=x, y1=2, y2=18) for x in _quarters(width)]
    drawn.append(_element("line", "person span", x1=4 + low * scale, x2=4 + high * scale, y1=10, y2=10))
    drawn.append(_element("circle", "person", cx=4 + estimate * scale, cy=10, r=4))
    return _chart(drawn, width, 20, label, "thin" if thin else "")


def ticks(top: int) -> list[int]:
    """Two to five round whole numbers from 0 on, the last one at or below top (at least 1)."""
    if top < 1:
        return [0, 1]
    rough = max(top / 4, 1)
    power = 10 ** floor(log10(rough))
    step = next(ceil(factor * power) for factor in (1, 2, 5, 10) if factor * power >= rough)
    return list(range(0, max(top, step) + 1, step))


def _quarters(width: int) -> list[float]:
    return [4 + (width - 8) * share for share in (0, 0.25, 0.5, 0.75, 1)]


def _gridline(y: float, tick: int, width: int) -> SafeString:
    return _element("line", "grid", x1=AXIS, x2=width, y1=y, y2=y) + _text(str(tick), AXIS - 6, y + 4, "end")


def _text(text: str, x: float, y: float, anchor: str) -> SafeString:
    return format_html('<text x="{}" y="{}" text-anchor="{}">{}</text>', _number(x), _number(y), anchor, text)


def _element(name: str, look: str, **places: float) -> SafeString:
    attributes = format_html_join(" ", '{}="{}"', ((key, _number(value)) for key, value in places.items()))
    return format_html('<{} class="{}" {}/>', mark_safe(name), look, attributes)  # noqa: S308 - our own element names


def _chart(drawn: Iterable[SafeString], width: int, height: int, label: str, look: str = "") -> SafeString:
    return format_html(
        '<svg class="chart {0}" width="{1}" height="{2}" viewBox="0 0 {1} {2}" role="img" aria-label="{3}">{4}</svg>',
        look,
        width,
        height,
        label,
        format_html_join("", "{}", ((one,) for one in drawn)),
    )


def _number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")
