from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.stats.averages import OVERALL, AverageCell, ScoreTable, averages, cell_means, columns
from lib.stats.figures import ALL_LABELLED, FEW_DIFFERENCES, NO_SPREAD, NO_UNITS, THIN_TASK, TOO_FEW_LABELS, mean_figure
from lib.stats.prediction_powered import CorrectedMean, corrected_leaderboard

NONE = np.nan
CELLS = [AverageCell("ec", "Coding"), AverageCell("ec", "Reasoning"), AverageCell("rm", "Coding")]
# Ten labelled items, six of them 1, of which the judge misses two; ten others, of which it calls five 1.
LABELS = np.array([1.0] * 6 + [0.0] * 4 + [NONE] * 10)
JUDGED = np.array([1.0] * 4 + [0.0] * 6 + [1.0] * 5 + [0.0] * 5)


def powered_mean(labels: np.ndarray, judged: np.ndarray, **options: bool) -> CorrectedMean:
    """The mean of one author whose items are all of one task."""
    cell = np.zeros(labels.size, dtype=int)
    return corrected_leaderboard(["a"], labels[None], judged[None], cell, CELLS[:1], **options)[0].columns[OVERALL]


def studied(items: int, labelled: int, seed: int, judge_bias: float = 0.15) -> tuple[np.ndarray, np.ndarray]:
    """Labels (means of three people) of the first items, and a judge that is too kind of all."""
    chance = np.random.default_rng(seed)
    rate = chance.beta(2, 2, items)
    labels = chance.binomial(3, rate) / 3
    judged = (chance.random(items) < np.clip(rate + judge_bias, 0, 1)).astype(float)
    labels[labelled:] = NONE
    return labels, judged


def test_the_plain_correction_by_hand() -> None:
    # Judge on the others: .5. Label less verdict: two of ten are 1, mean .2. Together .7.
    # Variances: of the difference 10 · .2 · .8 / 9 = .17778; of all 20 verdicts, nine of them 1, 20 · .45 · .55 / 19 =
    # .26053. .017778 + .026053 = .043830, its root .20936; freedom .043830² / (.017778² / 9 + .026053² / 19) = 27.12,
    # where Student's 97.5 % point is 2.0513: ± .42946.
    found = powered_mean(LABELS, JUDGED, tuned=False).corrected
    assert (found.value, found.n) == (pytest.approx(0.7), 10)
    assert (found.low, found.high) == pytest.approx((0.7 - 0.42946, 0.7 + 0.42946), abs=2e-4)


def test_the_tuned_weight_by_hand() -> None:
    # Covariance over the labelled: (4 - 10 · .6 · .4) / 9 = .17778; λ = .017778 / (.26053 · (1/10 + 1/10)) = .34119
    # mean: λ · .5 + .6 - λ · .4 = .6 + .1 λ
    found = powered_mean(LABELS, JUDGED, guarded=False)
    assert found.weight == pytest.approx(0.34119, abs=1e-5)
    assert found.corrected.value == pytest.approx(0.634119, abs=1e-6)


def test_the_guard_by_hand() -> None:
    # Half an item adds .5 · 1² / 4 = .125 to the squares of labels and of verdicts, and takes it from their product:
    # (1.6 - .125) / 9 = .163889; λ = .0163889 / .0521053 = .314534.
    # Squares: labels 2.4, verdicts 2.4, products 1.6: 2.4 - 2 λ 1.6 + λ² 2.4 = 1.630924; + .125 (1 + λ)² = 1.846924;
    # / 9 · 9/8 (λ was fitted) / 10 = .02308656. Carried over: λ² · .260526 / 10 = .00257741. Together .02566397.
    # Freedom .02566397² / (.02308656² / 9 + .00257741² / 19) = 11.05: 2.1998 · √.02566397 = .35241
    found = powered_mean(LABELS, JUDGED)
    assert found.weight == pytest.approx(0.314534, abs=1e-5)
    assert found.corrected.value == pytest.approx(0.6314534, abs=1e-6)
    assert found.corrected.high - found.corrected.value == pytest.approx(0.35241, abs=2e-4)


def test_beside_it_stand_labels_and_judge_alone() -> None:
    found = powered_mean(LABELS, JUDGED)
    assert found.labelled_only == mean_figure(LABELS[:10])
    assert found.judged_only == mean_figure(JUDGED)


def test_a_judge_that_never_varies_is_not_used() -> None:
    found = powered_mean(LABELS, np.ones(20))
    assert (found.weight, found.worth) == (0.0, pytest.approx(1.0))
    assert (found.corrected.low, found.corrected.high) == (found.labelled_only.low, found.labelled_only.high)


def test_a_judge_that_says_the_opposite_is_not_used() -> None:
    assert powered_mean(LABELS, 1 - JUDGED).weight == 0.0


def test_a_good_judge_is_worth_labels() -> None:
    chance = np.random.default_rng(3)
    truth = chance.random(1000)
    labels = np.where(np.arange(1000) < 100, truth + chance.normal(0, 0.05, 1000), NONE)
    found = powered_mean(labels, truth)
    assert found.weight > 0.7  # 1 / (1 + 100 / 900) = .9 would be a perfect judge's
    assert found.worth > 5
    assert found.corrected.low < truth.mean() < found.corrected.high


def test_too_few_labels_correct_nothing() -> None:
    found = powered_mean(LABELS[1:], JUDGED[1:])
    assert (found.corrected.value, found.corrected.n, found.corrected.note) == (None, 9, TOO_FEW_LABELS)
    assert found.judged_only.value is not None


def test_labelled_items_without_a_verdict_are_left_out_and_counted() -> None:
    judged = JUDGED.copy()
    judged[0] = NONE
    row = corrected_leaderboard(["a"], LABELS[None], judged[None], np.zeros(20, dtype=int), CELLS[:1])[0]
    assert (row.skipped, row.columns[OVERALL].corrected.n) == (1, 9)


def test_where_people_and_judge_hardly_differ_the_interval_is_doubted() -> None:
    assert powered_mean(LABELS, JUDGED).corrected.note == FEW_DIFFERENCES
    alike = powered_mean(np.array([1.0] * 12 + [NONE] * 8), np.ones(20)).corrected
    assert (alike.value, alike.low, alike.note) == (1.0, None, NO_SPREAD)


def test_where_everything_is_labelled_the_averages_are_the_published_ones() -> None:
    chance = np.random.default_rng(8)
    labels, judged = chance.random((2, 60)), chance.random((2, 60))
    cell = np.arange(60) % 3
    rows = corrected_leaderboard(["a", "b"], labels, judged, cell, CELLS)
    expected = averages(cell_means(ScoreTable(["a", "b"], labels, cell, CELLS)), CELLS)
    for row, values in zip(rows, expected, strict=True):
        assert [row.columns[name].corrected.value for name in columns(CELLS)] == pytest.approx(values.tolist())
        assert row.columns["ec"].corrected.note == ALL_LABELLED


def test_tasks_count_alike_whatever_their_size() -> None:
    # Two tasks of 12 and 36 items, ten labelled each: the overall mean is the mean of the two corrected means.
    small, large = studied(12, 10, 1), studied(36, 10, 2)
    labels, judged = (np.concatenate(both)[None] for both in zip(small, large, strict=True))
    cell = np.repeat([0, 1], [12, 36])
    row = corrected_leaderboard(["a"], labels, judged, cell, CELLS[:2], tuned=False)[0]
    alone = [powered_mean(*each, tuned=False).corrected.value for each in (small, large)]
    assert row.columns[OVERALL].corrected.value == pytest.approx(np.mean(alone))


def test_a_task_without_labels_leaves_its_averages_undefined_and_no_others() -> None:
    labels, judged = studied(90, 90, 4)
    cell = np.arange(90) % 3
    labels[(cell == 2) & (np.arange(90) > 3)] = NONE
    found = corrected_leaderboard(["a"], labels[None], judged[None], cell, CELLS)[0].columns
    assert found["rm"].corrected.note == TOO_FEW_LABELS
    assert found[OVERALL].corrected.note == THIN_TASK
    assert found["ec"].corrected.value is not None


def test_an_author_without_anything_has_no_averages() -> None:
    nothing = np.full((1, 6), NONE)
    found = corrected_leaderboard(["a"], nothing, nothing, np.arange(6) % 3, CELLS)[0].columns[OVERALL]
    assert (found.corrected.note, found.judged_only.note) == (TOO_FEW_LABELS, NO_UNITS)


@given(st.integers(0, 10_000), st.integers(10, 40), st.floats(-3, 3))
def test_how_kind_the_judge_is_does_not_matter(seed: int, labelled: int, kindness: float) -> None:
    labels, judged = studied(60, labelled, seed)
    there, shifted = powered_mean(labels, judged), powered_mean(labels, judged + kindness)
    assert shifted.corrected.value == pytest.approx(there.corrected.value)
    assert shifted.corrected.high == pytest.approx(there.corrected.high)


@given(st.integers(0, 10_000), st.integers(10, 40))
def test_tuning_never_widens_by_much_and_mirrors(seed: int, labelled: int) -> None:
    labels, judged = studied(60, labelled, seed)
    tuned, mirrored = powered_mean(labels, judged), powered_mean(1 - labels, 1 - judged)
    assert 0 <= tuned.weight <= 1
    assert mirrored.corrected.value == pytest.approx(1 - tuned.corrected.value)
    assert mirrored.corrected.low == pytest.approx(1 - tuned.corrected.high)


def coverage(study: Callable[[np.random.Generator], tuple[CorrectedMean, float]], studies: int = 2000) -> float:
    chance = np.random.default_rng(20250911)
    found = [study(chance) for _ in range(studies)]
    said = [(each.corrected, truth) for each, truth in found if each.corrected.low is not None]
    assert len(said) >= 0.995 * studies  # labels that are all alike give no interval, and say so
    return float(np.mean([each.low <= truth <= each.high for each, truth in said]))


@pytest.mark.slow
@pytest.mark.parametrize("labelled", [20, 30, 60, 120])
@pytest.mark.parametrize("tuned", [True, False])
def test_the_interval_of_a_mean_covers_the_truth_as_often_as_it_says(labelled: int, tuned: bool) -> None:
    def study(chance: np.random.Generator) -> tuple[CorrectedMean, float]:
        rate = chance.beta(2, 2, 200)
        labels = chance.binomial(3, rate) / 3
        labels[labelled:] = NONE
        return powered_mean(labels, (chance.random(200) < np.minimum(rate + 0.15, 1)).astype(float), tuned=tuned), 0.5

    assert 0.935 <= coverage(study) <= 0.965


@pytest.mark.slow
@pytest.mark.parametrize(("hits", "alarms"), [(0.97, 0.1), (0.9, 0.3)])
@pytest.mark.parametrize(("items", "labelled"), [(200, 20), (200, 60), (1000, 60)])
def test_few_labels_and_a_good_judge_are_covered_too(hits: float, alarms: float, items: int, labelled: int) -> None:
    def study(chance: np.random.Generator) -> tuple[CorrectedMean, float]:
        met = chance.random(items) < 0.7
        labels = np.where(np.arange(items) < labelled, met.astype(float), NONE)
        judged = chance.random(items) < np.where(met, hits, alarms)
        return powered_mean(labels, judged.astype(float)), 0.7

    assert 0.935 <= coverage(study) <= 0.965


@pytest.mark.slow
@pytest.mark.parametrize(("labelled", "most"), [(3, 0.975), (12, 0.965)])  # three a task: rather too wide
def test_the_interval_of_a_leaderboard_covers_the_truth_as_often_as_it_says(labelled: int, most: float) -> None:
    cells = [AverageCell(scenario, str(task)) for scenario in ("ec", "rm") for task in range(8)]
    cell = np.repeat(np.arange(16), 37)
    solved = np.linspace(0.2, 0.9, 16)[cell]
    first = np.arange(592) % 37 < labelled

    def study(chance: np.random.Generator) -> tuple[CorrectedMean, float]:
        met = chance.random(592) < solved
        labels = np.where(first, met.astype(float), NONE)
        judged = np.where(met, chance.random(592) < 0.95, chance.random(592) < 0.2).astype(float)
        row = corrected_leaderboard(["a"], labels[None], judged[None], cell, cells)[0]
        return row.columns[OVERALL], 0.55

    assert 0.935 <= coverage(study) <= most
