"""How many items or votes it takes, as a number of two digits with a range: a plan, not a measurement."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10, sqrt

from scipy.stats import norm

from lib.stats.noninferiority import Outcomes

HALF, POWER = 0.5, 0.8
WITHIN = 1.2815515655446004  # of a normal distribution: four times in five
NEAR = 0.5  # standard errors: closer than that, the truth may lie on the other side nearly as well


@dataclass(frozen=True)
class Need:
    """value: how many more; None where no number would help. low, high: where it lies four times in five, as far as
    chance moved what it is estimated from; high is None where there may be no end.

    near: the difference is so close to the margin that a number would mean nothing; value is None then.
    """

    value: int | None = None
    low: int | None = None
    high: int | None = None
    near: bool = False


def two_digits(number: float) -> int:
    """Rounded to two significant digits: 12434 is 12000, 35 is 35."""
    whole = round(number)
    if abs(whole) < 100:
        return whole
    step = 10 ** (floor(log10(abs(whole))) - 1)
    return round(whole / step) * step


def needed(value: float | None, low: float | None, high: float | None) -> str:
    """As terminals show it: "110 (62–240)", "12000 (5300 or more)"; "" without a value."""
    if value is None:
        return ""
    if low is None:
        return str(two_digits(value))
    return f"{two_digits(value)} ({two_digits(low)}{' or more' if high is None else f'–{two_digits(high)}'})"


class ItemNeeds:
    """How many items a test needs for the judge to win against half of the people, if what was seen is the truth.

    outcomes: of everybody who is tested. Raises nothing; without outcomes every need is unknown.
    """

    def __init__(self, outcomes: Sequence[Outcomes], epsilon: float, alpha: float, fewest: int, guarded: bool) -> None:
        people = max(len(outcomes), 1)
        self.half = ceil(people * HALF)
        # So much of alpha the half-th smallest p may use (Benjamini–Yekutieli).
        share = self.half / people / sum(1 / rank for rank in range(1, people + 1))
        self.critical, self.power = norm.ppf(1 - alpha * share), norm.ppf(POWER)
        self.epsilon, self.fewest, self.guarded = epsilon, fewest, guarded

    def of(self, outcomes: Outcomes) -> Need:
        """Items more than there are; no value where the judge looks ε worse or more, and where it is too near to ε."""
        if not outcomes.n:
            return Need()
        error = max(outcomes.spread_at(self.epsilon), sqrt(outcomes.variance)) / sqrt(outcomes.n)
        if abs(self.epsilon - outcomes.mean) < NEAR * error:
            return Need(near=True)
        more = self._more(outcomes, outcomes.mean)
        if more is None:
            return Need()
        low, high = (self._more(outcomes, outcomes.mean + sign * WITHIN * error) for sign in (-1, 1))
        return Need(more, low, high)

    def _more(self, outcomes: Outcomes, mean: float) -> int | None:
        """If the mean difference is this; None where no number of items is enough."""
        if mean >= self.epsilon:
            return None
        spread = sqrt(outcomes.variance)
        under_margin = max(outcomes.spread_at(self.epsilon), spread) if self.guarded else spread
        root = (self.critical * under_margin + self.power * spread) / (self.epsilon - mean)
        needed = max(ceil(root**2), self.fewest, 2) if root**2 > outcomes.n else max(self.fewest, outcomes.n)
        return needed - outcomes.n
