"""The alternative annotator test: may a judge replace a person?

Each person is left out in turn, and the test compares whether the judge is as close to the others as that person is.
Source: Calderon, Reichart, Dror, "The Alternative Annotator Test for LLM-as-a-Judge" (ACL 2025, arXiv 2501.10970).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lib.stats.averages import Floats, Places
from lib.stats.bootstrap import DRAWS, SEED, resampled
from lib.stats.figures import (
    AS_SEEN_SO_FAR,
    DECISIONS,
    ENOUGH,
    FEW_ITEMS,
    MORE_DO_NOT_HELP,
    NEAR_MARGIN,
    ONE_PERSON,
    TESTS_DIFFER,
    TOO_FEW_CLUSTERS,
    TOO_FEW_ITEMS,
    TWO_PEOPLE,
    Figure,
    drawn_figure,
    drawn_means,
    share_figure,
    undefined,
)
from lib.stats.intervals import wilson
from lib.stats.leave_one_out import LeftOut, closer, cluster_sums, mean_over_people
from lib.stats.sample_size import HALF, ItemNeeds, Need, Outcomes, score_p, t_p, worse_p

ALPHA = 0.05
FEWEST_CLUSTERS = 10  # independent groups of items; a variance of fewer is too uncertain to test with
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


def annotator_test_by_similarity(
    left_out: LeftOut, *, epsilon: float = EPSILON, clusters: Places | None = None
) -> AnnotatorTest:
    """The same for answers that agree by degrees: closeness is the mean similarity with the other people's answers.

    clusters: as in `annotator_test_of`. Raises ValueError for an ε outside 0..1.
    """
    differences = closer(left_out.person - left_out.judge)
    return annotator_test_of(differences, left_out.skipped, epsilon=epsilon, clusters=clusters)


def annotator_test_of(
    differences: Floats,
    skipped: Mapping[str, int],
    *,
    epsilon: float = EPSILON,
    alpha: float = ALPHA,
    fewest_items: int = FEWEST_ITEMS,
    guarded: bool = True,
    clusters: Places | None = None,
    count: int = DRAWS,
    seed: int = SEED,
) -> AnnotatorTest:
    """differences: (units, people), as `compared` gives them. Who has fewer than fewest_items is not tested.

    guarded: p is the larger of the t test's and the score test's, because the t test errs too often where the
    differences hardly vary; False is the test as published. Benjamini–Yekutieli adjusts for the number of people.
    Raises ValueError for an ε outside 0..1.

    clusters: (units,), the number of what a unit is resampled with; None where units are independent. Tests then count
    each person's units as so many independent ones as their variance over clusters is worth, and who has units of fewer
    than FEWEST_CLUSTERS is not tested.
    """
    if not 0 <= epsilon < 1:
        raise ValueError(f"The margin ε is a share from 0 to below 1, not {epsilon}.")
    outcomes = [_outcomes(column, clusters) for column in differences.T]
    tested = [index for index, person_outcomes in enumerate(outcomes) if _is_enough(person_outcomes, fewest_items)]
    decided = dict(zip(tested, _decided([outcomes[index] for index in tested], epsilon, guarded), strict=True))
    needs = ItemNeeds([outcomes[index] for index in tested] or outcomes, epsilon, alpha, fewest_items, guarded)
    advantages = [
        _advantage(index, column, person_outcomes, decided.get(index), alpha, needs)
        for index, (column, person_outcomes) in enumerate(zip(differences.T, outcomes, strict=True))
    ]
    rate = _winning_rate(advantages)
    passes = None if rate.value is None else rate.value >= HALF
    average = _average(differences[:, tested], clusters, count, seed)
    return AnnotatorTest(
        epsilon, alpha, rate, average, passes, _more(advantages, passes, needs.half), advantages, skipped
    )


def _outcomes(differences: Floats, clusters: Places | None) -> Outcomes:
    has = ~np.isnan(differences)
    return Outcomes.of(differences[has], None if clusters is None else clusters[has])


def _is_enough(outcomes: Outcomes, fewest_items: int) -> bool:
    few = outcomes.clusters is not None and outcomes.clusters < FEWEST_CLUSTERS
    return outcomes.n >= max(fewest_items, 2) and not few


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
    judge, person_share = (_share(n - worse, outcomes) for worse in (outcomes.person, outcomes.judge))
    units = tuple(np.flatnonzero(~np.isnan(differences)).tolist())
    need = needs.of(outcomes)
    if decided is None:
        untested = (None, None, None, None, None, False)
        few = outcomes.clusters is not None and outcomes.clusters < FEWEST_CLUSTERS
        note = TOO_FEW_CLUSTERS if few else TOO_FEW_ITEMS
        return Advantage(person, judge, person_share, *untested, need, units, note)
    p, published, adjusted, worse = decided
    note = TESTS_DIFFER if published <= alpha < p else ""
    wins, refuted = adjusted <= alpha, worse <= alpha
    return Advantage(person, judge, person_share, p, published, adjusted, wins, worse, refuted, need, units, note)


def _share(hits: int, outcomes: Outcomes) -> Figure:
    """Wilson's interval, for as many independent items as these are worth."""
    share = share_figure(hits, outcomes.n)
    bounds = wilson(hits / outcomes.design_effect, outcomes.size)
    return replace(share, low=bounds.low, high=bounds.high) if bounds else share


def _winning_rate(advantages: Sequence[Advantage]) -> Figure:
    tested = [advantage.wins for advantage in advantages if advantage.wins is not None]
    if not tested:
        return undefined(ONE_PERSON if len(advantages) < 2 else FEW_ITEMS)
    return Figure(sum(tested) / len(tested), len(tested), note=TWO_PEOPLE if len(tested) == 2 else DECISIONS)


def _average(differences: Floats, clusters: Places | None, count: int, seed: int) -> Figure:
    """Mean over people of the judge's share; its interval resamples units or clusters, the same ones for everybody."""
    used = ~np.isnan(differences).all(axis=1)
    if not used.any():
        return undefined(FEW_ITEMS)
    won = np.where(np.isnan(differences), np.nan, differences <= 0)[used]
    if clusters is None:
        draws = drawn_means(list(won.T), count=count, seed=seed).mean(axis=0)
    else:
        sums, counts = cluster_sums(won, clusters[used])
        draws = mean_over_people(resampled(sums, counts, draws=count, seed=seed).drawn)
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
