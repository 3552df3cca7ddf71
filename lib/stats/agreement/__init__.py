"""Inter-annotator agreement of people and judges: (unit, rater, value) -> coefficients with intervals over units."""

from lib.stats.agreement.coefficients import Coefficient, PairValue, coefficients
from lib.stats.agreement.table import LEVELS, NAMES, RESAMPLES, SEED, BadRatings, Level, RatingTable, ratings

__all__ = [
    "LEVELS",
    "NAMES",
    "RESAMPLES",
    "SEED",
    "BadRatings",
    "Coefficient",
    "Level",
    "PairValue",
    "RatingTable",
    "coefficients",
    "ratings",
]
