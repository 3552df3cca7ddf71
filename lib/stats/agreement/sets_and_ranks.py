"""Agreement about sets of labels (alpha with MASI distance) and about orders (Kendall's W).

Alpha: Krippendorff, "Content Analysis", 2018, chapter 12, with any distance between values; MASI by default. W:
Kendall and Smith, 1939, with the correction for ties.
Intervals: 95 %, percentiles of a bootstrap over clusters.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from lib.stats.agreement.table import NEVER_MEET, NO_RATINGS, ONE_RATER, RESAMPLES, SEED, Floats
from lib.stats.similarity import masi_distance

Name = TypeVar("Name", bound=Hashable)
Distance = Callable[[frozenset[str], frozenset[str]], float]
Statistic = Callable[[Floats], Floats]  # (draws, clusters): how often each cluster was drawn -> (draws,)
TOGETHER = 200  # draws in one block


@dataclass(frozen=True)
class ClusteredValue:
    """value: None where undefined, and `note` says why. n: units that count. low, high: 95 % interval."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    note: str = ""


def alpha_of_sets(
    ratings: Mapping[Any, Sequence[frozenset[str]]],
    *,
    clusters: Mapping[Any, Hashable] | None = None,
    distance: Distance = masi_distance,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> ClusteredValue:
    """Alpha of sets of labels. ratings: unit -> the sets that its raters chose; units with one rating do not count.

    clusters: unit -> what is resampled with it; units themselves where it is None.
    """
    units = {unit: sets for unit, sets in ratings.items() if len(sets) > 1}
    if not units:
        return ClusteredValue(None, note=NEVER_MEET if ratings else NO_RATINGS)
    names = _numbered(_cluster(unit, clusters) for unit in units)
    rows = [(names[_cluster(unit, clusters)], sets) for unit, sets in units.items()]
    return with_interval(_alpha_of(rows, len(names), distance), len(names), len(units), resamples, seed)


def _numbered(names: Iterable[Name]) -> dict[Name, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _alpha_of(rows: Sequence[tuple[int, Sequence[frozenset[str]]]], clusters: int, distance: Distance) -> Statistic:
    """rows: the number of a unit's cluster, and the sets of its raters."""
    kinds = _numbered(kind for _place, sets in rows for kind in sets)
    between = np.array([[distance(left, right) for right in kinds] for left in kinds])
    observed, counts = np.zeros(clusters), np.zeros((clusters, len(kinds)))
    for cluster, sets in rows:
        codes = np.array([kinds[kind] for kind in sets])
        observed[cluster] += between[np.ix_(codes, codes)].sum() / (len(codes) - 1)
        counts[cluster] += np.bincount(codes, minlength=len(kinds))
    return lambda times: _alpha(times @ observed, times @ counts, between)


def _cluster(unit: Hashable, clusters: Mapping[Any, Hashable] | None) -> Hashable:
    return clusters.get(unit, unit) if clusters is not None else unit


def _alpha(observed: Floats, counts: Floats, between: Floats) -> Floats:
    """observed: (draws,) sums of distances within units; counts: (draws, sets) of each set among all ratings."""
    total = counts.sum(axis=1)
    expected = np.einsum("di,ij,dj->d", counts, between, counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1 - (observed / total) / (expected / (total * (total - 1)))


def kendall_w(ranks: Floats) -> float:
    """W of one unit, 0..1; NaN where all ranks are tied. ranks: (raters, things), mean ranks for what a rater ties."""
    raters, things = ranks.shape
    sums = ranks.sum(axis=0)
    ties = sum(_tie_correction(row) for row in ranks)
    below = raters**2 * (things**3 - things) - raters * ties
    return float(12 * ((sums - sums.mean()) ** 2).sum() / below) if below else float("nan")


def _tie_correction(row: Floats) -> float:
    _values, times = np.unique(row, return_counts=True)
    return float((times**3 - times).sum())


def mean_kendall_w(
    orders: Mapping[Any, Sequence[Sequence[float]]],
    *,
    clusters: Mapping[Any, Hashable] | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> ClusteredValue:
    """The mean of W over units. orders: unit -> the ranks of each rater, 1 is best, equal numbers are ties.

    Units with one rater do not count, nor do those where every rater ties everything.
    """
    units = {unit: rankings for unit, rankings in orders.items() if len(rankings) > 1 and _has_w(rankings)}
    if not units:
        return ClusteredValue(None, note=ONE_RATER if orders else NO_RATINGS)
    names = _numbered(_cluster(unit, clusters) for unit in units)
    rows = [(names[_cluster(unit, clusters)], rankings) for unit, rankings in units.items()]
    return with_interval(_mean_w_of(rows, len(names)), len(names), len(units), resamples, seed)


def _has_w(orders: Sequence[Sequence[float]]) -> bool:
    """Whether not every rater ties everything."""
    return any(len(set(order)) > 1 for order in orders)


def _mean_w_of(rows: Sequence[tuple[int, Sequence[Sequence[float]]]], clusters: int) -> Statistic:
    """rows: the number of a unit's cluster, and the orders of its raters, which have a W."""
    sums, counts = np.zeros(clusters), np.zeros(clusters)
    for cluster, orders in rows:
        sums[cluster] += kendall_w(np.array([_mean_ranks(order) for order in orders]))
        counts[cluster] += 1

    def mean(times: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return (times @ sums) / (times @ counts)

    return mean


def _mean_ranks(order: Sequence[float]) -> Floats:
    values = np.array(order, dtype=float)
    return np.array([(values < value).sum() + ((values == value).sum() + 1) / 2 for value in values])


def with_interval(statistic: Statistic, clusters: int, units: int, resamples: int, seed: int) -> ClusteredValue:
    """statistic: (draws, clusters), how often each cluster was drawn -> (draws,); NaN where it is undefined."""
    return with_intervals(lambda times: statistic(times)[:, None], clusters, units, resamples, seed)[0]


def with_intervals(
    statistic: Callable[[Floats], Floats], clusters: int, units: int, resamples: int, seed: int
) -> list[ClusteredValue]:
    """The same for a statistic with several values, (draws, values), all from the same draws."""
    values = statistic(np.ones((1, clusters)))[0]
    if resamples == 0 or clusters < 2:
        note = "" if clusters > 1 else "One cluster has no interval."
        return [_without_interval(float(value), units, note) for value in values]
    chance = np.random.default_rng(seed)
    drawn = np.concatenate([statistic(times) for times in _times_drawn(chance, clusters, resamples)])
    return [_with_draws(float(value), drawn[:, index], units) for index, value in enumerate(values)]


def _without_interval(value: float, units: int, note: str) -> ClusteredValue:
    if np.isnan(value):
        return ClusteredValue(
            None, n=units, note="All ratings are the same, so that chance cannot be told from agreement."
        )
    return ClusteredValue(value, n=units, note=note)


def _with_draws(value: float, drawn: Floats, units: int) -> ClusteredValue:
    defined = drawn[~np.isnan(drawn)]
    if np.isnan(value) or not len(defined):
        return _without_interval(value, units, "No resample has a value.")
    low, high = np.quantile(defined, [0.025, 0.975])
    return ClusteredValue(value, float(low), float(high), units)


def _times_drawn(chance: np.random.Generator, clusters: int, resamples: int) -> Iterable[Floats]:
    """(draws, clusters): how often each cluster was drawn."""
    for begun in range(0, resamples, TOGETHER):
        draws = min(TOGETHER, resamples - begun)
        yield chance.multinomial(clusters, np.full(clusters, 1 / clusters), size=draws).astype(float)


# A judge against people, over the units that two of them and the judge have rated. Each pair of a person and the judge
# is a unit of two raters; people are compared as among themselves, orders in pairs too, because W depends on how many
# raters there are.


@dataclass(frozen=True)
class JudgedSets:
    """people, judge: over the same units. difference: judge less people, on the same resamples. pairs: of a person's
    answer and the judge's."""

    people: ClusteredValue
    judge: ClusteredValue
    difference: ClusteredValue
    pairs: int = 0


def sets_beside(
    people: Mapping[Any, Sequence[frozenset[str]]],
    judge: Mapping[Any, frozenset[str]],
    *,
    clusters: Mapping[Any, Hashable] | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> JudgedSets:
    """Alpha with MASI distance. people: unit -> the sets of people; judge: unit -> the judge's."""
    units, names = _shared(people, judge, clusters)
    own = [(names[_cluster(unit, clusters)], people[unit]) for unit in units]
    pairs = [(names[_cluster(unit, clusters)], [one, judge[unit]]) for unit in units for one in people[unit]]
    if not units:
        return _NOTHING
    statistics = [_alpha_of(rows, len(names), masi_distance) for rows in (own, pairs)]
    return _beside(statistics, len(names), len(units), len(pairs), resamples, seed)


def orders_beside(
    people: Mapping[Any, Sequence[Sequence[float]]],
    judge: Mapping[Any, Sequence[float]],
    *,
    clusters: Mapping[Any, Hashable] | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> JudgedSets:
    """The mean of Kendall's W over pairs of raters. people: unit -> the ranks of people; judge: unit -> the judge's."""
    units, names = _shared(people, judge, clusters)
    named_units = [(names[_cluster(unit, clusters)], unit) for unit in units]
    own = [(cluster, two) for cluster, unit in named_units for two in combinations(people[unit], 2) if _has_w(two)]
    pairs = [(cluster, [one, judge[unit]]) for cluster, unit in named_units for one in people[unit]]
    pairs = [(cluster, two) for cluster, two in pairs if _has_w(two)]
    if not own or not pairs:
        return _NOTHING
    statistics = [_mean_w_of(rows, len(names)) for rows in (own, pairs)]
    return _beside(statistics, len(names), len(units), len(pairs), resamples, seed)


_NEVER_MET = ClusteredValue(None, note=NEVER_MEET)
_NOTHING = JudgedSets(_NEVER_MET, _NEVER_MET, _NEVER_MET)


def _shared(
    people: Mapping[Any, Sequence[Any]], judge: Mapping[Any, Any], clusters: Mapping[Any, Hashable] | None
) -> tuple[list[Any], dict[Hashable, int]]:
    """The units that two people and the judge have rated, and the number of each cluster."""
    units = [unit for unit, answers in people.items() if len(answers) > 1 and unit in judge]
    return units, _numbered(_cluster(unit, clusters) for unit in units)


def _beside(
    statistics: Sequence[Statistic], clusters: int, units: int, pairs: int, resamples: int, seed: int
) -> JudgedSets:
    of_people, of_judge = statistics
    people, judge, difference = (
        with_interval(statistic, clusters, units, resamples, seed)
        for statistic in (of_people, of_judge, lambda times: of_judge(times) - of_people(times))
    )
    return JudgedSets(people, judge, difference, pairs)
