"""Where names go in a chart of points, so that they cover neither each other nor a point."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin

DOT = 5  # half of what a point takes
RINGS = (9, 15, 24, 36, 50, 68, 90)  # how far from its point a name may begin
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
        """The area of what both cover."""
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
    """A point with the size of the name that it is to have."""

    x: float
    y: float
    width: float
    height: float


def placed(spots: Sequence[Spot], frame: Box, obstacles: Sequence[Box] = ()) -> list[Box]:
    """A box for the name of each spot, in their order: the nearest free one, else the one that covers least.

    obstacles: where other words stand. Names in a crowd choose first. The same spots always give the same boxes.
    """
    dots = [Box(spot.x - DOT, spot.y - DOT, spot.x + DOT, spot.y + DOT) for spot in spots]
    boxes: dict[int, Box] = {}
    for _again in range(2):  # the second time round everybody knows where the others are
        for number in sorted(range(len(spots)), key=lambda index: (-_neighbours(spots, index), index)):
            other_boxes = [box for other_number, box in boxes.items() if other_number != number]
            boxes[number] = _best(spots[number], [*other_boxes, *dots, *obstacles], frame)
    return [boxes[number] for number in range(len(spots))]


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
    """The area that box shares with others; counted no further than enough, which is too much already."""
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
