"""The headline figure: pooled agreement over all units, of people among themselves and of a judge with them.

One formula serves both. Labels (nominal level): kappa over all pairs of ratings of one unit, κ = (p − e) / (1 − e). p
is the share of equal pairs, e = Σ π(k)², π(k) the share of category k among all ratings of those pairs, both sides
together. Each pair counts once, so that a pair of raters with few units does not weigh as much as one with many.
Above nominal level: Krippendorff's alpha. For a judge, each pair of a person's rating and the judge's is a unit of two.

Both sides are computed on the same resamples of clusters, so that their difference has an interval, computed like all
others (resampling.py).
Source: Scott's pi (1955) over pooled pairs; Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from lib.stats.agreement import table as agreement_table
from lib.stats.agreement.group_coefficients import Alpha, Crowd
from lib.stats.agreement.patterns import RatingPatterns, patterns
from lib.stats.agreement.resampling import MOST_LEFT_OUT, ResampledCoefficient, interval
from lib.stats.agreement.table import RESAMPLES, SEED, Codes, Floats, Level, RatingTable

KAPPA, ALPHA = "kappa_pooled", "krippendorff_alpha"
ONE_SIDED = 0.75  # share of one category, from which chance alone agrees so often that kappa says little


@dataclass(frozen=True)
class Pooled:
    """value: -1..1, None where undefined, and `note` says why; otherwise the note is empty or says why there is no
    interval. equal: share of equal pairs; chance: share that chance alone would make equal, of labels only.

    pairs: of ratings. units: that they come from. largest: the greatest share of one category.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    units: int = 0
    pairs: int = 0
    equal: float | None = None
    chance: float | None = None
    largest: float | None = None

    @property
    def one_sided(self) -> bool:
        """Whether nearly all ratings are of one category: kappa is then low, however often raters agree."""
        return self.chance is not None and (self.largest or 0) >= ONE_SIDED


@dataclass(frozen=True)
class PooledBeside:
    """people, judge: over the same units. difference: judge less people; only value, low, high and note."""

    people: Pooled
    judge: Pooled
    difference: Pooled


def coefficient_at(level: Level) -> str:
    return KAPPA if level == "nominal" else ALPHA


def among(table: RatingTable, people: Sequence[str], *, resamples: int = RESAMPLES, seed: int = SEED) -> Pooled:
    """These raters among themselves, over the units of the table that two of them have rated; others are not read."""
    side = _Side.of_people(table, _places(table, people))
    return _pooled(side, clusters_that_count(table, people), resamples, seed)[0]


def against(
    table: RatingTable, people: Sequence[str], judge: str, *, resamples: int = RESAMPLES, seed: int = SEED
) -> PooledBeside:
    """One judge against these people, over the units that at least two of them and the judge have rated."""
    table = _judged(table, people, judge)
    if judge not in table.raters:
        nothing = Pooled(None, note=agreement_table.NEVER_MEET)
        return PooledBeside(nothing, nothing, nothing)
    rater_indices, clusters = _places(table, people), len(set(table.resampled))
    ours, people_estimate = _pooled(_Side.of_people(table, rater_indices), clusters, resamples, seed)
    judge_pooled, drawn_theirs = _pooled(
        _Side.of_judge(table, rater_indices, table.raters.index(judge)), clusters, resamples, seed
    )
    if people_estimate is None or drawn_theirs is None:
        return PooledBeside(ours, judge_pooled, Pooled(None, note=ours.note or judge_pooled.note))
    less = ResampledCoefficient(
        drawn_theirs.value - people_estimate.value,
        drawn_theirs.drawn - people_estimate.drawn,
        _less(drawn_theirs.left_out, people_estimate.left_out),
        np.ones(clusters),
        people_estimate.plain,
    )
    return PooledBeside(ours, judge_pooled, _bounded(Pooled(less.value), less, clusters, resamples))


@dataclass(frozen=True)
class _Side:
    """rows: patterns of units (alpha of people) or of pairs of ratings; pair_rows: always of pairs."""

    table: RatingTable
    rows: RatingPatterns
    pair_rows: RatingPatterns
    names: Sequence[Hashable]  # (units,), the cluster of each
    units: int

    @property
    def plain(self) -> bool:
        """By units, not by pairs: a unit with three pairs is no cluster of several."""
        return patterns(np.zeros((len(self.names), 1), dtype=np.intp), self.names).plain

    @classmethod
    def of_people(cls, table: RatingTable, people: Sequence[int]) -> "_Side":
        codes = table.codes[:, people]
        met = (codes >= 0).sum(axis=1) > 1
        subset = _only(table, met)
        codes = codes[met]
        row, pairs = _pairs(codes)
        names = subset.resampled
        whole = patterns(codes, names)
        return cls(table, whole, _pair_patterns(pairs, row, names), names, int(met.sum()))

    @classmethod
    def of_judge(cls, table: RatingTable, people: Sequence[int], judge: int) -> "_Side":
        codes = table.codes
        row, column = np.nonzero(codes[:, people] >= 0)
        pairs = np.column_stack([codes[row, np.array(people, dtype=np.intp)[column]], codes[row, judge]])
        pair_patterns = _pair_patterns(pairs, row, table.resampled)
        return cls(table, pair_patterns, pair_patterns, table.resampled, len(table.units))


def _pooled(side: _Side, clusters: int, resamples: int, seed: int) -> tuple[Pooled, ResampledCoefficient | None]:
    """The second: its resamples, None where it has no value."""
    table, pairs = side.table, int(side.pair_rows.counts.sum())
    if not pairs:
        return Pooled(None, note=agreement_table.NEVER_MEET), None
    shares = _shares(side.pair_rows, len(table.categories))
    crowd = Crowd(side.pair_rows, np.arange(len(table.categories), dtype=float), weighted=False)
    equal = float(crowd.of(side.pair_rows.counts[None])["percent"][0])
    pooled = Pooled(None, units=side.units, pairs=pairs, equal=equal, largest=float(shares.max()))
    if table.level == "nominal":
        pooled = replace(pooled, chance=float((shares**2).sum()))
        statistic, rows, name = crowd, side.pair_rows, "fleiss_kappa"
    else:
        statistic, rows, name = Alpha(side.rows, table.numbers, table.level), side.rows, ALPHA  # type: ignore[assignment]

    def of(times: Floats) -> Floats:
        return statistic.of(times)[name]

    value = float(of(rows.counts[None])[0])
    if np.isnan(value):
        return replace(pooled, note=agreement_table.ONE_CATEGORY), None
    none = np.zeros(0)
    jackknife_counts = rows.without_one() if resamples and rows.clusters <= MOST_LEFT_OUT else ()
    estimate = ResampledCoefficient(
        value,
        np.concatenate([of(times) for times in rows.draws(resamples, seed)]) if resamples else none,
        np.concatenate([of(times) for times in jackknife_counts]) if jackknife_counts else none,
        rows.alike,
        side.plain,
    )
    return _bounded(replace(pooled, value=value), estimate, clusters, resamples), estimate


def _bounded(pooled: Pooled, estimate: ResampledCoefficient, clusters: int, resamples: int) -> Pooled:
    if not resamples:
        return pooled
    if clusters < 2:
        return replace(pooled, note=agreement_table.FEW_UNITS)
    bounds = interval(estimate)
    return (
        replace(pooled, note=agreement_table.NO_INTERVAL)
        if bounds is None
        else replace(pooled, low=bounds[0], high=bounds[1])
    )


def _less(left: Floats, right: Floats) -> Floats:
    return left - right if left.shape == right.shape else np.zeros(0)


def _places(table: RatingTable, raters: Sequence[str]) -> list[int]:
    """Of those of them who have rated."""
    index_by_name = {name: index for index, name in enumerate(table.raters)}
    return [index_by_name[name] for name in raters if name in index_by_name]


def clusters_that_count(table: RatingTable, people: Sequence[str]) -> int:
    """How many of what is resampled hold a unit that two of these people have rated; the others change nothing."""
    met = (table.codes[:, _places(table, people)] >= 0).sum(axis=1) > 1
    return len(set(_only(table, met).resampled))


def _judged(table: RatingTable, people: Sequence[str], judge: str) -> RatingTable:
    """The units that two of these people and the judge have rated; none where the judge has rated nothing."""
    if judge not in table.raters:
        return table
    codes = table.codes
    met = (codes[:, _places(table, people)] >= 0).sum(axis=1) > 1
    return _only(table, met & (codes[:, table.raters.index(judge)] >= 0))


def _only(table: RatingTable, mask: np.ndarray) -> RatingTable:
    rows = np.flatnonzero(mask)
    return replace(
        table,
        units=tuple(table.units[row] for row in rows.tolist()),
        values=table.values[rows],
        clusters=tuple(table.clusters[row] for row in rows.tolist()) if table.clusters else (),
    )


def _pairs(codes: Codes) -> tuple[Codes, Codes]:
    """(units, raters) -> the row of each pair of ratings of one unit, and (pairs, 2) what the two said.

    By unit: hundreds of raters of whom three meet on a unit are three pairs, not tens of thousands.
    """
    rows: list[int] = []
    code_pairs: list[tuple[int, int]] = []
    for row, line in enumerate(codes):
        for two in combinations(line[line >= 0].tolist(), 2):
            rows.append(row)
            code_pairs.append(two)
    return np.array(rows, dtype=np.intp), np.array(code_pairs, dtype=np.intp).reshape(-1, 2)


def _pair_patterns(pairs: Codes, row: Codes, names: Sequence[Hashable]) -> RatingPatterns:
    """Which of two ratings stands first means nothing here."""
    return patterns(np.sort(pairs, axis=1), [names[index] for index in row.tolist()])


def _shares(pair_patterns: RatingPatterns, categories: int) -> Floats:
    """(categories,): the share of each among all ratings of the pairs."""
    used = np.bincount(pair_patterns.codes.ravel(), weights=np.repeat(pair_patterns.counts, 2), minlength=categories)
    return used / used.sum()
