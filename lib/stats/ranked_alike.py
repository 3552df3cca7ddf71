"""How far two rankings of the same authors go together, for many resamples of the items at once. Pure."""

from collections.abc import Mapping

import numpy as np

from lib.stats.averages import Floats, divided
from lib.stats.figures import bounds_of


def intervals(left: Floats, right: Floats) -> Mapping[str, tuple[float, float] | None]:
    """left, right: (draws, authors), means of each author in each resample -> 95 % interval by coefficient.

    None where most resamples have no value, because all authors are equal in them.
    """
    one, other = _signs(left), _signs(right)
    values = {
        "kendall": divided((one * other).sum(axis=(1, 2)), _untied(one) * _untied(other)),
        "spearman": _pearson(one.sum(axis=2), other.sum(axis=2)),  # as ranks, up to a shift and a half
        "pearson": _pearson(left, right),
    }
    return {name: _bounds(drawn) for name, drawn in values.items()}


def _signs(values: Floats) -> Floats:
    """(draws, authors, authors): who is ahead of whom."""
    return np.sign(values[:, :, None] - values[:, None, :])


def _untied(signs: Floats) -> Floats:
    return np.sqrt(np.abs(signs).sum(axis=(1, 2)))


def _pearson(left: Floats, right: Floats) -> Floats:
    one, other = left - left.mean(axis=1, keepdims=True), right - right.mean(axis=1, keepdims=True)
    return divided((one * other).sum(axis=1), np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1)))


def _bounds(drawn: Floats) -> tuple[float, float] | None:
    low, high = bounds_of(np.clip(drawn, -1, 1))
    return None if low is None or high is None else (low, high)
