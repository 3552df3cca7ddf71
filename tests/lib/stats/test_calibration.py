import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from lib.stats.calibration import calibration, on_scale
from lib.stats.figures import FEW_UNITS, GAPS_ADD_UP, NO_UNITS, SCORE_CONSTANT, mean_figure

NONE = np.nan
shares = st.one_of(st.just(NONE), st.floats(0, 1).map(lambda each: round(each, 3)))
tables = arrays(float, st.tuples(st.integers(10, 40), st.just(2)), elements=shares)


def test_a_small_case_by_hand() -> None:
    # Two bins. Scores .2 (six units, people's rates 1 and five 0) and .8 (four units, rates 1, 1, 1, 0).
    # Gaps: |.2 - 1/6| · .6 + |.8 - .75| · .4 = .02 + .02. Bias: .44 - .4. Covariance of score and rate: the mean of
    # products (.2 · 1 + .8 · 3) / 10 = .26 less .44 · .4 = .084; variance .6 · .04 + .4 · .64 - .44² = .0864.
    scores, rates = np.repeat([0.2, 0.8], [6, 4]), np.array([1.0, 0, 0, 0, 0, 0, 1, 1, 1, 0])
    found = calibration(scores, rates, bins=2)
    assert found.gap.value == pytest.approx(0.04)
    assert found.bias.value == pytest.approx(0.04)
    assert found.slope.value == pytest.approx(0.084 / 0.0864)
    assert found.intercept.value == pytest.approx(0.4 - 0.44 * 0.084 / 0.0864)
    assert (found.bins[1].score, found.bins[1].rate.value) == pytest.approx((0.8, 0.75))
    assert (found.bins[0].rate.low, found.bins[0].rate.high) == pytest.approx(proportion_confint(1, 6, method="wilson"))
    assert (found.bins[1].units, found.gap.n, found.gap.note) == ((6, 7, 8, 9), 10, GAPS_ADD_UP)


def test_the_oracle_draws_the_same_line() -> None:
    chance = np.random.default_rng(4)
    scores = chance.random(300)
    rates = np.clip(0.2 + 0.5 * scores + chance.normal(0, 0.1, 300), 0, 1)
    found, line = calibration(scores, rates), stats.linregress(scores, rates)
    assert (found.slope.value, found.intercept.value) == pytest.approx((line.slope, line.intercept))
    half = stats.t.ppf(0.975, 298) * line.stderr
    assert (found.slope.low, found.slope.high) == pytest.approx((line.slope - half, line.slope + half), abs=0.3 * half)


def test_the_interval_of_the_bias_is_that_of_a_mean() -> None:
    chance = np.random.default_rng(5)
    scores, rates = chance.random((2, 200))
    found, expected = calibration(scores, rates).bias, mean_figure(scores - rates)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.01)


def meant(units: int, chance: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A judge whose score is the chance that people say yes."""
    scores = chance.random(units)
    return scores, (chance.random(units) < scores).astype(float)


def test_a_judge_that_means_what_it_says_has_a_slope_of_one() -> None:
    found = calibration(*meant(2000, np.random.default_rng(6)))
    assert found.slope.value == pytest.approx(1, abs=0.1)
    assert found.gap.value < 0.04
    assert sum(each.rate.low < each.score < each.rate.high for each in found.bins) >= 8


@pytest.mark.slow
def test_intervals_of_line_and_bias_cover_the_truth_as_often_as_they_say() -> None:
    chance = np.random.default_rng(20250912)
    found = [calibration(*meant(200, chance), count=500) for _ in range(1000)]
    covered = np.array(
        [
            [one.low <= truth <= one.high for one, truth in ((each.slope, 1), (each.intercept, 0), (each.bias, 0))]
            for each in found
        ]
    )
    assert (covered.mean(axis=0) >= 0.93).all()
    assert (covered.mean(axis=0) <= 0.97).all()


def test_bins_hold_their_lower_end_and_the_last_both() -> None:
    found = calibration(np.array([0.0, 0.1, 0.5, 1.0]), np.ones(4))
    assert [each.units for each in found.bins if each.units] == [(0,), (1,), (2,), (3,)]
    assert (found.bins[9].units, found.bins[2].score, found.bins[2].rate.note) == ((3,), None, NO_UNITS)


def test_too_few_units_and_one_score_only_are_undefined() -> None:
    assert calibration(np.full(9, 0.5), np.ones(9)).gap.note == FEW_UNITS
    found = calibration(np.full(20, 0.5), np.repeat([0.0, 1.0], 10))
    assert (found.slope.value, found.slope.note) == (None, SCORE_CONSTANT)
    assert (found.gap.value, found.bias.value) == (0.0, 0.0)


def test_a_scale_is_stretched_and_kept_to() -> None:
    assert on_scale(np.array([1.0, 5.5, 10.0, NONE]), 1, 10)[:3].tolist() == [0.0, 0.5, 1.0]
    with pytest.raises(ValueError, match="from 1 to 5"):
        on_scale(np.array([6.0]), 1, 5)
    with pytest.raises(ValueError, match="from 0 to 1"):
        calibration(np.array([7.0]), np.array([1.0]))


@given(tables)
def test_bins_hold_every_unit_once_and_turning_both_round_changes_the_signs(table: np.ndarray) -> None:
    scores, rates = table.T
    there, back = calibration(scores, rates, count=20), calibration(1 - scores, 1 - rates, count=20)
    units = sorted(place for each in there.bins for place in each.units)
    assert units == np.flatnonzero(~np.isnan(table).any(axis=1)).tolist()
    assert there.skipped == len(table) - len(units)
    if there.bias.value is None:
        assert back.bias.value is None
    else:
        assert back.bias.value == pytest.approx(-there.bias.value, abs=1e-9)
        assert abs(there.bias.value) - 1e-9 <= there.gap.value <= 1
