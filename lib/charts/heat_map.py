"""Heat maps: rows in groups, in each cell a number with its interval and n, coloured on a continuous scale.

A heat map is a table, so that it can be sorted and read without colours; templates/boards/_heat_map.html shows it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from lib.charts.heat_colours import SWAY, look
from lib.charts.marks import domain, number


@dataclass(frozen=True)
class HeatScale:
    """name: one of heat_colours.STOPS. low, high: values that have the colours of the ends."""

    name: str
    low: float = 0
    high: float = 100

    def look(self, value: float) -> str:
        """The class of the colour of a value."""
        return look(self.name, 100 * (value - self.low) / (self.high - self.low))

    @property
    def marks(self) -> Sequence[str]:
        """The values of the legend: both ends, and the middle of a scale with two sides."""
        middle = [(self.low + self.high) / 2] if self.name == SWAY else []
        return [number(mark) for mark in (self.low, *middle, self.high)]


def scale_around(name: str, values: Sequence[float]) -> HeatScale:
    """The scale with round ends around these values of 0..100, at least 20 apart."""
    return HeatScale(name, *domain(list(values)))


@dataclass(frozen=True)
class HeatCell:
    """said: the number as text; between: its interval, "" without one. look: the class of its colour, "" where it is
    based on too little. href: what it opens; label: the cell in words."""

    said: str
    between: str
    n: int
    look: str
    href: str
    label: str


@dataclass(frozen=True)
class HeatRow:
    """cells: one for each column, None where there is none."""

    name: str
    cells: Sequence[HeatCell | None]


@dataclass(frozen=True)
class HeatMap:
    """label: what it shows; corner: what the names of the rows are. groups: (heading, "" for none; rows).

    scales: for the legend, each with its heading. numbered: columns have numbers, to which a chart refers.
    sorts: by what the server sorts the rows, for the corner and each column; empty where the browser does.
    """

    label: str
    corner: str
    columns: Sequence[str]
    groups: Sequence[tuple[str, Sequence[HeatRow]]]
    scales: Sequence[tuple[str, HeatScale]]
    numbered: bool = False
    sorts: Sequence[str] = ()

    @property
    def heads(self) -> Sequence[tuple[str, str]]:
        """(name, by what the server sorts) of every column."""
        return list(zip_longest(self.columns, self.sorts[1:], fillvalue=""))
