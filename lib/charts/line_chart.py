"""A line chart of shares over a count, such as the number of criteria: a line for each share, points with intervals."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.safestring import SafeString

from lib.charts.marks import drawing, element, number, text, width

LEFT, RIGHT, FOOT, KEY = 34, 10, 38, 22
LOOKS = (("line", "person"), ("machine span", "machine"), ("axis", "bar bar--soft"))
APART = 7  # pixels between points above the same number


@dataclass(frozen=True)
class LineDot:
    """value, low, high: 0 to 100; None where there is none."""

    number: int
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class ShareLine:
    name: str
    dots: Sequence[LineDot]


def by_number(lines: Sequence[ShareLine], *, label: str, below: str, wide: int = 620, height: int = 300) -> SafeString:
    """At most three lines, from 0 to 100. below: the name of the count on the horizontal axis."""
    most = max((dot.number for line in lines for dot in line.dots), default=1)
    keys, top = _keys(lines, wide)
    bottom, room = height - FOOT, (wide - LEFT - RIGHT) / most

    def x(count: int, line_index: int) -> float:
        return LEFT + (count - 0.5) * room + (line_index - (len(lines) - 1) / 2) * APART

    def y(value: float) -> float:
        return bottom - (bottom - top) * min(max(value, 0), 100) / 100

    elements = [*keys, *_grid(wide, y)]
    elements += [text(str(count), LEFT + (count - 0.5) * room, bottom + 16, "middle") for count in range(1, most + 1)]
    elements.append(text(below, wide - RIGHT, height - 4, "end"))
    for index, line in enumerate(lines):
        elements += _line(line, LOOKS[index], lambda count, line_index=index: x(count, line_index), y)  # type: ignore[misc]
    return drawing(elements, wide, height, label, "by-number")


def _keys(lines: Sequence[ShareLine], wide: int) -> tuple[list[SafeString], float]:
    """The legend, in as many rows as needed, and the height at which the chart may begin."""
    elements: list[SafeString] = []
    left, row = float(LEFT), 0
    for index, line in enumerate(lines):
        takes = 34 + width(line.name)
        if left + takes > wide and left > LEFT:
            left, row = float(LEFT), row + 1
        middle = 10 + row * KEY
        look, mark = LOOKS[index]
        elements.append(element("polyline", look, points=f"{number(left)},{middle} {number(left + 20)},{middle}"))
        elements += [_mark(mark, left + 10, middle), text(line.name, left + 26, middle + 4, look="name")]
        left += takes
    return elements, (row + 1) * KEY + 10


def _grid(wide: int, y: Callable[[float], float]) -> Iterator[SafeString]:
    for tick in (0, 25, 50, 75, 100):
        yield element("line", "grid", x1=LEFT, x2=wide - RIGHT, y1=y(tick), y2=y(tick))
        yield text(str(tick), LEFT - 6, y(tick) + 4, "end")


def _line(
    line: ShareLine, looks: tuple[str, str], x: Callable[[int], float], y: Callable[[float], float]
) -> Iterator[SafeString]:
    valued_dots = [(dot, dot.value) for dot in line.dots if dot.value is not None]
    if len(valued_dots) > 1:
        points = " ".join(f"{number(x(dot.number))},{number(y(value))}" for dot, value in valued_dots)
        yield element("polyline", looks[0], points=points)
    for dot, value in valued_dots:
        center = x(dot.number)
        if dot.low is not None and dot.high is not None:
            yield element(
                "line",
                "whisker" if looks[1] == "person" else "axis",
                x1=center,
                x2=center,
                y1=y(dot.low),
                y2=y(dot.high),
            )
        title = f"{line.name}, {dot.number}: {value:.1f}"
        yield format_html("<g>{}<title>{}</title></g>", _mark(looks[1], center, y(value)), title)


def _mark(look: str, x: float, y: float) -> SafeString:
    if look.startswith("bar"):
        return element("rect", look, x=x - 3.5, y=y - 3.5, width=7, height=7)
    return element("circle", look, cx=x, cy=y, r=4)
