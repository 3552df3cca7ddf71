"""Ratings as arrays: what the metrics take."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judging.services.comparing_raters.material import Material
from judging.services.ratings import SCORE
from judging.services.trust.rows import Row
from lib.stats.averages import Cell, Floats, Places

MOST_LABELS = 10  # of more different scores, errors between each two of them say nothing


@dataclass(frozen=True)
class Rated:
    """values: (units, raters), NaN where there is none; labels: what the codes 0, 1, … stand for, () for numbers.

    raters: keys, people first.
    """

    units: Sequence[str]
    raters: Sequence[str]
    values: Floats
    labels: Sequence[float | str] = ()

    def of(self, *keys: str) -> Floats:
        return self.values[:, [self.raters.index(key) for key in keys]]


@dataclass(frozen=True)
class ByAuthor:
    """Scores for a leaderboard. said, judged: (authors, places), NaN where there is none; cell: (places,)."""

    authors: Sequence[str]
    said: Floats
    judged: Floats
    cell: Places
    cells: Sequence[Cell]


def rated(given: Material) -> Rated:
    """Scores as they are; labels, and checklist questions, as codes."""
    units, keys = list(given.said), [one.key for one in given.raters]
    at = {key: place for place, key in enumerate(keys)}
    labels = () if given.subject.slug == SCORE else labels_of(given)
    codes = {label: place for place, label in enumerate(labels)}
    values = np.full((len(units), len(keys)), np.nan)
    for row, said in enumerate(given.said.values()):
        for key, one in said.items():
            if one.value is not None:
                values[row, at[key]] = codes[one.value] if labels else float(one.value)
    return Rated(units, keys, values, labels)


def labels_of(given: Material) -> Sequence[float | str]:
    """Everything that anybody said, in order."""
    found = {one.value for said in given.said.values() for one in said.values() if one.value is not None}
    return sorted(found, key=lambda value: (isinstance(value, str), value))


def coded(found: Rated) -> Rated:
    """Scores as codes too; nothing where there are too many different ones."""
    if found.labels:
        return found
    there = np.unique(found.values[~np.isnan(found.values)])
    if there.size > MOST_LABELS:
        return Rated([], found.raters, np.empty((0, len(found.raters))))
    codes = np.where(np.isnan(found.values), np.nan, np.searchsorted(there, found.values))
    return Rated(found.units, found.raters, codes, there.tolist())


def by_author(rows: Sequence[Row]) -> ByAuthor:
    """Of several samples of an author the mean of those that have a score."""
    authors = {name: place for place, name in enumerate(sorted({row.answer.author for row in rows}))}
    places = {name: number for number, name in enumerate(dict.fromkeys(row.place for row in rows))}
    cells = sorted({row.cell for row in rows}, key=lambda cell: (cell.scenario, cell.task))
    at = {cell: number for number, cell in enumerate(cells)}
    cell = np.zeros(len(places), dtype=np.intp)
    sums, counts = np.zeros((2, len(authors), len(places))), np.zeros((2, len(authors), len(places)))
    for row in rows:
        author, place = authors[row.answer.author], places[row.place]
        cell[place] = at[row.cell]
        for side, value in enumerate((row.said, row.judged)):
            if not np.isnan(value):
                sums[side, author, place] += value
                counts[side, author, place] += 1
    said, judged = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return ByAuthor(list(authors), said, judged, cell, cells)
