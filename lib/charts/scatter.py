"""Scatter charts of two scores for each author, with labels placed so that they overlap neither labels nor points."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import cos, hypot, pi, sin

from django.utils.html import format_html
from django.utils.safestring import SafeString

from lib.charts.marks import LINE, domain, drawing, element, number, text, ticks, width

DOT = 5  # half of the size of a point
RINGS = (9, 15, 24, 36, 50, 68, 90)  # possible distances of a name from its point
WAYS = [turn * pi / 8 for turn in (1, -1, 7, -7, 0, 8, 2, -2, 6, -6, 4, -4, 3, -3, 5, -5)]
NEAR = 60  # points within this distance make a place crowded


@dataclass(frozen=True)
class Box:
    """A rectangle, in pixels from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    def shared(self, other_box: "Box") -> float:
        """The overlapping area."""
        across = min(self.right, other_box.right) - max(self.left, other_box.left)
        down = min(self.bottom, other_box.bottom) - max(self.top, other_box.top)
        return across * down if across > 0 and down > 0 else 0.0

    def inside(self, frame: "Box") -> bool:
        return (
            self.left >= frame.left
            and self.top >= frame.top
            and self.right <= frame.right
            and self.bottom <= frame.bottom
        )


@dataclass(frozen=True)
class Spot:
    """A point with the size of its label."""

    x: float
    y: float
    width: float
    height: float


def placed(spots: Sequence[Spot], frame: Box, obstacles: Sequence[Box] = ()) -> list[Box]:
    """A box for the label of each spot, in their order: the nearest free one, else the one that overlaps least.

    obstacles: boxes of other text. Labels in a crowd are placed first. The same spots always give the same boxes.
    """
    dots = [Box(spot.x - DOT, spot.y - DOT, spot.x + DOT, spot.y + DOT) for spot in spots]
    boxes: dict[int, Box] = {}
    for _again in range(2):  # the second pass knows the positions of all others
        for spot in sorted(range(len(spots)), key=lambda index: (-_neighbours(spots, index), index)):
            other_boxes = [box for other_spot, box in boxes.items() if other_spot != spot]
            boxes[spot] = _best(spots[spot], [*other_boxes, *dots, *obstacles], frame)
    return [boxes[spot] for spot in range(len(spots))]


def _neighbours(spots: Sequence[Spot], number: int) -> int:
    centre = spots[number]
    return sum(hypot(spot.x - centre.x, spot.y - centre.y) < NEAR for spot in spots)


def _best(spot: Spot, obstacles: Sequence[Box], frame: Box) -> Box:
    best, least = None, float("inf")
    for box in _around(spot):
        if not box.inside(frame):
            continue
        covered = _covered(box, obstacles, least)
        if not covered:
            return box
        if covered < least:
            best, least = box, covered
    return best or next(_around(spot))


def _covered(box: Box, obstacles: Sequence[Box], enough: float) -> float:
    """The area that box shares with others; counting stops at `enough`, which is too much already."""
    covered = 0.0
    for obstacle in obstacles:
        covered += box.shared(obstacle)
        if covered >= enough:
            break
    return covered


def _around(spot: Spot) -> Iterator[Box]:
    """Boxes around a point, the nearest first: the side that faces the point touches the ring."""
    for ring in RINGS:
        for way in WAYS:
            x, y = spot.x + ring * cos(way), spot.y - ring * sin(way)
            left = x - spot.width * (1 - cos(way)) / 2
            top = y - spot.height * (1 + sin(way)) / 2
            yield Box(left, top, left + spot.width, top + spot.height)


# The chart: two scores of each author against each other, with the diagonal on which both are equal.


CROWD = 12  # from this many points on, intervals are drawn weaker
RADIUS = 4.5  # of a dot, in pixels
LEADER = 14  # a name further away than this gets a leader line
MOST_NAMED = 60  # with more points than this names have no room, and the search for it takes minutes
Interval = tuple[float, float]


@dataclass(frozen=True)
class ScatterDot:
    """x, y: 0 to 100. name: its label. x_interval, y_interval: drawn as whiskers where there are any."""

    name: str
    x: float
    y: float
    x_interval: Interval | None = None
    y_interval: Interval | None = None


@dataclass(frozen=True)
class ScatterWords:
    """x, y: labels of the axes; above, below: what it means to lie on that side of the diagonal."""

    label: str
    x: str
    y: str
    above: str = ""
    below: str = ""


@dataclass(frozen=True)
class _Plane:
    """Converts scores to pixels. Both axes have the same ends, so that scores are equal on the diagonal."""

    low: float
    high: float
    frame: Box

    def x(self, value: float) -> float:
        return self.frame.left + (self.frame.right - self.frame.left) * self._share(value)

    def y(self, value: float) -> float:
        return self.frame.bottom - (self.frame.bottom - self.frame.top) * self._share(value)

    def _share(self, value: float) -> float:
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


def scatter(dots: Sequence[ScatterDot], words: ScatterWords, *, size: int = 620) -> SafeString:
    """A square chart; labels do not overlap as far as there is room, and there are none with too many points."""
    low, high = domain([value for dot in dots for value in _values(dot)])
    plane = _Plane(low, high, Box(44, 26, size - 12, size - 44))
    words = _without_covered(plane, words, dots)
    elements = [*_grid(plane), *_said(plane, words, size)]
    look = "scatter chart--crowded" if len(dots) >= CROWD else "scatter"
    if len(dots) > MOST_NAMED:
        return drawing([*elements, *_many(plane, dots)], size, size, words.label, look)
    whiskers = [whisker for dot in dots for whisker in _whiskers(plane, dot)]
    marks = [_mark(plane, dot) for dot in dots]
    names = _names(plane, dots, _asides(plane, words))
    return drawing([*elements, *whiskers, *marks, *names], size, size, words.label, look)


def _values(dot: ScatterDot) -> list[float]:
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


def _said(plane: _Plane, words: ScatterWords, size: int) -> list[SafeString]:
    box = plane.frame
    captions = [text(words.x, box.right, size - 8, "end"), text(words.y, 4, 14)]
    captions.append(text(words.above, box.left + 10, box.top + 16, look="aside"))
    captions.append(text(words.below, box.right - 8, box.bottom - 10, "end", look="aside"))
    return captions


def _asides(plane: _Plane, words: ScatterWords) -> list[Box]:
    """The boxes of the two remarks; no label is placed there."""
    box = plane.frame
    above = Box(box.left + 10, box.top + 4, box.left + 10 + width(words.above), box.top + 4 + LINE)
    return [above, Box(box.right - 8 - width(words.below), box.bottom - 8 - LINE, box.right - 8, box.bottom - 8)]


def _without_covered(plane: _Plane, words: ScatterWords, dots: Sequence[ScatterDot]) -> ScatterWords:
    """The words without the remarks that a dot or its intervals would cover."""
    marks = [mark for dot in dots for mark in _extents(plane, dot)]
    covered = [any(aside.shared(mark) for mark in marks) for aside in _asides(plane, words)]
    above, below = covered
    return replace(words, above="" if above else words.above, below="" if below else words.below)


def _extents(plane: _Plane, dot: ScatterDot) -> list[Box]:
    """The boxes of a dot and its whiskers."""
    x, y = plane.x(dot.x), plane.y(dot.y)
    boxes = [Box(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS)]
    if dot.x_interval:
        left, right = map(plane.x, dot.x_interval)
        boxes.append(Box(left, y - 1, right, y + 1))
    if dot.y_interval:
        bottom, top = map(plane.y, dot.y_interval)
        boxes.append(Box(x - 1, top, x + 1, bottom))
    return boxes


def _whiskers(plane: _Plane, dot: ScatterDot) -> list[SafeString]:
    x, y, elements = plane.x(dot.x), plane.y(dot.y), []
    if dot.x_interval:
        x1, x2 = map(plane.x, dot.x_interval)
        elements.append(element("line", "whisker", x1=x1, x2=x2, y1=y, y2=y))
    if dot.y_interval:
        y1, y2 = map(plane.y, dot.y_interval)
        elements.append(element("line", "whisker", x1=x, x2=x, y1=y1, y2=y2))
    return elements


def _many(plane: _Plane, dots: Sequence[ScatterDot]) -> list[SafeString]:
    """Whiskers and marks in two groups that say their class once: thousands of them are half of the page."""
    crosses = (path for dot in dots if (path := _cross(plane, dot)))
    whiskers = "".join(f'<path d="{path}"/>' for path in crosses)
    marks = "".join(_dot(plane, dot) for dot in dots)
    return [SafeString(f'<g class="whiskers">{whiskers}</g>'), SafeString(f'<g class="person">{marks}</g>')]


def _cross(plane: _Plane, dot: ScatterDot) -> str:
    """Both whiskers as one path; an interval of a single pixel is below its dot."""
    x, y, path = plane.x(dot.x), plane.y(dot.y), ""
    if dot.x_interval:
        left, right = (number(plane.x(end)) for end in dot.x_interval)
        path += f"M{left} {number(y)}H{right}" if left != right else ""
    if dot.y_interval:
        bottom, top = (number(plane.y(end)) for end in dot.y_interval)
        path += f"M{number(x)} {bottom}V{top}" if bottom != top else ""
    return path


def _dot(plane: _Plane, dot: ScatterDot) -> str:
    x, y = number(plane.x(dot.x)), number(plane.y(dot.y))
    return f'<circle cx="{x}" cy="{y}" r="{RADIUS}"><title>{escape(_title(dot))}</title></circle>'


def _title(dot: ScatterDot) -> str:
    return f"{dot.name}: {dot.x:.2f}, {dot.y:.2f}"


def _mark(plane: _Plane, dot: ScatterDot) -> SafeString:
    """A dot with a title that is shown on hover; the table has the same content."""
    x, y = number(plane.x(dot.x)), number(plane.y(dot.y))
    return format_html(
        '<circle class="person" cx="{}" cy="{}" r="{}"><title>{}</title></circle>', x, y, RADIUS, _title(dot)
    )


def _names(plane: _Plane, dots: Sequence[ScatterDot], obstacles: Sequence[Box]) -> list[SafeString]:
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
