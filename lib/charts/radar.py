"""Radar charts: scores of a few authors in several groups, as closed lines with marks of different shapes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin

from django.utils.safestring import SafeString

from lib.charts.marks import LINE, drawing, element, number, text, wrapped

MOST = 6  # the number of authors that can be distinguished
LEAST, READABLE = 3, 8  # groups that make an area, and that can still be compared around a circle
TOPS = (20, 40, 60, 80, 100)  # possible outer rings: the first that no score exceeds
RINGS = 4
MANY = 12  # groups from which on a name has one line, for its neighbours stand close


@dataclass(frozen=True)
class RadarLine:
    """values: 0 to 100, one for each group; None where the author has none, which leaves a gap."""

    name: str
    values: Sequence[float | None]


def radar(groups: Sequence[str], lines: Sequence[RadarLine], *, label: str, size: int = 560) -> SafeString:
    """A chart from 0 in the centre to a round number outside. Empty for fewer than three groups; at most six lines."""
    if len(groups) < LEAST or not lines:
        return SafeString()
    many = len(groups) > MANY
    room = size * (0.28 if many and size > 420 else 0.21 if size > 420 else 0.235)
    names = [wrapped(name, room, lines=1 if many else 2) for name in groups]
    radius = size / 2 - room - 10
    height = round(2 * radius + 6 * LINE + 32)
    web = _Web(size / 2, height / 2, radius, len(groups), _top(lines))
    elements = [*_rings(web), *_spokes(web, names)]
    for index, line in enumerate(lines[:MOST]):
        elements += _line(web, line, index + 1)
    return drawing(elements, size, height, label, "radar")


def mark(series: int) -> SafeString:
    """The mark of the line with this number (from 1) on a short stroke, for the legend."""
    elements = [element("line", f"series series-{series}", x1=1, x2=27, y1=7, y2=7), series_mark(14, 7, series)]
    return drawing(elements, 28, 14, "", "radar")


def _top(lines: Sequence[RadarLine]) -> int:
    most = max((value for line in lines for value in line.values if value is not None), default=0.0)
    return next((top for top in TOPS if most <= top), TOPS[-1])


@dataclass(frozen=True)
class _Web:
    x: float
    y: float
    radius: float
    spokes: int
    top: int

    def at(self, spoke: int, value: float, beyond: float = 0) -> tuple[float, float]:
        """The position of a value on a spoke, `beyond` pixels further out."""
        way = 2 * pi * spoke / self.spokes - pi / 2
        far = self.radius * value / self.top + beyond
        return self.x + far * cos(way), self.y + far * sin(way)


def _rings(web: _Web) -> list[SafeString]:
    elements = []
    for number_of in range(1, RINGS + 1):
        ring = web.top * number_of / RINGS
        corners = " ".join(_point(*web.at(spoke, ring)) for spoke in range(web.spokes))
        elements.append(element("polygon", "grid ring", points=corners))
        elements.append(text(number(ring), web.x + 4, web.at(0, ring)[1] + 12, look="aside"))
    return elements


def _spokes(web: _Web, names: Sequence[Sequence[str]]) -> list[SafeString]:
    elements = []
    for spoke, lines in enumerate(names):
        x, y = web.at(spoke, web.top)
        elements.append(element("line", "grid", x1=web.x, y1=web.y, x2=x, y2=y))
        elements += _name(web, spoke, lines)
    return elements


def _name(web: _Web, spoke: int, lines: Sequence[str]) -> list[SafeString]:
    """The label of a spoke, outside the web and growing away from it."""
    x, y = web.at(spoke, web.top, beyond=8)
    across, down = (x - web.x) / web.radius, (y - web.y) / web.radius
    anchor = "middle" if abs(across) < 0.05 else "start" if across > 0 else "end"
    baseline = y + 4 - (len(lines) - 1) * LINE * (0.5 - 0.5 * down) + (4 if down > 0.8 else 0)
    if web.spokes > MANY and abs(across) < 0.2:  # clear of the names to the left and right
        baseline += (LINE if anchor == "middle" else LINE / 2) * (1 if down > 0 else -1)
    return [text(line, x, baseline + number_of * LINE, anchor, "name") for number_of, line in enumerate(lines)]


def _line(web: _Web, line: RadarLine, series: int) -> list[SafeString]:
    points = [None if value is None else web.at(spoke, value) for spoke, value in enumerate(line.values)]
    elements = []
    if all(points):
        corners = " ".join(_point(*point) for point in points if point)
        elements.append(element("polygon", f"series series-{series}", points=corners))
    else:
        for start, end in pairwise([*points, points[0]]):
            if start and end:
                coordinates = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1]}
                elements.append(element("line", f"series series-{series}", **coordinates))
    return elements + [series_mark(*point, series) for point in points if point]


# Corners of a mark around its middle, for the lines 2 to 6; the first line has circles.
_SHAPES = {
    2: ((-4, -4), (4, -4), (4, 4), (-4, 4)),
    3: ((0, -5), (5, 4), (-5, 4)),
    4: ((0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)),
    5: ((0, 5), (5, -4), (-5, -4)),
    6: ((-5, -1.5), (-1.5, -1.5), (-1.5, -5), (1.5, -5), (1.5, -1.5), (5, -1.5)),
}
_SHAPES[6] = (*_SHAPES[6], *((-x, -y) for x, y in _SHAPES[6]))


def series_mark(x: float, y: float, series: int) -> SafeString:
    """The mark of a line with this number (from 1), around a place."""
    if series not in _SHAPES:
        return element("circle", f"mark series-{series}", cx=x, cy=y, r=4)
    corners = " ".join(_point(x + right, y + down) for right, down in _SHAPES[series])
    return element("polygon", f"mark series-{series}", points=corners)


def _point(x: float, y: float) -> str:
    return f"{number(x)},{number(y)}"
