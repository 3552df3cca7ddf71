from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize_scalar

from lib.stats.sample_size import Outcomes, score_p, t_p, worse_p

counts = st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20)).filter(lambda each: sum(each) >= 2)
margins = st.floats(0.01, 0.5)


def differences(person: int, judge: int, ties: int) -> np.ndarray:
    return np.repeat([1.0, -1.0, 0.0], [person, judge, ties])


@given(counts.filter(lambda each: max(each) < sum(each)), margins)
def test_the_oracle_gives_the_same_t_test(given_counts: tuple[int, int, int], margin: float) -> None:
    values = differences(*given_counts)
    assert t_p(Outcomes.of(values), margin) == pytest.approx(
        stats.ttest_1samp(values, margin, alternative="less").pvalue
    )


def test_differences_that_are_all_alike_have_the_limit_of_the_t_test() -> None:
    assert t_p(Outcomes(0, 0, 40), 0.1) == 0.0
    assert t_p(Outcomes(40, 0, 40), 0.1) == 1.0
    assert t_p(Outcomes(0, 0, 40), 0.0) == 1.0  # exactly at the margin


def test_without_a_margin_the_score_test_is_mcnemars() -> None:
    # 3 against 9: z = (9 - 3) / √12 = 1.7321, whose upper tail is .0416
    assert score_p(Outcomes(3, 9, 30), 0.0) == pytest.approx(0.04163, abs=1e-5)
    assert score_p(Outcomes(0, 0, 30), 0.0) == 1.0


def test_a_judge_that_never_differs_is_not_certain_to_be_near() -> None:
    # A judge worse on exactly one in ten would never differ in 30 with .9^30 = .042. The spread of such a judge is
    # √(.1 - .01) = .3, so z = .1 · √30 / .3 = 1.8257 and p = .0339.
    assert score_p(Outcomes(0, 0, 30), 0.1) == pytest.approx(0.03394, abs=1e-5)


def test_a_judge_is_worse_for_certain_only_if_both_tests_say_so() -> None:
    # 12 to 2 of 20: a mean of .5, .4 above the margin of .1. The variance is (14 - 20 · .25) / 19 = .4737, so
    # t = .4 · √20 / .6882 = 2.599 and p = .0088 with 19 degrees of freedom. The spread at the margin is .8191, so
    # z = .4 · √20 / .8191 = 2.184 and p = .0145.
    outcomes = Outcomes(12, 2, 20)
    assert worse_p(outcomes, 0.1, guarded=False) == pytest.approx(0.0088, abs=1e-4)
    assert worse_p(outcomes, 0.1) == pytest.approx(0.0145, abs=1e-4)


@given(counts, margins)
def test_the_spread_at_the_margin_is_the_likeliest(given_counts: tuple[int, int, int], margin: float) -> None:
    person, judge, ties = given_counts

    def unlikely(q: float) -> float:
        return -(person * log(q + margin) + judge * log(q) + ties * log(1 - 2 * q - margin))

    best = minimize_scalar(
        unlikely, bounds=(1e-12, (1 - margin) / 2 - 1e-12), method="bounded", options={"xatol": 1e-10}
    )
    spread = Outcomes(person, judge, sum(given_counts)).spread_at(margin)
    assert spread == pytest.approx(sqrt(2 * best.x + margin - margin**2), abs=2e-4)


@given(counts, margins, margins)
def test_a_wider_margin_is_easier_to_keep(given_counts: tuple[int, int, int], one: float, other: float) -> None:
    outcomes = Outcomes.of(differences(*given_counts))
    narrow, wide = sorted((one, other))
    assert score_p(outcomes, wide) <= score_p(outcomes, narrow) + 1e-12
    assert t_p(outcomes, wide) <= t_p(outcomes, narrow) + 1e-12
