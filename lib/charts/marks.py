"""Basic parts of charts as SVG: estimated text widths, axis ticks, small charts and drawing elements; and `fitted`,
which draws one chart at several widths, of which the style sheet shows the widest that its card has room for.

Charts are drawn on the server with classes only, so that one string serves both themes under a strict CSP. Every chart
has a sentence as its label, and is accompanied by a table with the same content.
"""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

SIZE = 12  # pixels; nothing is smaller
LINE = 14


def width(words: str, size: int = SIZE) -> float:
    """Estimated width in pixels, rather too wide: a Chinese character is a square, a Latin letter a bit over half."""
    return sum(size if unicodedata.east_asian_width(character) in "WF" else size * 0.58 for character in words)


def wrapped(words: str, most: float, lines: int = 2) -> Sequence[str]:
    """The words in at most `lines` lines of at most `most` pixels; an ellipsis replaces what does not fit."""
    raw_lines = [""]
    for piece in _pieces(words):
        longer = raw_lines[-1] + piece
        if raw_lines[-1] and width(longer.rstrip()) > most:
            raw_lines.append(piece)
        else:
            raw_lines[-1] = longer
    clean_lines = [line.strip() for line in raw_lines]
    if len(clean_lines) > lines:
        clean_lines = [*clean_lines[: lines - 1], " ".join(clean_lines[lines - 1 :])]
    return [cut(line, most) for line in clean_lines]


def cut(words: str, most: float) -> str:
    """The words, or their beginning with an ellipsis where they are wider than `most` pixels."""
    if width(words) <= most:
        return words
    beginning = words
    while beginning and width(beginning) + SIZE > most:
        beginning = beginning[:-1]
    return beginning.rstrip("… ") + "…"


def _pieces(words: str) -> list[str]:
    """The pieces between which a line may be broken: Latin words, single wide characters."""
    pieces = [""]
    for character in words:
        if unicodedata.east_asian_width(character) in "WF":
            pieces.append(character)
        elif character.isspace() or character == "-":
            pieces[-1] += character
            pieces.append("")
        else:
            pieces[-1] += character
    return [piece for piece in pieces if piece]


# Axis ticks: round numbers along an axis.


STEPS = (1, 2, 5, 10, 20, 25, 50)


def domain(values: list[float], least: float = 20.0) -> tuple[float, float]:
    """Round ends between 0 and 100 around the values, at least `least` apart; 0 and 100 without values."""
    if not values:
        return 0.0, 100.0
    low, high = floor((min(values) - 1) / 5) * 5.0, ceil((max(values) + 1) / 5) * 5.0
    missing = ceil(max(least - (high - low), 0.0) / 10) * 5
    low, high = low - missing, high + missing
    return (max(min(low, 100.0 - least), 0.0), min(max(high, least), 100.0))


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from low to high, at most `most`."""
    step = next((step for step in STEPS if (high - low) / step <= most), STEPS[-1])
    return [tick * float(step) for tick in range(ceil(low / step), floor(high / step) + 1)]


def round_step(span: float) -> float:
    """1, 2 or 5 times a power of ten, so that there are three to eight marks on a scale of this length."""
    if span <= 0:
        return 1.0
    power = 10.0 ** floor(log10(span / 4))
    return next(power * times for times in (1, 2, 5, 10) if span / (power * times) <= 7)


# Small charts, and the elements of all drawings.


AXIS = 30  # room for figures on the left
FOOT = 22  # room for names below
HEAD = 12
NAME = 62  # room for the name of a place, such as a day


def bars(values: Sequence[tuple[str, int]], *, label: str, wide: int = 780, height: int = 132) -> SafeString:
    """One bar for each (name, value); the last one is marked as unfinished. Names that have no room are left out,
    counted from the last one.
    """
    top = max([value for _name, value in values], default=0)
    steps = whole_ticks(top)
    scale = (height - FOOT - HEAD) / max(top, steps[-1], 1)
    room = (wide - AXIS - 4) / max(len(values), 1)
    every = ceil((max((width(name) for name, _value in values), default=0) + 4) / room)
    elements = [_gridline(height - FOOT - tick * scale, tick, wide) for tick in steps]
    for index, (name, value) in enumerate(values):
        left, tall = AXIS + 4 + index * room, value * scale
        look = "bar bar--now" if index == len(values) - 1 else "bar"
        elements.append(element("rect", look, x=left + 2, y=height - FOOT - tall, width=room - 6, height=tall))
        if (len(values) - 1 - index) % every == 0:
            middle = min(left + room / 2 - 1, wide - width(name) / 2)  # the last one is not cut at the edge
            elements.append(text(name, middle, height - 6, "middle"))
    return drawing(elements, wide, height, label)


def interval(
    estimate: float, low: float, high: float, *, label: str, most: float = 1.0, width: int = 160, thin: bool = False
) -> SafeString:
    """A point with its interval on a line from 0 to `most`. thin: the number is based on too few values."""
    scale = (width - 8) / most
    elements = [element("line", "grid", x1=x, x2=x, y1=2, y2=18) for x in _quarters(width)]
    elements.append(element("line", "person span", x1=4 + low * scale, x2=4 + high * scale, y1=10, y2=10))
    elements.append(element("circle", "person", cx=4 + estimate * scale, cy=10, r=4))
    return drawing(elements, width, 20, label, "thin" if thin else "")


def two_intervals(
    points: Sequence[tuple[float, float, float]], *, label: str, most: float = 1.0, width: int = 160, thin: bool = False
) -> SafeString:
    """Up to two points (estimate, low, high) with intervals, the first filled, the second hollow."""
    scale = (width - 8) / most
    elements = [element("line", "grid", x1=x, x2=x, y1=2, y2=30) for x in _quarters(width)]
    for row, (look, (estimate, low, high)) in enumerate(zip(("person", "machine"), points, strict=False)):
        y = 10 + 12 * row
        elements.append(element("line", f"{look} span", x1=4 + low * scale, x2=4 + high * scale, y1=y, y2=y))
        elements.append(element("circle", look, cx=4 + estimate * scale, cy=y, r=4))
    return drawing(elements, width, 32, label, "thin" if thin else "")


class Point(NamedTuple):
    """name: its label below. value: None where there is none. thin: based on too few values to be joined by a line."""

    name: str
    value: float | None
    low: float
    high: float
    thin: bool = False


def trend(
    points: Sequence[Point],
    *,
    label: str,
    amount: Callable[[float], str],
    most: float | None = None,
    width: int = 560,
    height: int = 130,
) -> SafeString:
    """Values over time with their intervals. most: the top of the scale, where the value has one."""
    top = most or max([max(point.high, point.value) for point in points if point.value is not None], default=1) or 1
    room, scale = (width - LEFT - 4) / max(len(points), 1), (height - FOOT - 2 * HEAD) / top
    bottom, apart = height - FOOT, -(-len(points) // max((width - LEFT) // NAME, 1)) or 1
    elements = [_level(bottom - step * scale, amount(step), width) for step in amounts(top)]
    line = []
    for index, point in enumerate(points):
        x = LEFT + (index + 0.5) * room
        if index % apart == 0:
            elements.append(text(point.name, x, height - 6, "middle"))
        if point.value is None:
            continue
        y = bottom - point.value * scale
        elements.append(element("circle", "bar--soft" if point.thin else "person", cx=x, cy=y, r=3))
        if not point.thin:
            ends = {"y1": bottom - point.low * scale, "y2": bottom - point.high * scale}
            elements.append(element("line", "whisker", x1=x, x2=x, **ends))
            line.append(f"{number(x)},{number(y)}")
    return drawing([*elements, _path("polyline", "line", " ".join(line))], width, height, label)


LEFT = 60  # room for amounts, which are longer than counts


def curve(
    points: Sequence[tuple[float, float]],
    *,
    label: str,
    amount: Callable[[float], str],
    ends: tuple[str, str],
    limit: tuple[float, str] | None = None,
    width: int = 640,
    height: int = 190,
) -> SafeString:
    """A cumulative value over time. points: (position between 0 and 1, value), from left to right, never falling.

    amount: formats a value. ends: labels of both ends of the axis. limit: a value that must not be exceeded, with its
    name.
    """
    top = max([value for _place, value in points] + ([limit[0]] if limit else []), default=0)
    steps = amounts(top)
    scale = (height - FOOT - 2 * HEAD) / max(top, steps[-1])
    bottom, room = height - FOOT, width - LEFT - 4

    def at(fraction: float, value: float) -> str:
        return f"{number(LEFT + fraction * room)},{number(bottom - value * scale)}"

    line = " ".join(at(*point) for point in points)
    area = f"{at(points[0][0], 0)} {line} {at(points[-1][0], 0)}" if points else ""
    elements = [_level(bottom - step * scale, amount(step), width) for step in steps]
    elements += [_path("polygon", "area", area), _path("polyline", "line", line)] if points else []
    if limit is not None:
        y = bottom - limit[0] * scale
        elements.append(element("line", "limit", x1=LEFT, x2=width - 4, y1=y, y2=y))
        elements.append(text(limit[1], width - 4, y - 5, "end"))
    elements += [text(ends[0], LEFT, height - 6, "start"), text(ends[1], width - 4, height - 6, "end")]
    return drawing(elements, width, height, label)


def _level(y: float, name: str, width: int) -> SafeString:
    return element("line", "grid", x1=LEFT, x2=width - 4, y1=y, y2=y) + text(name, LEFT - 8, y + 4, "end")


def _path(name: str, look: str, points: str) -> SafeString:
    return format_html('<{} class="{}" points="{}"/>', mark_safe(name), look, points)  # noqa: S308 - our own names


def amounts(top: float) -> list[float]:
    """Three to six round amounts from 0 on, the last one at or below top; 0 and 1 where top is 0."""
    if top <= 0:
        return [0, 1]
    power = 10.0 ** floor(log10(top / 5))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= top / 5 * 0.999)
    return [number * step for number in range(floor(top / step * 1.001) + 1)]


def whole_ticks(top: int) -> list[int]:
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
    return element("line", "grid", x1=AXIS, x2=width, y1=y, y2=y) + text(str(tick), AXIS - 6, y + 4, "end")


# Charts have hundreds of marks, so these write their elements themselves: `format_html` takes ten times as long.


def text(words: str, x: float, y: float, anchor: str = "start", look: str = "") -> SafeString:
    """One line of text with its baseline at y. anchor: the part of it that is at x (start, middle, end)."""
    look_attribute = f' class="{_escaped(look)}"' if look else ""
    place = f'x="{number(x)}" y="{number(y)}" text-anchor="{_escaped(anchor)}"'
    return SafeString(f"<text{look_attribute} {place}>{_escaped(words)}</text>")


def element(name: str, look: str, **coordinates: float | str) -> SafeString:
    """An empty element of a class; coordinates: its attributes, numbers or a list of points."""
    pairs = ((key, _escaped(value) if isinstance(value, str) else number(value)) for key, value in coordinates.items())
    attributes = " ".join(f'{key}="{value}"' for key, value in pairs)
    return SafeString(f'<{name} class="{_escaped(look)}" {attributes}/>')


def _escaped(words: str) -> str:
    return words if isinstance(words, SafeString) else escape(str(words))


def drawing(
    elements: Iterable[SafeString], width: int, height: int, label: str, look: str = "", about: str = ""
) -> SafeString:
    """The chart as one image. label: its sentence, or "" where nearby text labels it; about: what it shows."""
    label_attributes = format_html('role="img" aria-label="{}"', label) if label else SafeString('aria-hidden="true"')
    description = format_html("<desc>{}</desc>", about) if about else SafeString()
    return format_html(
        '<svg class="chart {0}" width="{1}" height="{2}" viewBox="0 0 {1} {2}" {3}>{4}</svg>',
        look,
        width,
        height,
        label_attributes,
        SafeString("".join((description, *elements))),
    )


def number(value: float) -> str:
    """A coordinate, written as briefly as possible."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


WIDTHS = (330, 520, 780, 1180)  # pixels; chart.css has the same
SQUARE = WIDTHS[:2]  # a wider square would not fit on a screen


def fitted(draw: Callable[[int], SafeString], *, square: bool = False) -> SafeString:
    """draw: the chart at a width in pixels. square: it is as high as it is wide, and at most 620 pixels."""
    widths, look = (SQUARE, "fits fits--square") if square else (WIDTHS, "fits")
    drawings = format_html_join("", '<div class="fit fit--{}">{}</div>', ((wide, draw(wide)) for wide in widths))
    return format_html('<div class="{}">{}</div>', look, drawings)
