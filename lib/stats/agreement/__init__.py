"""How far raters agree, people and judges alike: (unit, rater, value) -> coefficients with intervals over units."""

from lib.stats.agreement.coefficients import Coefficient, PairValue, coefficients
from lib.stats.agreement.names import NAMES, RESAMPLES, SEED
from lib.stats.agreement.table import LEVELS, Level, Ratings, ratings
from lib.stats.agreement.values import BadRatings

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
