"""How much correlations would differ with other units: pairs are drawn again, with a fixed seed.

A draw is kept as how often each pair is in it, so that a thousand draws are a few products of matrices.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from lib.stats.averages import Floats, divided
from lib.stats.bootstrap import DRAWS, LEVEL, SEED
from lib.stats.correlation import COEFFICIENTS

Interval = tuple[float, float]
FEWEST = 3  # pairs; of fewer nearly every draw has one pair only


def correlation_intervals(
    left: Sequence[float], right: Sequence[float], *, count: int = DRAWS, seed: int = SEED, level: float = LEVEL
) -> dict[str, Interval | None]:
    """Name of each coefficient -> percentile interval over the pairs without a missing value.

    None with fewer than FEWEST pairs, or where most draws have no value because one side does not vary in them.
    Memory grows with the square of the pairs.
    """
    first, second = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    has = ~(np.isnan(first) | np.isnan(second))
    pairs = int(has.sum())
    if pairs < FEWEST:
        return dict.fromkeys(COEFFICIENTS)
    times = np.random.default_rng(seed).multinomial(pairs, np.full(pairs, 1 / pairs), size=count).astype(float)
    draws_by_name = drawn_correlations(first[has], second[has], times)
    return {name: _interval(values, level) for name, values in draws_by_name.items()}


def drawn_correlations(first: Floats, second: Floats, times: Floats) -> Mapping[str, Floats]:
    """Name -> coefficient in each draw, NaN where it has none. times: (draws, pairs), how often each pair is in it."""
    return {
        "pearson": _pearson(first[None], second[None], times),
        "spearman": _pearson(_mean_ranks(first, times), _mean_ranks(second, times), times),
        "kendall": _kendall(first, second, times),
    }


def _pearson(first: Floats, second: Floats, times: Floats) -> Floats:
    """first, second: (draws or 1, pairs)."""
    first, second = _deviations(first, times), _deviations(second, times)
    spread = np.sqrt((times * first**2).sum(axis=1) * (times * second**2).sum(axis=1))
    return divided((times * first * second).sum(axis=1), np.where(spread > 1e-12, spread, 0))


def _deviations(values: Floats, times: Floats) -> Floats:
    deviations: Floats = values - divided((times * values).sum(axis=1), times.sum(axis=1))[:, None]
    return deviations


def _mean_ranks(values: Floats, times: Floats) -> Floats:
    """(draws, pairs): the rank that each value has in each draw; equal ones share their mean."""
    smaller = np.less.outer(values, values).astype(float)
    equal = np.equal.outer(values, values).astype(float)
    ranks: Floats = times @ smaller + (times @ equal + 1) / 2
    return ranks


def _kendall(first: Floats, second: Floats, times: Floats) -> Floats:
    left, right = (np.sign(np.subtract.outer(values, values)) for values in (first, second))
    agreeing = _over_pairs(left * right, times)
    return divided(agreeing, np.sqrt(_over_pairs(np.abs(left), times) * _over_pairs(np.abs(right), times)))


def _over_pairs(matrix: Floats, times: Floats) -> Floats:
    """The sum over all pairs of what is in a draw."""
    total: Floats = ((times @ matrix) * times).sum(axis=1)
    return total


def _interval(values: Floats, level: float) -> Interval | None:
    valid_values = values[~np.isnan(values)]
    if 2 * valid_values.size <= values.size:
        return None
    low, high = np.percentile(valid_values, [100 * (1 - level) / 2, 100 * (1 + level) / 2])
    return float(low), float(high)
