"""Heat maps: the colour step of a score, and a drawing of rows in groups.

The colour ramp has seven steps. Every cell prints its number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from lib.charts.marks import LINE, cut, element, number, text, width, wrapped

STEPS = 7


def step(value: float) -> int:
    """0 (for 0) to 6 (up to 100), in equal parts."""
    return min(max(int(value * STEPS / 100), 0), STEPS - 1)


def ramp() -> Sequence[tuple[int, int]]:
    """(step, the score at which it begins), for a legend."""
    return [(step, -(-100 * step // STEPS)) for step in range(STEPS)]


# The drawing: rows in groups, a number with its interval in every cell; each cell is a link.


CELL, ROW, GAP = 86, 34, 2
HEAD_LINES = 3
LEAST_LEFT, MOST_LEFT = 120, 260


@dataclass(frozen=True)
class HeatCell:
    """said: the number as text; below: its interval. step: 0..6 of the ramp, None where it is based on too little.

    cool: the other ramp, where high is good. href: what it opens; label: the cell in words.
    """

    said: str
    below: str
    step: int | None
    href: str
    label: str
    cool: bool = False


@dataclass(frozen=True)
class HeatRow:
    """group: each group begins with a heading. cells: by column; columns without a cell are missing."""

    name: str
    group: str
    cells: Mapping[int, HeatCell]


def heat_map(columns: Sequence[str], rows: Sequence[HeatRow], *, label: str) -> SafeString:
    margin = min(max([width(row.name) for row in rows] + [LEAST_LEFT]) + 12, MOST_LEFT)
    wide, top = margin + len(columns) * CELL, HEAD_LINES * LINE + 10
    elements = [part for index, name in enumerate(columns) for part in _head(name, margin + index * CELL + CELL / 2)]
    previous_group = None
    for row in rows:
        if row.group != previous_group:
            elements.append(text(row.group, 0, top + 20, look="family"))
            previous_group, top = row.group, top + 28
        elements.append(text(cut(row.name, margin - 10), 0, top + ROW / 2 + 4, look="name"))
        elements += [_cell(cell, margin + column * CELL, top) for column, cell in row.cells.items()]
        top += ROW
    return format_html(
        '<svg class="chart heat-drawing" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="group" aria-label="{2}">'
        "{3}</svg>",
        number(wide),
        number(top + 2),
        label,
        format_html_join("", "{}", ((part,) for part in elements)),
    )


def _head(name: str, middle: float) -> list[SafeString]:
    lines = wrapped(name, CELL - 6, HEAD_LINES)
    baseline = (HEAD_LINES - len(lines) + 1) * LINE
    return [text(line, middle, baseline + index * LINE, "middle") for index, line in enumerate(lines)]


def _cell(cell: HeatCell, left: float, top: float) -> SafeString:
    look = "heat-none" if cell.step is None else f"{'cool' if cell.cool else 'heat'}-{cell.step}"
    middle = left + CELL / 2
    return format_html(
        '<a class="heat-link {}" href="{}" aria-label="{}">{}{}{}</a>',
        look,
        cell.href,
        cell.label,
        element("rect", "heat-box", x=left + GAP / 2, y=top + GAP / 2, width=CELL - GAP, height=ROW - GAP, rx=3),
        text(cell.said, middle, top + 15, "middle", "heat-said"),
        text(cell.below, middle, top + 28, "middle", "heat-below"),
    )
