"""How far two rankings of the same authors go together, for many resamples of the items at once. Pure."""

from collections.abc import Mapping

import numpy as np

from lib.stats.averages import Floats, divided
from lib.stats.figures import bounds_of


def intervals(left: Floats, right: Floats) -> Mapping[str, tuple[float, float] | None]:
    """left, right: (draws, authors), means of each author in each resample -> 95 % interval by coefficient.

    None where most resamples have no value, because all authors are equal in them.
    """
    left_signs, right_signs = _signs(left), _signs(right)
    values = {
        "kendall": divided((left_signs * right_signs).sum(axis=(1, 2)), _untied(left_signs) * _untied(right_signs)),
        "spearman": _pearson(left_signs.sum(axis=2), right_signs.sum(axis=2)),  # as ranks, up to a shift and a half
        "pearson": _pearson(left, right),
    }
    return {name: _bounds(draws) for name, draws in values.items()}


def _signs(values: Floats) -> Floats:
    """(draws, authors, authors): who is ahead of whom."""
    return np.sign(values[:, :, None] - values[:, None, :])


def _untied(signs: Floats) -> Floats:
    return np.sqrt(np.abs(signs).sum(axis=(1, 2)))


def _pearson(left: Floats, right: Floats) -> Floats:
    left_deviations, right_deviations = (
        left - left.mean(axis=1, keepdims=True),
        right - right.mean(axis=1, keepdims=True),
    )
    return divided(
        (left_deviations * right_deviations).sum(axis=1),
        np.sqrt((left_deviations**2).sum(axis=1) * (right_deviations**2).sum(axis=1)),
    )


def _bounds(draws: Floats) -> tuple[float, float] | None:
    low, high = bounds_of(np.clip(draws, -1, 1))
    return None if low is None or high is None else (low, high)
