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


def rated(material: Material) -> Rated:
    """Scores as they are; labels, and checklist questions, as codes."""
    units, keys = list(material.said), [rater.key for rater in material.raters]
    column_by_key = {key: column for column, key in enumerate(keys)}
    labels = () if material.subject.slug == SCORE else labels_of(material)
    codes = {label: code for code, label in enumerate(labels)}
    values = np.full((len(units), len(keys)), np.nan)
    for row, ratings in enumerate(material.said.values()):
        for key, rating in ratings.items():
            if rating.value is not None:
                values[row, column_by_key[key]] = codes[rating.value] if labels else float(rating.value)
    return Rated(units, keys, values, labels)


def labels_of(material: Material) -> Sequence[float | str]:
    """Everything that anybody said, in order."""
    labels = {
        rating.value for ratings in material.said.values() for rating in ratings.values() if rating.value is not None
    }
    return sorted(labels, key=lambda value: (isinstance(value, str), value))


def coded(ratings: Rated) -> Rated:
    """Scores as codes too; nothing where there are too many different ones."""
    if ratings.labels:
        return ratings
    labels = np.unique(ratings.values[~np.isnan(ratings.values)])
    if labels.size > MOST_LABELS:
        return Rated([], ratings.raters, np.empty((0, len(ratings.raters))))
    codes = np.where(np.isnan(ratings.values), np.nan, np.searchsorted(labels, ratings.values))
    return Rated(ratings.units, ratings.raters, codes, labels.tolist())


def by_author(rows: Sequence[Row]) -> ByAuthor:
    """Of several samples of an author the mean of those that have a score."""
    authors = {name: index for index, name in enumerate(sorted({row.answer.author for row in rows}))}
    column_by_place = {name: number for number, name in enumerate(dict.fromkeys(row.place for row in rows))}
    cells = sorted({row.cell for row in rows}, key=lambda cell: (cell.scenario, cell.task))
    index_by_cell = {cell: number for number, cell in enumerate(cells)}
    cell = np.zeros(len(column_by_place), dtype=np.intp)
    sums, counts = np.zeros((2, len(authors), len(column_by_place))), np.zeros((2, len(authors), len(column_by_place)))
    for row in rows:
        author, column = authors[row.answer.author], column_by_place[row.place]
        cell[column] = index_by_cell[row.cell]
        for side, value in enumerate((row.said, row.judged)):
            if not np.isnan(value):
                sums[side, author, column] += value
                counts[side, author, column] += 1
    people, judged = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return ByAuthor(list(authors), people, judged, cell, cells)
