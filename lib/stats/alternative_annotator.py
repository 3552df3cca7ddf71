"""The alternative annotator test: may a judge replace a person?

Each person is left out in turn, and the test compares whether the judge is as close to the others as that person is.
Source: Calderon, Reichart, Dror, "The Alternative Annotator Test for LLM-as-a-Judge" (ACL 2025, arXiv 2501.10970).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lib.stats.averages import Floats, divided
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.figures import (
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
    Figure,
    drawn_figure,
    drawn_means,
    share_figure,
    undefined,
)
from lib.stats.sample_size import HALF, ItemNeeds, Need, Outcomes, score_p, t_p, worse_p

NO_JUDGE, ONE_RATING = "no_judge", "fewer_than_two_people"
NEAR = 1e-9  # two distances that differ by rounding only are the same


def compared(people: Floats, judge: Floats, alignment: str) -> tuple[Floats, Mapping[str, int]]:
    """(units, people): 1 where the person is closer to the others than the judge is, -1 where the judge is, 0 where
    both are as close; NaN where the person, the judge or any other person gave nothing. Also: reason -> units left
    out of every comparison. Raises ValueError for shapes that do not fit and an unknown alignment."""
    if alignment not in ALIGNMENTS:
        raise ValueError(f"There is no alignment {alignment!r}; alignments: {', '.join(ALIGNMENTS)}.")
    if people.ndim != 2 or judge.shape != people.shape[:1]:
        raise ValueError(
            f"People as (units, people) and one judge's (units,) are needed, not {people.shape} and {judge.shape}."
        )
    judged, several = ~np.isnan(judge), (~np.isnan(people)).sum(axis=1) >= 2
    align = ALIGNMENTS[alignment]
    differences = np.full(people.shape, np.nan)
    for column in range(people.shape[1]):
        ratings, other_ratings = people[:, column], np.delete(people, column, axis=1)
        ahead = align(ratings, other_ratings) - align(judge, other_ratings)
        differences[:, column] = np.where(np.abs(ahead) < NEAR, 0.0, np.sign(ahead))
    skipped = {NO_JUDGE: int((~judged).sum()), ONE_RATING: int((judged & ~several).sum())}
    return differences, {reason: count for reason, count in skipped.items() if count}


def _match(ratings: Floats, other_ratings: Floats) -> Floats:
    """Share of the other people who give the same value; NaN where one side has none."""
    has_rating = ~np.isnan(other_ratings)
    return _known(ratings, divided((other_ratings == ratings[:, None]).sum(axis=1), has_rating.sum(axis=1)))


def _distance(ratings: Floats, other_ratings: Floats) -> Floats:
    """Minus the root mean square difference from the others."""
    squares = (other_ratings - ratings[:, None]) ** 2
    return _known(ratings, -np.sqrt(divided(np.nansum(squares, axis=1), (~np.isnan(other_ratings)).sum(axis=1))))


def _known(ratings: Floats, aligned: Floats) -> Floats:
    return np.where(np.isnan(ratings), np.nan, aligned)


ALIGNMENTS: Mapping[str, Callable[[Floats, Floats], Floats]] = {"match": _match, "distance": _distance}


# The test.


ALPHA = 0.05
EPSILON = 0.15  # the paper: .2 for experts, .15 for trained people, .1 for crowds
FEWEST_ITEMS = 30
SHOWN, REFUTED, NOT_SHOWN = STATES = ("shown", "refuted", "not_shown")
Decided = tuple[float, float, float, float]


@dataclass(frozen=True)
class Advantage:
    """The result for the judge in place of one person.

    person: column of the table. judge, left_out: share of items on which the judge (the person) is at least as close
    to the others as the person (the judge); ties count for both. p: of the observed difference if the judge were
    exactly ε worse; p_published: of the t test alone; p_adjusted: after control of the false discovery rate. wins: the
    judge is less than ε worse; worse_adjusted: p of the opposite question, adjusted likewise. need: items that this
    person still needs. units: the items used.
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
class AnnotatorTest:
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
        """One of STATES. Refuted: the judge is more than ε worse for so many people that the others are less than half.

        A test without the power to decide is shown as undecided, never as refuted.
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
) -> AnnotatorTest:
    """people: (units, people), judge: (units,); numbers, or codes of labels; NaN where a rater gave none.

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
    return AnnotatorTest(
        epsilon, alpha, rate, average, passes, _more(advantages, passes, needs.half), advantages, skipped
    )


def _decided(outcomes: Sequence[Outcomes], epsilon: float, guarded: bool) -> list[Decided]:
    """For each person: the deciding p, the published p, and the deciding p after control of the false discovery rate;
    and, under the same control, the p of the opposite question."""
    published = [t_p(person_outcomes, epsilon) for person_outcomes in outcomes]
    ps = [max(p, score_p(person_outcomes, epsilon)) for p, person_outcomes in zip(published, outcomes, strict=True)]
    ps = ps if guarded else published
    worse = [worse_p(person_outcomes, epsilon, guarded=guarded) for person_outcomes in outcomes]
    return list(zip(ps, published, _adjusted(ps), _adjusted(worse), strict=True))


def _adjusted(ps: Sequence[float]) -> list[float]:
    from scipy.stats import false_discovery_control  # here: it takes long to load, and few processes need it

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
    """Mean over people of the judge's share; its interval resamples units, the same ones for everybody."""
    used = ~np.isnan(differences).all(axis=1)
    if not used.any():
        return undefined(FEW_ITEMS)
    won = np.where(np.isnan(differences), np.nan, differences <= 0)[used]
    draws = drawn_means(list(won.T), count=count, seed=seed).mean(axis=0)
    return drawn_figure(float(np.nanmean(won, axis=0).mean()), int(used.sum()), draws)


def _more(advantages: Sequence[Advantage], passes: bool | None, half: int) -> Figure:
    """The items that half of the people need at most: for all three numbers the half-th smallest."""
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
