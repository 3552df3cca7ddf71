"""Two scores of each author against each other, with the line on which both are equal."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.html import format_html
from django.utils.safestring import SafeString

from lib.charts.lettering import LINE, width
from lib.charts.marks import drawing, element, number, text
from lib.charts.placing import Box, Spot, placed
from lib.charts.scale import domain, ticks

CROWD = 12  # from so many points on, intervals step back
RADIUS = 4.5  # of a dot, in pixels
LEADER = 14  # a name further away than this is tied to its point by a line
Interval = tuple[float, float]


@dataclass(frozen=True)
class Dot:
    """x, y: 0 to 100. name: what stands beside it. x_interval, y_interval: drawn as whiskers where there are any."""

    name: str
    x: float
    y: float
    x_interval: Interval | None = None
    y_interval: Interval | None = None


@dataclass(frozen=True)
class Words:
    """x, y: what the axes measure; above, below: what it means to lie on that side of the diagonal."""

    label: str
    x: str
    y: str
    above: str = ""
    below: str = ""


@dataclass(frozen=True)
class _Plane:
    """From scores to pixels: both axes have the same ends, so that the diagonal is where both are equal."""

    low: float
    high: float
    frame: Box

    def x(self, value: float) -> float:
        return self.frame.left + (self.frame.right - self.frame.left) * self._share(value)

    def y(self, value: float) -> float:
        return self.frame.bottom - (self.frame.bottom - self.frame.top) * self._share(value)

    def _share(self, value: float) -> float:
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


def scatter(dots: Sequence[Dot], words: Words, *, size: int = 620) -> SafeString:
    """A square chart; names are placed so that they do not cover each other as far as there is room."""
    low, high = domain([value for dot in dots for value in _values(dot)])
    plane = _Plane(low, high, Box(44, 26, size - 12, size - 44))
    words = _without_covered(plane, words, dots)
    elements = [*_grid(plane), *_said(plane, words, size)]
    whiskers = [whisker for dot in dots for whisker in _whiskers(plane, dot)]
    marks = [_mark(plane, dot) for dot in dots]
    look = "scatter chart--crowded" if len(dots) >= CROWD else "scatter"
    names = _names(plane, dots, _asides(plane, words))
    return drawing([*elements, *whiskers, *marks, *names], size, size, words.label, look)


def _values(dot: Dot) -> list[float]:
    return [dot.x, dot.y, *(dot.x_interval or ()), *(dot.y_interval or ())]


def _grid(plane: _Plane) -> list[SafeString]:
    box, elements = plane.frame, []
    for tick in ticks(plane.low, plane.high):
        x, y = plane.x(tick), plane.y(tick)
        elements.append(element("line", "grid", x1=x, x2=x, y1=box.top, y2=box.bottom))
        elements.append(element("line", "grid", x1=box.left, x2=box.right, y1=y, y2=y))
        elements += [text(number(tick), x, box.bottom + 17, "middle"), text(number(tick), box.left - 8, y + 4, "end")]
    corner = f"{number(box.left)},{number(box.top)} {number(box.left)},{number(box.bottom)}"
    elements.append(element("polyline", "axis", points=f"{corner} {number(box.right)},{number(box.bottom)}"))
    elements.append(element("line", "diagonal-line", x1=box.left, y1=box.bottom, x2=box.right, y2=box.top))
    return elements


def _said(plane: _Plane, words: Words, size: int) -> list[SafeString]:
    box = plane.frame
    captions = [text(words.x, box.right, size - 8, "end"), text(words.y, 4, 14)]
    captions.append(text(words.above, box.left + 10, box.top + 16, look="aside"))
    captions.append(text(words.below, box.right - 8, box.bottom - 10, "end", look="aside"))
    return captions


def _asides(plane: _Plane, words: Words) -> list[Box]:
    """Where the two remarks stand; no name goes there."""
    box = plane.frame
    above = Box(box.left + 10, box.top + 4, box.left + 10 + width(words.above), box.top + 4 + LINE)
    return [above, Box(box.right - 8 - width(words.below), box.bottom - 8 - LINE, box.right - 8, box.bottom - 8)]


def _without_covered(plane: _Plane, words: Words, dots: Sequence[Dot]) -> Words:
    """Without the remarks that a dot or its intervals would lie on."""
    marks = [mark for dot in dots for mark in _extents(plane, dot)]
    covered = [any(aside.shared(mark) for mark in marks) for aside in _asides(plane, words)]
    above, below = covered
    return replace(words, above="" if above else words.above, below="" if below else words.below)


def _extents(plane: _Plane, dot: Dot) -> list[Box]:
    """What a dot and its whiskers cover."""
    x, y = plane.x(dot.x), plane.y(dot.y)
    boxes = [Box(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS)]
    if dot.x_interval:
        left, right = map(plane.x, dot.x_interval)
        boxes.append(Box(left, y - 1, right, y + 1))
    if dot.y_interval:
        bottom, top = map(plane.y, dot.y_interval)
        boxes.append(Box(x - 1, top, x + 1, bottom))
    return boxes


def _whiskers(plane: _Plane, dot: Dot) -> list[SafeString]:
    x, y, elements = plane.x(dot.x), plane.y(dot.y), []
    if dot.x_interval:
        x1, x2 = map(plane.x, dot.x_interval)
        elements.append(element("line", "whisker", x1=x1, x2=x2, y1=y, y2=y))
    if dot.y_interval:
        y1, y2 = map(plane.y, dot.y_interval)
        elements.append(element("line", "whisker", x1=x, x2=x, y1=y1, y2=y2))
    return elements


def _mark(plane: _Plane, dot: Dot) -> SafeString:
    """The title shows when somebody points at it; the table says the same to everybody else."""
    x, y = number(plane.x(dot.x)), number(plane.y(dot.y))
    title = f"{dot.name}: {dot.x:.2f}, {dot.y:.2f}"
    return format_html('<circle class="person" cx="{}" cy="{}" r="{}"><title>{}</title></circle>', x, y, RADIUS, title)


def _names(plane: _Plane, dots: Sequence[Dot], obstacles: Sequence[Box]) -> list[SafeString]:
    spots = [Spot(plane.x(dot.x), plane.y(dot.y), width(dot.name), LINE) for dot in dots]
    elements = []
    for dot, spot, box in zip(dots, spots, placed(spots, plane.frame, obstacles), strict=True):
        elements += _leader(spot, box)
        elements.append(text(dot.name, (box.left + box.right) / 2, box.bottom - 3, "middle", "name"))
    return elements


def _leader(spot: Spot, box: Box) -> list[SafeString]:
    x, y = min(max(spot.x, box.left), box.right), min(max(spot.y, box.top), box.bottom)
    if abs(x - spot.x) + abs(y - spot.y) <= LEADER:
        return []
    return [element("line", "leader", x1=spot.x, y1=spot.y, x2=x, y2=y)]
