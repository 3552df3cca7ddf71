"""What stands in a drawing, as numbers."""

import re


def numbers(svg: str, element: str, look: str) -> list[dict[str, float]]:
    """The numeric attributes of every element of a class, in their order."""
    found = re.findall(rf'<{element} class="{look}" ([^>]*?)/?>', svg)
    return [{name: float(value) for name, value in re.findall(r'([\w-]+)="(-?[\d.]+)"', each)} for each in found]


def words(svg: str, look: str) -> list[str]:
    return re.findall(rf'<text class="{look}"[^>]*>([^<]*)</text>', svg)


def corners(svg: str, look: str) -> list[list[tuple[float, float]]]:
    """The corners of every polygon of a class."""
    found = re.findall(rf'<polygon class="{look}" points="([^"]*)"', svg)
    return [[(float(x), float(y)) for x, y in (point.split(",") for point in each.split())] for each in found]
