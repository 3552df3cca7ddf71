"""Agreement about sets of labels (alpha with MASI distance) and about orders (Kendall's W).

Alpha: Krippendorff, "Content Analysis", 2018, chapter 12, with any distance between values. MASI: Passonneau,
"Measuring Agreement on Set-valued Items", LREC 2006. W: Kendall and Smith, 1939, with the correction for ties.
Intervals: 95 %, percentiles of a bootstrap over clusters.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lib.stats.agreement.table import NEVER_MEET, NO_RATINGS, ONE_RATER, RESAMPLES, SEED, Floats

Distance = Callable[[frozenset[str], frozenset[str]], float]
TOGETHER = 200  # draws in one block


@dataclass(frozen=True)
class ClusteredValue:
    """value: None where undefined, and `note` says why. n: units that count. low, high: 95 % interval."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    note: str = ""


def masi_distance(left: frozenset[str], right: frozenset[str]) -> float:
    """0..1: 1 − Jaccard × monotonicity, which is 1 for equal sets, 2/3 for a subset, 1/3 for an overlap, else 0."""
    if left == right:
        return 0.0
    both = left & right
    if not both:
        return 1.0
    monotonicity = 2 / 3 if both in (left, right) else 1 / 3
    return 1 - len(both) / len(left | right) * monotonicity


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
    kinds = {
        kind: number for number, kind in enumerate(dict.fromkeys(kind for sets in units.values() for kind in sets))
    }
    between = np.array([[distance(left, right) for right in kinds] for left in kinds])
    names = {name: number for number, name in enumerate(dict.fromkeys(_cluster(unit, clusters) for unit in units))}
    observed, counts = np.zeros(len(names)), np.zeros((len(names), len(kinds)))
    for unit, sets in units.items():
        place, codes = names[_cluster(unit, clusters)], np.array([kinds[kind] for kind in sets])
        observed[place] += between[np.ix_(codes, codes)].sum() / (len(codes) - 1)
        counts[place] += np.bincount(codes, minlength=len(kinds))
    return with_interval(
        lambda times: _alpha(times @ observed, times @ counts, between), len(names), len(units), resamples, seed
    )


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
    found = {
        unit: kendall_w(np.array([_mean_ranks(order) for order in given]))
        for unit, given in orders.items()
        if len(given) > 1
    }
    values = {unit: value for unit, value in found.items() if not np.isnan(value)}
    if not values:
        return ClusteredValue(None, note=ONE_RATER if orders else NO_RATINGS)
    sums: dict[Hashable, float] = defaultdict(float)
    counts: dict[Hashable, int] = defaultdict(int)
    for unit, value in values.items():
        sums[_cluster(unit, clusters)] += value
        counts[_cluster(unit, clusters)] += 1
    above, below = np.array(list(sums.values())), np.array(list(counts.values()), dtype=float)
    return with_interval(lambda times: (times @ above) / (times @ below), len(sums), len(values), resamples, seed)


def _mean_ranks(order: Sequence[float]) -> Floats:
    values = np.array(order, dtype=float)
    return np.array([(values < value).sum() + ((values == value).sum() + 1) / 2 for value in values])


def with_interval(
    statistic: Callable[[Floats], Floats], clusters: int, units: int, resamples: int, seed: int
) -> ClusteredValue:
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
    return [_with_draws(float(value), drawn[:, place], units) for place, value in enumerate(values)]


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
