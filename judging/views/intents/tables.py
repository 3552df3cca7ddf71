"""What the page of intents shows, row by row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judging.services.intents.reading import ALL
from judging.services.intents.tables import Row
from lib.stats.figures import Figure
from lib.stats.intents import best_marked


@dataclass(frozen=True)
class Cell:
    """figure: None where the author has no case there. place: 1, 2 or 3 of the best, else 0."""

    group: str
    figure: Figure | None
    place: int = 0


@dataclass(frozen=True)
class Line:
    author: str
    cells: Sequence[Cell]


def lines(rows: Sequence[Row], groups: Sequence[str], language: str) -> list[Line]:
    """A line for each author, a cell for each group; the best author over all cases first."""
    figures = {(row.author, row.group): row.figure for row in rows if row.language == language}
    return _lines(figures, groups, first=groups[0] if groups else "")


def by_language(rows: Sequence[Row], languages: Sequence[str]) -> list[Line]:
    """The same over all intents, a cell for each language."""
    figures = {(row.author, row.language): row.figure for row in rows if row.group == ALL}
    return _lines(figures, languages, first=ALL)


def _lines(figures: Mapping[tuple[str, str], Figure], groups: Sequence[str], first: str) -> list[Line]:
    authors = {author for author, _group in figures}
    best = {group: best_marked({author: _mean(figures, author, group) for author in authors}) for group in groups}
    order = sorted(authors, key=lambda author: (-(_mean(figures, author, first) or 0.0), author))
    return [
        Line(author, [Cell(group, figures.get((author, group)), best[group].get(author, 0)) for group in groups])
        for author in order
    ]


def _mean(figures: Mapping[tuple[str, str], Figure], author: str, group: str) -> float | None:
    figure = figures.get((author, group))
    return None if figure is None else figure.value
