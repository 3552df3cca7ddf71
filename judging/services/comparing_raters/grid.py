"""What raters said as one table, of which every number takes its rows and columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from judging.services.comparing_raters.material import Material, Somebody
from lib.stats import agreement
from lib.stats.agreement import Level, Ratings

Rows: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True)
class Grid:
    """table: all units with a rating by all raters with one. there: (units, raters), who has rated what."""

    table: Ratings
    there: NDArray[np.bool_]

    def columns(self, raters: Sequence[Somebody]) -> list[int]:
        """Of those of them who have a rating."""
        column_by_key = {key: column for column, key in enumerate(self.table.raters)}
        return [column_by_key[rater.key] for rater in raters if rater.key in column_by_key]

    @property
    def rows(self) -> Rows:
        return np.arange(len(self.table.units))

    def shared(self, rows: Rows, people: Sequence[Somebody], judges: Sequence[Somebody]) -> tuple[Rows, int]:
        """The rows that two people and all judges have rated, and how many there are with one person only."""
        columns = self.columns(judges)
        if len(columns) < len(judges):
            return rows[:0], 0
        presence = self.there[rows]
        judged, count = presence[:, columns].all(axis=1), presence[:, self.columns(people)].sum(axis=1)
        return rows[judged & (count > 1)], int(np.count_nonzero(judged & (count == 1)))

    def rated_by(self, rows: Rows, rater: Somebody) -> Rows:
        columns = self.columns([rater])
        return rows[self.there[rows, columns[0]]] if columns else rows[:0]

    def part(self, rows: Rows, raters: Sequence[Somebody]) -> Ratings:
        """A table of these alone: units, raters and categories that do not occur are left out."""
        columns = np.array(self.columns(raters), dtype=np.intp)
        values = self.table.values[np.ix_(rows, columns)]
        presence = ~np.isnan(values)
        row_indexes, column_indexes = np.flatnonzero(presence.any(axis=1)), np.flatnonzero(presence.any(axis=0))
        values = values[np.ix_(row_indexes, column_indexes)]
        used = np.unique(values[~np.isnan(values)])
        categories = tuple(self.table.categories[index] for index in np.searchsorted(self.table.numbers, used).tolist())
        if self.table.labelled:
            values = np.where(np.isnan(values), np.nan, np.searchsorted(used, values))
        return replace(
            self.table,
            units=tuple(self.table.units[row] for row in rows[row_indexes].tolist()),
            raters=tuple(self.table.raters[column] for column in columns[column_indexes].tolist()),
            values=values,
            categories=categories,
            skipped={},
            clusters=tuple(self.table.clusters[row] for row in rows[row_indexes].tolist())
            if self.table.clusters
            else (),
        )


def grid(material: Material, level: Level) -> Grid:
    order = {rater.key: position for position, rater in enumerate(material.raters)}
    rows = (
        (unit, key, unit_ratings[key].value)
        for unit, unit_ratings in material.said.items()
        for key in sorted(unit_ratings, key=order.__getitem__)
    )
    table = agreement.ratings(rows, level).clustered(material.clusters)
    return Grid(table, ~np.isnan(table.values))
