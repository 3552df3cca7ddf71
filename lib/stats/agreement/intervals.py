"""95 % intervals out of resamples: bias-corrected and accelerated.

Why not plain percentiles: in 1,000 simulated studies of 200 units × 3 raters, for each of six ways in which raters err,
the percentile interval of alpha, Cohen's and Fleiss' kappa and Gwet's AC held the true value in 93.2 to 97.2 % of them,
and erred up to four times as often on one side; turned round (basic) 91.7 to 96.7 %; value ± 1.96 standard errors 93.2
to 97.0 %. This one: 94.2 to 96.8 %, about evenly on both sides. It costs one more evaluation for each distinct row.
Source: Efron, "Better bootstrap confidence intervals" (JASA, 1987).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from lib.stats.agreement.table import Floats

LEVEL = 0.95
ROUNDING = 1e-12
_NORMAL = NormalDist()
Bounds = tuple[float, float]


@dataclass(frozen=True)
class Resampled:
    """One coefficient.

    value: of the data. drawn: (resamples,), NaN where undefined. left_out: (rows,), with one cluster less; empty where
    nobody has looked. counts: (rows,), how many clusters each row of left_out stands for.
    """

    value: float
    drawn: Floats
    left_out: Floats
    counts: Floats
    plain: bool = False  # percentiles alone: of few clusters bias and skewness are not known well enough


def mean_of(several: Sequence[Resampled]) -> Resampled:
    """Their plain mean; undefined in a resample where one of them is. Raises ValueError for none."""
    if not several:
        raise ValueError("a mean takes at least one")
    return Resampled(
        float(np.mean([estimate.value for estimate in several])),
        np.mean([estimate.drawn for estimate in several], axis=0),
        np.mean([estimate.left_out for estimate in several], axis=0),
        several[0].counts,
        several[0].plain,
    )


def interval(estimate: Resampled) -> Bounds | None:
    """The draws that have a value decide; None where most have none."""
    draws = estimate.drawn[~np.isnan(estimate.drawn)]
    if not draws.size or 2 * draws.size <= estimate.drawn.size:
        return None
    tails = (1 - LEVEL) / 2, (1 + LEVEL) / 2
    low, high = np.quantile(draws, tails if estimate.plain else [_share(tail, estimate, draws) for tail in tails])
    return float(low), float(high)


def _share(tail: float, estimate: Resampled, draws: Floats) -> float:
    """Which quantile of the draws bounds the interval where `tail` would without bias and skewness."""
    shift, normal_quantile = _bias(estimate.value, draws), _NORMAL.inv_cdf(tail)
    bent = 1 - acceleration(estimate) * (shift + normal_quantile)
    return _NORMAL.cdf(shift + (shift + normal_quantile) / bent) if bent > 0 else tail


def _bias(value: float, draws: Floats) -> float:
    """How far the value is from the middle of the draws, in standard errors; equal ones count half."""
    equal = np.abs(draws - value) <= ROUNDING
    below = np.count_nonzero((draws < value) & ~equal) + np.count_nonzero(equal) / 2
    least = 0.5 / draws.size
    return _NORMAL.inv_cdf(min(max(below / draws.size, least), 1 - least))


def acceleration(estimate: Resampled) -> float:
    """A sixth of the skewness of what single units do to the value; 0 where nobody has looked or none does anything."""
    is_defined = ~np.isnan(estimate.left_out)
    counts, jackknife = estimate.counts[: is_defined.size][is_defined], estimate.left_out[is_defined]
    if not jackknife.size or counts.sum() == 0:
        return 0.0
    pull = (counts @ jackknife) / counts.sum() - jackknife
    spread = counts @ pull**2
    return float(counts @ pull**3 / (6 * spread**1.5)) if spread > ROUNDING**2 else 0.0
