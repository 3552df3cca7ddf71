"""Leaderboards of judges: averages and divisions, judges compared, and cached readings.

Page, command and API all use these functions.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations

import numpy as np

from annotate.models import Project
from judging.cache import cached, digest, states_of
from judging.models import Judge
from judging.ratings.counted_answers import COUNTED
from judging.verdicts.verdict_scores import JudgeScores, ScoredAnswer, scores
from lib.stats.averages import AverageCell, Flags, Floats, ScoreTable, averages, cell_means, columns
from lib.stats.bootstrap import MeanDifference, draws, intervals, known, paired_difference, with_interval
from lib.stats.correlation import COEFFICIENTS, Correlation, correlation_intervals
from lib.stats.figures import ALL_ALIKE, FEW_OF_A_MEAN
from lib.stats.ranking.standings import rank_ranges

Bounds = tuple[float, float]
GroupCell = tuple[str, str, str]  # author, scenario, group
EQUAL = 1e-9  # scores that differ by less are the same
DIVISIONS = ("task", "subtask", "error_type", "feedback_type")


@dataclass(frozen=True)
class AuthorStanding:
    """One author. Averages are 0..1 by column, None if the author has no items there.

    n: judged answers, including failed calls; failed: those, which count 0; flagged: matched to the checklist other
    than word for word. intervals: 95 %, bootstrap over items within their task; None of fewer than six items, or where
    all are alike: `notes` has the reason by column. ranks: best and worst rank that the author may have, simultaneous
    for all authors with an overall average of six items or more; None for the others.
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
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Leaderboard:
    """standings: best overall first. columns: scenarios that occur, then `overall`. table: the underlying scores."""

    judge: Judge
    columns: Sequence[str]
    standings: Sequence[AuthorStanding]
    table: ScoreTable
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
class PairCounts:
    """On how many items the first of two authors has the higher score, the same, and the lower one."""

    won: int
    equal: int
    lost: int

    @property
    def n(self) -> int:
        return self.won + self.equal + self.lost


@dataclass(frozen=True)
class JudgeCorrelation:
    """Agreement of two judges on authors: correlations of their overall averages, over the authors both have judged.

    intervals: 95 %, bootstrap over authors; None with too few of them.
    """

    first: Judge
    second: Judge
    correlations: Mapping[str, Correlation]
    intervals: Mapping[str, Bounds | None] = field(default_factory=dict)


def leaderboard(project: Project, judge: Judge) -> Leaderboard:
    return board(scores(project, judge))


def board(judge_scores: JudgeScores) -> Leaderboard:
    table = table_of(judge_scores.rows)
    means, resamples = averages(cell_means(table), table.cells), draws(table)
    enough = with_interval(table)
    bounds, ranks = _where(enough, intervals(resamples)), _ranks(means[:, -1], resamples[:, :, -1], enough[:, -1])
    names, by_author, rules = columns(table.cells), _by_author(judge_scores.rows), _by_rule(judge_scores.rows)
    standings = [
        AuthorStanding(
            author=author,
            n=len(by_author[author]),
            failed=sum(row.failed for row in by_author[author]),
            flagged=sum(row.flagged for row in by_author[author]),
            values=_values_by_name(names, means[author_index]),
            intervals={name: _bounds(bounds[author_index, column_index]) for column_index, name in enumerate(names)},
            notes=_notes(names, means[author_index], bounds[author_index], enough[author_index]),
            ranks=ranks.get(author_index),
            what_if={rule: _values_by_name(names, rule_means[author_index]) for rule, rule_means in rules.items()},
        )
        for author_index, author in enumerate(table.authors)
    ]
    best_first = sorted(standings, key=lambda standing: (-(standing.values["overall"] or 0.0), standing.author))
    return Leaderboard(judge_scores.judge, names, best_first, table, judge_scores.outdated, judge_scores.unjudged)


def table_of(rows: Sequence[ScoredAnswer], *, rule: str = "") -> ScoreTable:
    """Scores by author and item, the mean of several samples. rule: scores as if this were the rule of all items."""
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
    return ScoreTable(
        list(authors), values, np.array([index_by_cell[cell] for cell in items.values()], dtype=np.intp), cells
    )


def breakdown(rows: Sequence[ScoredAnswer], by: str) -> list[GroupValue]:
    """The same averages for every group of a division. An item with several values counts in each of them.

    A scenario of which a group has no items has no row. by: one of DIVISIONS, or another that the kind labels.
    """
    groups = sorted({value for row in rows for value in row.labels.get(by, ())})
    return [
        group_value
        for group in groups
        for group_value in _of_group(group, [row for row in rows if group in row.labels.get(by, ())])
    ]


def breakdown_intervals(rows: Sequence[ScoredAnswer], by: str) -> dict[GroupCell, Bounds | None]:
    """95 % intervals of the averages of `breakdown`, bootstrap over items within their task; None without one."""
    groups = sorted({value for row in rows for value in row.labels.get(by, ())})
    return {
        cell: bounds
        for group in groups
        for cell, bounds in _group_intervals(group, [row for row in rows if group in row.labels.get(by, ())])
    }


def _group_intervals(group: str, rows: Sequence[ScoredAnswer]) -> Iterator[tuple[GroupCell, Bounds | None]]:
    table = table_of(rows)
    bounds = _where(with_interval(table), intervals(draws(table)))
    for author_index, author in enumerate(table.authors):
        for column_index, column in enumerate(columns(table.cells)):
            yield (author, column, group), _bounds(bounds[author_index, column_index])


def difference(board: Leaderboard, first: str, second: str) -> list[MeanDifference]:
    """`first` minus `second` in every column, on the items that both have. Raises KeyError for an unknown author."""
    index_by_author = {author: index for index, author in enumerate(board.table.authors)}
    return paired_difference(board.table, index_by_author[first], index_by_author[second])


def item_by_item(board: Leaderboard, first: str, second: str) -> PairCounts:
    """On the items that both have, by the mean of their samples. Raises KeyError for an unknown author."""
    index_by_author = {author: index for index, author in enumerate(board.table.authors)}
    differences = board.table.values[index_by_author[first]] - board.table.values[index_by_author[second]]
    differences = differences[~np.isnan(differences)]
    won, lost = int((differences > EQUAL).sum()), int((differences < -EQUAL).sum())
    return PairCounts(won, len(differences) - won - lost, lost)


def side_by_side(boards: Sequence[Leaderboard]) -> list[JudgeCorrelation]:
    """Every pair of judges, in the order of the boards."""
    return [_judge_correlation(first, second) for first, second in combinations(boards, 2)]


def _of_group(group: str, rows: Sequence[ScoredAnswer]) -> list[GroupValue]:
    table, by_author = table_of(rows), _by_author(rows)
    means = averages(cell_means(table), table.cells)
    return [
        GroupValue(author, column, group, _answers(by_author[author], column), value)
        for index, author in enumerate(table.authors)
        for column, value in _values_by_name(columns(table.cells), means[index]).items()
        if value is not None
    ]


def _answers(rows: Sequence[ScoredAnswer], column: str) -> int:
    return sum(column in (row.scenario, "overall") for row in rows)


def _by_author(rows: Sequence[ScoredAnswer]) -> dict[str, list[ScoredAnswer]]:
    rows_by_author: dict[str, list[ScoredAnswer]] = {}
    for row in rows:
        rows_by_author.setdefault(row.author, []).append(row)
    return rows_by_author


def _by_rule(rows: Sequence[ScoredAnswer]) -> dict[str, Floats]:
    """rule -> averages (authors, columns), for the rules that a project may choose from."""
    rules = sorted({rule for row in rows if len(row.what_if) > 1 for rule in row.what_if})
    tables = {rule: table_of(rows, rule=rule) for rule in rules}
    return {rule: averages(cell_means(table), table.cells) for rule, table in tables.items()}


def _cell(row: ScoredAnswer) -> AverageCell:
    return AverageCell(row.scenario, next(iter(row.labels.get("task", ())), ""))


def _order(cell: AverageCell) -> tuple[str, str]:
    return cell.scenario, cell.task


def _values_by_name(names: Sequence[str], values: Floats) -> dict[str, float | None]:
    return {name: known(value) for name, value in zip(names, values, strict=True)}


def _bounds(pair: Floats) -> Bounds | None:
    return None if np.isnan(pair).any() else (float(pair[0]), float(pair[1]))


def _where(enough: Flags, bounds: Floats) -> Floats:
    """Without bounds that only look certain: of few items, or where no resample differs from another."""
    return np.where((enough & (bounds[:, :, 0] < bounds[:, :, 1]))[:, :, None], bounds, np.nan)


def _notes(names: Sequence[str], means: Floats, bounds: Floats, enough: Flags) -> dict[str, str]:
    """column -> why its average has no interval."""
    missing = ~np.isnan(means) & np.isnan(bounds[:, 0])
    return {name: ALL_ALIKE if enough[no] else FEW_OF_A_MEAN for no, name in enumerate(names) if missing[no]}


def _ranks(overall: Floats, resamples: Floats, enough: Flags) -> dict[int, tuple[int, int]]:
    """Index of the author -> best and worst rank, among those with enough items and an average in every resample."""
    has = np.flatnonzero(enough & ~(np.isnan(overall) | np.isnan(resamples).any(axis=1)))
    ranges = rank_ranges(overall[has], resamples[has])
    return {int(author_index): (int(best), int(worst)) for author_index, (best, worst) in zip(has, ranges, strict=True)}


def _overall(board: Leaderboard) -> dict[str, float | None]:
    return {standing.author: standing.values["overall"] for standing in board.standings}


def _judge_correlation(first: Leaderboard, second: Leaderboard) -> JudgeCorrelation:
    values = [_overall(board) for board in (first, second)]
    common = [author for author in sorted(values[0]) if all(overall.get(author) is not None for overall in values)]
    left, right = ([float(overall[author] or 0.0) for author in common] for overall in values)
    correlations = {name: coefficient(left, right) for name, coefficient in COEFFICIENTS.items()}
    return JudgeCorrelation(first.judge, second.judge, correlations, correlation_intervals(left, right))


# Readings: leaderboards cached for each state of the project, in a fixed number of queries.


@dataclass(frozen=True)
class JudgeReading:
    """The results of one judge's verdicts. state: digest of the data behind them, see judging/cache.py."""

    project: Project
    judge: Judge
    state: str

    def counts(self, item: int) -> bool:
        """Whether the reading is about this item."""
        return True

    @cached_property
    def scores(self) -> JudgeScores:
        return cached("scores", self.state, partial(scores, self.project, self.judge))

    @cached_property
    def board(self) -> Leaderboard:
        return cached("board", self.state, lambda: board(self.scores))

    @cached_property
    def marked(self) -> Mapping[str, int]:
        """How many counted answers have each mark."""
        return cached("marked", self.state, self._marked)

    def _marked(self) -> dict[str, int]:
        return {mark: sum(getattr(row, mark) for row in self.scores.rows) for mark in COUNTED}

    def difference(self, first: str, second: str) -> list[MeanDifference]:
        """Its resamples take longer than the rest of the page."""
        name = f"difference:{digest([first, second])}"
        return cached(name, self.state, lambda: difference(self.board, first, second))

    def breakdown(self, by: str) -> list[GroupValue]:
        return cached(f"breakdown:{by}", self.state, lambda: breakdown(self.scores.rows, by))

    def breakdown_intervals(self, by: str) -> Mapping[GroupCell, Bounds | None]:
        return cached(f"breakdown-intervals:{by}", self.state, lambda: breakdown_intervals(self.scores.rows, by))


def readings(project: Project, judges: Sequence[Judge]) -> list[JudgeReading]:
    """One reading for each judge, in five queries; each judge that is not cached takes five more."""
    states = states_of(project, judges)
    return [JudgeReading(project, judge, states[judge.pk]) for judge in judges]
