"""Every author's mean, corrected by people's labels; what it is taken over, and the units behind it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from judging.services.ratings import CHECKLIST
from judging.services.trust.grounds import Grounds
from judging.services.trust.rows import Row as Scored
from judging.services.trust.tables import ByAuthor, by_author
from lib.stats.averages import Cell
from lib.stats.figures import bounded
from lib.stats.prediction_powered import FEWEST_IN_A_TASK, FEWEST_LABELS, Row, corrected_leaderboard

SHARES = (0.0, 1.0)


def table_of(grounds: Grounds) -> ByAuthor:
    """Scores by task, as checklists are published.

    Groups of other votes are tasks where each has labels enough. Where one has not, groups count for nothing: if all is
    labelled, or was not drawn by a study, which may have drawn more of a small group than of a large one.
    """
    table = by_author(grounds.scored)
    if grounds.given.subject.slug == CHECKLIST or not _is_thin(table):
        return table
    return _without_tasks(table) if _is_labelled_whole(table) or not grounds.drawn else table


def is_without_tasks(table: ByAuthor, scored: Sequence[Scored]) -> bool:
    return len(table.cells) == 1 < len({row.cell for row in scored})


def corrected_means(table: ByAuthor) -> list[Row]:
    """Best first."""
    if not table.authors:
        return []
    leaderboard = corrected_leaderboard(table.authors, table.said, table.judged, table.cell, table.cells)
    return sorted((_on_scale(row) for row in leaderboard), key=lambda row: (-_mean(row), row.author))


def _on_scale(row: Row) -> Row:
    """Scores are shares, so no mean of them and no end of an interval lies beyond 0 and 1."""
    columns = {
        column: replace(
            mean,
            corrected=bounded(mean.corrected, SHARES),
            labelled_only=bounded(mean.labelled_only, SHARES),
            judged_only=bounded(mean.judged_only, SHARES),
        )
        for column, mean in row.columns.items()
    }
    return replace(row, columns=columns)


def behind_means(scored: Sequence[Scored], table: ByAuthor) -> dict[str, list[str]]:
    """Of each author, by the place in the alphabet: the units with labels and a verdict, and those with a verdict."""
    units_by_key: dict[str, list[str]] = {}
    for number, author in enumerate(table.authors):
        judged = [row for row in scored if row.answer.author == author and not np.isnan(row.judged)]
        units_by_key[f"judged-{number}"] = [row.unit for row in judged]
        units_by_key[f"labelled-{number}"] = [row.unit for row in judged if not np.isnan(row.said)]
    return units_by_key


def _is_thin(table: ByAuthor) -> bool:
    """Whether an author with enough labels has a task with too few of them to correct its mean."""
    judged = ~np.isnan(table.judged)
    both = judged & ~np.isnan(table.said)
    for judged_mask, labelled in zip(judged, both, strict=True):
        by_task = np.bincount(table.cell[labelled], minlength=len(table.cells))
        if labelled.sum() >= FEWEST_LABELS and by_task[table.cell[judged_mask]].min() < FEWEST_IN_A_TASK:
            return True
    return False


def _is_labelled_whole(table: ByAuthor) -> bool:
    return not (np.isnan(table.said) & ~np.isnan(table.judged)).any()


def _without_tasks(table: ByAuthor) -> ByAuthor:
    return replace(table, cell=np.zeros_like(table.cell), cells=[Cell("", "")])


def _mean(row: Row) -> float:
    overall = row.columns["overall"]
    value = overall.corrected.value
    return (overall.judged_only.value or 0.0) if value is None else value
