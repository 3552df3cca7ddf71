"""How far raters agree, people and judges alike: (unit, rater, value) -> coefficients with intervals over units."""

from judging.metrics.agreement.coefficients import Coefficient, PairValue, coefficients
from judging.metrics.agreement.names import NAMES, RESAMPLES, SEED
from judging.metrics.agreement.table import LEVELS, Level, Ratings, ratings
from judging.metrics.agreement.values import BadRatings

__all__ = [
    "LEVELS",
    "NAMES",
    "RESAMPLES",
    "SEED",
    "BadRatings",
    "Coefficient",
    "Level",
    "PairValue",
    "Ratings",
    "coefficients",
    "ratings",
]
