"""The leaderboard of one judge, its divisions, and several judges side by side: for page, command and API alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from annotate.models import Project
from judging.models import Judge
from judging.services.scores import Scored, Scores, scores
from lib.stats.averages import Cell, Floats, Table, averages, cell_means, columns
from lib.stats.bootstrap import Difference, draws, intervals, known, paired_difference
from lib.stats.correlation import COEFFICIENTS, Correlation
from lib.stats.correlation_intervals import correlation_intervals
from lib.stats.ranks import rank_ranges

Bounds = tuple[float, float]
DIVISIONS = ("task", "subtask", "error_type", "feedback_type")


@dataclass(frozen=True)
class Standing:
    """One author. Averages are 0..1 by column, None where the author has no items there.

    n: answers that were judged, failed calls among them; failed: those, which count 0; flagged: joined to the checklist
    other than word for word. intervals: 95 % over items drawn again within their task. ranks: best and worst rank that
    the author may have, for all authors at once; None without an overall average.
    what_if: rule -> averages if every item that could have this rule had it.
    """

    author: str
    n: int
    failed: int
    flagged: int
    values: Mapping[str, float | None]
    intervals: Mapping[str, Bounds | None] = field(default_factory=dict)
    ranks: tuple[int, int] | None = None
    what_if: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Board:
    """standings: best overall first. columns: scenarios that occur, then `overall`. table: what they were made of."""

    judge: Judge
    columns: Sequence[str]
    standings: Sequence[Standing]
    table: Table
    outdated: int = 0
    unjudged: int = 0


@dataclass(frozen=True)
class GroupValue:
    """The average of one author over the items of one group, in one column. n: answers, failed ones included."""

    author: str
    scenario: str
    group: str
    n: int
    value: float


@dataclass(frozen=True)
class Compared:
    """How two judges agree about authors: correlations of their overall averages, over the authors both have judged.

    intervals: 95 % over authors drawn again; None with too few of them.
    """

    first: Judge
    second: Judge
    correlations: Mapping[str, Correlation]
    intervals: Mapping[str, Bounds | None] = field(default_factory=dict)


def leaderboard(project: Project, judge: Judge) -> Board:
    return board(scores(project, judge))


def board(judge_scores: Scores) -> Board:
    table = table_of(judge_scores.rows)
    means, resamples = averages(cell_means(table), table.cells), draws(table)
    bounds, ranks = intervals(resamples), _ranks(means[:, -1], resamples[:, :, -1])
    names, by_author, rules = columns(table.cells), _by_author(judge_scores.rows), _by_rule(judge_scores.rows)
    standings = [
        Standing(
            author=author,
            n=len(by_author[author]),
            failed=sum(row.failed for row in by_author[author]),
            flagged=sum(row.flagged for row in by_author[author]),
            values=_named(names, means[author_index]),
            intervals={name: _bounds(bounds[author_index, column_index]) for column_index, name in enumerate(names)},
            ranks=ranks.get(author_index),
            what_if={rule: _named(names, rule_means[author_index]) for rule, rule_means in rules.items()},
        )
        for author_index, author in enumerate(table.authors)
    ]
    best_first = sorted(standings, key=lambda standing: (-(standing.values["overall"] or 0.0), standing.author))
    return Board(judge_scores.judge, names, best_first, table, judge_scores.outdated, judge_scores.unjudged)


def table_of(rows: Sequence[Scored], *, rule: str = "") -> Table:
    """Scores by author and item; of several samples of an answer the mean. rule: what if that were the items' rule."""
    authors = {name: index for index, name in enumerate(sorted({row.author for row in rows}))}
    items = {row.item_id: _cell(row) for row in rows}
    index_by_item, cells = {item: index for index, item in enumerate(items)}, sorted(set(items.values()), key=_order)
    sums, counts = np.zeros((len(authors), len(items))), np.zeros((len(authors), len(items)))
    for row in rows:
        position = authors[row.author], index_by_item[row.item_id]
        sums[position] += row.what_if.get(rule, row.score)
        counts[position] += 1
    values = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    index_by_cell = {cell: index for index, cell in enumerate(cells)}
    return Table(
        list(authors), values, np.array([index_by_cell[cell] for cell in items.values()], dtype=np.intp), cells
    )


def breakdown(rows: Sequence[Scored], by: str) -> list[GroupValue]:
    """The same averages for every group of a division. An item with several values counts in each of them.

    A scenario of which a group has no items has no row. by: one of DIVISIONS, or another that the kind labels.
    """
    groups = sorted({value for row in rows for value in row.labels.get(by, ())})
    return [
        group_value
        for group in groups
        for group_value in _of_group(group, [row for row in rows if group in row.labels.get(by, ())])
    ]


def difference(board: Board, first: str, second: str) -> list[Difference]:
    """`first` less `second` in every column, on the items that both have. Raises KeyError for an unknown author."""
    index_by_author = {author: index for index, author in enumerate(board.table.authors)}
    return paired_difference(board.table, index_by_author[first], index_by_author[second])


def side_by_side(boards: Sequence[Board]) -> list[Compared]:
    """Every pair of judges, in the order of the boards."""
    return [_compared(first, second) for first, second in combinations(boards, 2)]


def _of_group(group: str, rows: Sequence[Scored]) -> list[GroupValue]:
    table, by_author = table_of(rows), _by_author(rows)
    means = averages(cell_means(table), table.cells)
    return [
        GroupValue(author, column, group, _answers(by_author[author], column), value)
        for index, author in enumerate(table.authors)
        for column, value in _named(columns(table.cells), means[index]).items()
        if value is not None
    ]


def _answers(rows: Sequence[Scored], column: str) -> int:
    return sum(column in (row.scenario, "overall") for row in rows)


def _by_author(rows: Sequence[Scored]) -> dict[str, list[Scored]]:
    rows_by_author: dict[str, list[Scored]] = {}
    for row in rows:
        rows_by_author.setdefault(row.author, []).append(row)
    return rows_by_author


def _by_rule(rows: Sequence[Scored]) -> dict[str, Floats]:
    """rule -> averages (authors, columns), of the rules between which an item's project may choose."""
    rules = sorted({rule for row in rows if len(row.what_if) > 1 for rule in row.what_if})
    tables = {rule: table_of(rows, rule=rule) for rule in rules}
    return {rule: averages(cell_means(table), table.cells) for rule, table in tables.items()}


def _cell(row: Scored) -> Cell:
    return Cell(row.scenario, next(iter(row.labels.get("task", ())), ""))


def _order(cell: Cell) -> tuple[str, str]:
    return cell.scenario, cell.task


def _named(names: Sequence[str], values: Floats) -> dict[str, float | None]:
    return {name: known(value) for name, value in zip(names, values, strict=True)}


def _bounds(pair: Floats) -> Bounds | None:
    return None if np.isnan(pair).any() else (float(pair[0]), float(pair[1]))


def _ranks(overall: Floats, resamples: Floats) -> dict[int, tuple[int, int]]:
    """Place of the author -> best and worst rank, among those who have an average in every draw."""
    has = np.flatnonzero(~(np.isnan(overall) | np.isnan(resamples).any(axis=1)))
    ranges = rank_ranges(overall[has], resamples[has])
    return {int(author_index): (int(best), int(worst)) for author_index, (best, worst) in zip(has, ranges, strict=True)}


def _overall(board: Board) -> dict[str, float | None]:
    return {standing.author: standing.values["overall"] for standing in board.standings}


def _compared(first: Board, second: Board) -> Compared:
    values = [_overall(board) for board in (first, second)]
    common = [author for author in sorted(values[0]) if all(overall.get(author) is not None for overall in values)]
    left, right = ([float(overall[author] or 0.0) for author in common] for overall in values)
    correlations = {name: coefficient(left, right) for name, coefficient in COEFFICIENTS.items()}
    return Compared(first.judge, second.judge, correlations, correlation_intervals(left, right))
