"""Paired comparison of two judges on the same pairs: McNemar's test, a cluster bootstrap, Holm's adjustment."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from lib.stats.averages import Floats
from lib.stats.bootstrap import SEED

MCNEMAR, BOOTSTRAP = "mcnemar", "bootstrap"
RESAMPLES = 10_000
WHY = {
    MCNEMAR: "exact McNemar test: one label a unit, and every unit stands alone",
    BOOTSTRAP: "paired bootstrap over clusters: several units share a prompt, which McNemar's test would count as many",
}


@dataclass(frozen=True)
class PairedComparison:
    """Pairs on which exactly one of two judges was right. n: pairs that both have judged. p: two-sided.

    test: `mcnemar`, which is exact, where pairs are independent; `bootstrap` where `clusters` hold several pairs.
    """

    only_first: int
    only_second: int
    n: int
    p: float
    test: str = MCNEMAR
    clusters: int = 0


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> PairedComparison:
    """McNemar's exact test on paired binary outcomes: (pairs,) each, in the same order, without missing outcomes.

    p is the probability, if both were equal, of a split of the discordant pairs at least as uneven; two-sided, doubled
    and at most 1; 1.0 where no pair is discordant. Source: McNemar (Psychometrika, 1947), in its binomial form.
    """
    if len(first) != len(second):
        raise ValueError("outcomes of the same pairs are needed from both")
    only_first = sum(first_right and not second_right for first_right, second_right in zip(first, second, strict=True))
    only_second = sum(second_right and not first_right for first_right, second_right in zip(first, second, strict=True))
    return PairedComparison(
        only_first, only_second, len(first), _two_sided(only_first, only_second), clusters=len(first)
    )


def compared_in_clusters(
    first: Sequence[bool], second: Sequence[bool], clusters: Sequence[Hashable], *, seed: int = SEED
) -> PairedComparison:
    """McNemar's test where every unit is its own cluster, else a paired bootstrap of whole clusters.

    clusters: for each unit the largest thing that it shares with others, such as the prompt of several perturbations.
    McNemar's test assumes independent units and would count the same prompt several times.
    The bootstrap resamples clusters, each with both judges' outcomes on all its units. Its p is twice the smaller
    share of resamples in which the difference is 0 or on the other side, with one resample added, so never 0. p is 1.0
    where the two never differ, and for a single cluster. Raises ValueError for unequal lengths.
    """
    exact = mcnemar(first, second)
    if len(clusters) != len(first):
        raise ValueError("a cluster of each pair is needed")
    index_by_cluster = {name: index for index, name in enumerate(dict.fromkeys(clusters))}
    if len(index_by_cluster) == len(first):
        return exact
    differences = np.array(first, dtype=float) - np.array(second, dtype=float)
    sums = np.bincount(
        [index_by_cluster[name] for name in clusters], weights=differences, minlength=len(index_by_cluster)
    )
    p = (
        _drawn_p(sums.astype(np.float64), seed)
        if len(index_by_cluster) > 1 and exact.only_first + exact.only_second
        else 1.0
    )
    return PairedComparison(exact.only_first, exact.only_second, exact.n, p, BOOTSTRAP, len(index_by_cluster))


def _drawn_p(sums: Floats, seed: int) -> float:
    """sums: for each cluster the sum of its units' differences. Draws depend only on how often each sum occurs."""
    values, counts = np.unique(sums, return_counts=True)
    times = np.random.default_rng(seed).multinomial(len(sums), counts / len(sums), size=RESAMPLES)
    draws = times @ values
    side = min(int((draws <= 0).sum()), int((draws >= 0).sum()))
    return min(2 * (side + 1) / (RESAMPLES + 1), 1.0)


def _two_sided(only_first: int, only_second: int) -> float:
    """Computed in whole numbers until the end, so that a very uneven split does not underflow to 0."""
    n = only_first + only_second
    tail = sum(comb(n, k) for k in range(min(only_first, only_second) + 1))
    return min(2 * tail / 2**n, 1.0)


def holm(values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, which control the family-wise error rate.

    In the given order, 0..1; the i-th smallest (from 0) times (n - i), never less than the one before it.
    Source: Holm (Scandinavian Journal of Statistics, 1979).
    """
    adjusted, highest = [0.0] * len(values), 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(values[index] * (len(values) - rank), 1.0))
        adjusted[index] = highest
    return adjusted
