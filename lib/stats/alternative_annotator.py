"""May a judge stand in for a person? Each person is left out in turn; is the judge as close to the others as they are?

Source: Calderon, Reichart, Dror, "The Alternative Annotator Test for LLM-as-a-Judge" (ACL 2025, arXiv 2501.10970).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import false_discovery_control

from lib.stats.averages import Floats
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.closeness import ALIGNMENTS, NO_JUDGE, ONE_RATING, compared
from lib.stats.figures import Figure, drawn_figure, drawn_means, share_figure, undefined
from lib.stats.needs import HALF, ItemNeeds, Need
from lib.stats.noninferiority import Outcomes, score_p, t_p, worse_p
from lib.stats.notes import (
    AS_SEEN_SO_FAR,
    DECISIONS,
    ENOUGH,
    FEW_ITEMS,
    MORE_DO_NOT_HELP,
    NEAR_MARGIN,
    ONE_PERSON,
    TESTS_DIFFER,
    TOO_FEW_ITEMS,
    TWO_PEOPLE,
)

ALPHA = 0.05
EPSILON = 0.15  # the paper: .2 for experts, .15 for trained people, .1 for crowds
FEWEST_ITEMS = 30
SHOWN, REFUTED, NOT_SHOWN = STATES = ("shown", "refuted", "not_shown")
Decided = tuple[float, float, float, float]
__all__ = ["ALIGNMENTS", "NO_JUDGE", "ONE_RATING", "Advantage", "Result", "alternative_annotator_test"]


@dataclass(frozen=True)
class Advantage:
    """The judge in the place of one person.

    person: column of the table. judge, left_out: share of items on which the judge (the person) is at least as close
    to the others as the person (the judge); ties count for both. p: that they would be so far apart were the judge
    exactly ε worse; p_published: of the t test alone; p_adjusted: after control of false discoveries. wins: the judge
    is better than ε worse; worse_adjusted: p that it is not worse than ε, adjusted likewise. need: items that this
    person still needs. units: the items behind.
    """

    person: int
    judge: Figure
    left_out: Figure
    p: float | None
    p_published: float | None
    p_adjusted: float | None
    wins: bool | None
    worse_adjusted: float | None
    refuted: bool
    need: Need
    units: tuple[int, ...]
    note: str = ""

    @property
    def more(self) -> int | None:
        return self.need.value

    @property
    def state(self) -> str:
        """One of STATES: a judge that does not win is refuted only where it is shown to be more than ε worse."""
        return SHOWN if self.wins else REFUTED if self.refuted else NOT_SHOWN


@dataclass(frozen=True)
class Result:
    """winning_rate: ω, share of people whom the judge beats; advantage: mean over people of the judge's share.

    n of both: people tested, and items used. passes: ω is a half or more; None where nobody could be tested.
    more_items: how many more every person should rate, low and high its range (four times in five; high is None
    where there may be no end). skipped: reason -> items left out.
    """

    epsilon: float
    alpha: float
    winning_rate: Figure
    advantage: Figure
    passes: bool | None
    more_items: Figure
    people: Sequence[Advantage]
    skipped: Mapping[str, int]

    @property
    def state(self) -> str:
        """One of STATES. Refuted: of so many people that the others are less than half the judge is more than ε worse.

        A test without the power to say either is not shown, and never a no.
        """
        if self.passes:
            return SHOWN
        tested = [advantage for advantage in self.people if advantage.wins is not None]
        return REFUTED if sum(advantage.refuted for advantage in tested) > len(tested) * HALF else NOT_SHOWN


def alternative_annotator_test(
    people: Floats,
    judge: Floats,
    *,
    alignment: str = "match",
    epsilon: float = EPSILON,
    alpha: float = ALPHA,
    fewest_items: int = FEWEST_ITEMS,
    guarded: bool = True,
    count: int = DRAWS,
    seed: int = SEED,
) -> Result:
    """people: (units, people), judge: (units,); numbers, or codes of labels; NaN where somebody gave none.

    alignment: `match`, the share of the others who say the same; `distance`, minus the root mean square difference.
    An item counts where the judge and two people have rated it. Who has fewer than fewest_items is not tested.
    guarded: p is the larger of the t test's and the score test's, because the t test errs too often where the
    differences hardly vary; False is the test as published. Benjamini–Yekutieli adjusts for the number of people.
    Raises ValueError for an ε outside 0..1, an unknown alignment and shapes that do not fit.
    """
    if not 0 <= epsilon < 1:
        raise ValueError(f"The margin ε is a share from 0 to below 1, not {epsilon}.")
    differences, skipped = compared(people, judge, alignment)
    outcomes = [Outcomes.of(column[~np.isnan(column)]) for column in differences.T]
    tested = [index for index, person_outcomes in enumerate(outcomes) if person_outcomes.n >= max(fewest_items, 2)]
    decided = dict(zip(tested, _decided([outcomes[index] for index in tested], epsilon, guarded), strict=True))
    needs = ItemNeeds([outcomes[index] for index in tested] or outcomes, epsilon, alpha, fewest_items, guarded)
    advantages = [
        _advantage(index, column, person_outcomes, decided.get(index), alpha, needs)
        for index, (column, person_outcomes) in enumerate(zip(differences.T, outcomes, strict=True))
    ]
    rate = _winning_rate(advantages)
    passes = None if rate.value is None else rate.value >= HALF
    average = _average(differences[:, tested], count, seed)
    return Result(epsilon, alpha, rate, average, passes, _more(advantages, passes, needs.half), advantages, skipped)


def _decided(outcomes: Sequence[Outcomes], epsilon: float, guarded: bool) -> list[Decided]:
    """Of each person: the p that decides, the published one, and the first after control of false discoveries; beside
    them, under the same control, the p of the opposite question."""
    published = [t_p(person_outcomes, epsilon) for person_outcomes in outcomes]
    ps = [max(p, score_p(person_outcomes, epsilon)) for p, person_outcomes in zip(published, outcomes, strict=True)]
    ps = ps if guarded else published
    worse = [worse_p(person_outcomes, epsilon, guarded=guarded) for person_outcomes in outcomes]
    return list(zip(ps, published, _adjusted(ps), _adjusted(worse), strict=True))


def _adjusted(ps: Sequence[float]) -> list[float]:
    adjusted_ps: list[float] = false_discovery_control(ps, method="by").tolist() if ps else []
    return adjusted_ps


def _advantage(
    person: int,
    differences: Floats,
    outcomes: Outcomes,
    decided: Decided | None,
    alpha: float,
    needs: ItemNeeds,
) -> Advantage:
    n = outcomes.n
    judge, person_share = share_figure(n - outcomes.person, n), share_figure(n - outcomes.judge, n)
    units = tuple(np.flatnonzero(~np.isnan(differences)).tolist())
    need = needs.of(outcomes)
    if decided is None:
        untested = (None, None, None, None, None, False)
        return Advantage(person, judge, person_share, *untested, need, units, TOO_FEW_ITEMS)
    p, published, adjusted, worse = decided
    note = TESTS_DIFFER if published <= alpha < p else ""
    wins, refuted = adjusted <= alpha, worse <= alpha
    return Advantage(person, judge, person_share, p, published, adjusted, wins, worse, refuted, need, units, note)


def _winning_rate(advantages: Sequence[Advantage]) -> Figure:
    tested = [advantage.wins for advantage in advantages if advantage.wins is not None]
    if not tested:
        return undefined(ONE_PERSON if len(advantages) < 2 else FEW_ITEMS)
    return Figure(sum(tested) / len(tested), len(tested), note=TWO_PEOPLE if len(tested) == 2 else DECISIONS)


def _average(differences: Floats, count: int, seed: int) -> Figure:
    """Mean over people of the judge's share; units are drawn again for its interval, the same for everybody."""
    used = ~np.isnan(differences).all(axis=1)
    if not used.any():
        return undefined(FEW_ITEMS)
    won = np.where(np.isnan(differences), np.nan, differences <= 0)[used]
    draws = drawn_means(list(won.T), count=count, seed=seed).mean(axis=0)
    return drawn_figure(float(np.nanmean(won, axis=0).mean()), int(used.sum()), draws)


def _more(advantages: Sequence[Advantage], passes: bool | None, half: int) -> Figure:
    """What half of the people need at most: of all three numbers the half-th smallest."""
    n = max((advantage.judge.n for advantage in advantages), default=0)
    if passes:
        return Figure(0, n, note=ENOUGH)
    if not n or len(advantages) < 2:
        return undefined(ONE_PERSON if len(advantages) < 2 else FEW_ITEMS)
    needs = [advantage.need for advantage in advantages if passes is None or advantage.wins is not None]
    values = sorted(need.value for need in needs if need.value is not None)
    if len(values) < half:
        near = sum(need.near for need in needs)
        return undefined(NEAR_MARGIN if len(values) + near >= half else MORE_DO_NOT_HELP, n)
    lows = sorted(need.low for need in needs if need.low is not None)
    highs = sorted(need.high for need in needs if need.high is not None)
    low, high = (float(max(bounds[half - 1], 1)) if len(bounds) >= half else None for bounds in (lows, highs))
    return Figure(max(values[half - 1], 1), n, low, high, AS_SEEN_SO_FAR)
