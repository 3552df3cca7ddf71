from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lib.stats.figures import (
    AGAINST_OTHERS,
    EMPTY_LABELS,
    FEW_VOTES,
    NO_UNITS,
    NO_VOTES,
    NOBODY_MEETS,
    ONE_LABEL,
    TOO_FEW_RATERS,
)
from lib.stats.rater_errors import rater_errors

NONE = np.nan
tables = arrays(float, st.tuples(st.integers(3, 25), st.just(4)), elements=st.sampled_from([0.0, 1.0, 2.0, NONE]))
# (true, given) shares of four raters: two careful ones, one who takes 1 for 0, one who guesses.
TRUE_ERRORS = np.array(
    [
        [[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]],
        [[0.85, 0.1, 0.05], [0.1, 0.85, 0.05], [0.05, 0.1, 0.85]],
        [[0.9, 0.05, 0.05], [0.6, 0.35, 0.05], [0.05, 0.05, 0.9]],
        [[0.34, 0.33, 0.33]] * 3,
    ]
)


def rated(units: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """(units, raters) labels, one in ten missing, and the truth."""
    chance = np.random.default_rng(seed)
    truth = chance.choice(3, units, p=[0.5, 0.3, 0.2])
    labels = np.array([[chance.choice(3, p=errors[true]) for errors in TRUE_ERRORS] for true in truth], dtype=float)
    labels[chance.random(labels.shape) < 0.1] = NONE
    return labels, truth


def plain_em(values: np.ndarray, categories: int, steps: int) -> tuple[np.ndarray, np.ndarray, float]:
    """The algorithm as its authors wrote it, one number after another: errors (rater, true, given), posterior."""
    units, raters = values.shape
    chances = np.array([[np.mean(row[~np.isnan(row)] == label) for label in range(categories)] for row in values])
    likelihood = 0.0
    for _ in range(steps):
        errors = np.zeros((raters, categories, categories))
        for rater in range(raters):
            for true in range(categories):
                for given_label in range(categories):
                    errors[rater, true, given_label] = chances[values[:, rater] == given_label, true].sum()
                errors[rater, true] /= errors[rater, true].sum()
        shares, likelihood = chances.mean(axis=0), 0.0
        for unit in range(units):
            joint = shares.copy()
            for rater in range(raters):
                if not np.isnan(values[unit, rater]):
                    joint = joint * errors[rater, :, int(values[unit, rater])]
            likelihood += log(joint.sum())
            chances[unit] = joint / joint.sum()
    return errors, chances, likelihood


def test_the_plain_algorithm_gives_the_same() -> None:
    values, _truth = rated(150)
    values = values[(~np.isnan(values)).any(axis=1)]
    found = rater_errors(values, 3, count=2)
    errors, chances, likelihood = plain_em(values, 3, found.steps)
    assert np.allclose(
        [[[cell.value for cell in row] for row in each.errors] for each in found.raters], errors, atol=1e-6
    )
    assert np.allclose(found.posterior, chances, atol=1e-5)
    assert found.log_likelihood == pytest.approx(likelihood, abs=1e-5)


def test_who_errs_how_is_found_again() -> None:
    values, truth = rated(3000)
    found = rater_errors(values, 3, count=50)
    errors = np.array([[[cell.value for cell in row] for row in each.errors] for each in found.raters])
    assert found.converged
    assert np.abs(errors - TRUE_ERRORS).max() < 0.05
    assert (found.labels == truth).mean() > 0.9
    assert [share.value for share in found.shares] == pytest.approx([0.5, 0.3, 0.2], abs=0.03)
    # .5 · .9 + .3 · .9 + .2 · .9 = .9, and of the guesser a third
    assert found.raters[0].accuracy.value == pytest.approx(0.9, abs=0.03)
    assert found.raters[3].accuracy.low < 1 / 3 < found.raters[3].accuracy.high


def test_raters_who_agree_but_for_one_unit_by_hand() -> None:
    # Twenty units, ten of each label, three raters; the third says 0 on one unit of label 1. The two others settle it:
    # the third is right on 10 of 10 zeros and 9 of 10 ones.
    values = np.repeat([0.0, 1.0], 10)[:, None].repeat(3, axis=1)
    values[19, 2] = 0
    found = rater_errors(values, 2, count=50)
    assert found.labels.tolist() == [0] * 10 + [1] * 10
    assert [each.accuracy.value for each in found.raters] == pytest.approx([1.0, 1.0, 19 / 20])
    assert [[cell.value for cell in row] for row in found.raters[2].errors] == [
        [pytest.approx(1.0), pytest.approx(0.0, abs=1e-9)],
        [pytest.approx(0.1), pytest.approx(0.9)],
    ]
    assert [row[0].n for row in found.raters[2].errors] == [10, 10]


@pytest.mark.parametrize(
    ("values", "note"),
    [
        (np.full((3, 3), NONE), NO_UNITS),
        (np.zeros((5, 3)), ONE_LABEL),
        (np.array([[0.0, 1.0], [1.0, 1.0]]), TOO_FEW_RATERS),
        (np.array([[0.0, 1.0, NONE], [1.0, 1.0, NONE], [NONE, NONE, 1.0]]), TOO_FEW_RATERS),
    ],
)
def test_what_says_nothing_about_errors_says_why(values: np.ndarray, note: str) -> None:
    found = rater_errors(values, 2)
    assert (found.note, found.shares, found.converged) == (note, [], False)
    assert {each.accuracy.note for each in found.raters} == {note}
    assert np.isnan(found.posterior).all()


def test_a_rater_who_meets_nobody_is_not_judged() -> None:
    values, _truth = rated(60)
    alone = np.full((61, 5), NONE)
    alone[:60, :4], alone[60, 4] = values, 1
    found = rater_errors(alone, 3, count=2)
    assert found.raters[4].accuracy.note == NOBODY_MEETS
    assert found.raters[0].accuracy.value is not None


def test_a_unit_without_ratings_has_no_label_and_a_label_that_nobody_gives_no_errors() -> None:
    values, _truth = rated(80)
    values[5] = NONE
    found = rater_errors(values, 4, count=2)
    assert (found.labels[5], np.isnan(found.posterior[5]).all()) == (-1, True)
    assert {cell.note for cell in found.raters[0].errors[3]} == {NO_VOTES}


def test_a_label_that_most_raters_call_something_else_is_doubted() -> None:
    # Three of four say 0 to seven in ten units of label 1.
    chance = np.random.default_rng(3)
    errors = [[[0.95, 0.05], [0.7, 0.3]]] * 3 + [[[0.95, 0.05], [0.1, 0.9]]]
    truth = chance.choice(2, 400, p=[0.6, 0.4])
    values = np.array([[chance.choice(2, p=each[true]) for each in errors] for true in truth], dtype=float)
    assert rater_errors(values, 2, count=2).note == AGAINST_OTHERS
    assert rater_errors(rated(400)[0], 3, count=2).note == ""


def test_labels_must_be_places() -> None:
    with pytest.raises(ValueError, match="0 to 1"):
        rater_errors(np.array([[0.0, 1.0, 2.0]]), 2)


@settings(deadline=None)
@given(tables)
def test_chances_are_chances_and_the_order_of_units_does_not_matter(values: np.ndarray) -> None:
    there, back = rater_errors(values, 3, count=2), rater_errors(values[::-1], 3, count=2)
    assert np.allclose(there.posterior, back.posterior[::-1], equal_nan=True, atol=1e-6)
    known = there.posterior[~np.isnan(there.posterior).any(axis=1)]
    assert known.sum(axis=1) == pytest.approx(np.ones(len(known)))
    for each in there.raters:
        assert each.accuracy.value is None or 0 <= each.accuracy.value <= 1 + 1e-9


@settings(deadline=None)
@given(st.integers(0, 1000), st.permutations([0, 1, 2]))
def test_names_of_labels_do_not_matter(seed: int, names: list[int]) -> None:
    values, _truth = rated(60, seed)
    renamed = np.where(np.isnan(values), NONE, np.array(names, dtype=float)[np.nan_to_num(values).astype(int)])
    there, back = rater_errors(values, 3, count=2), rater_errors(renamed, 3, count=2)
    assert there.log_likelihood == pytest.approx(back.log_likelihood, abs=1e-4)
    assert [each.accuracy.value for each in there.raters] == pytest.approx(
        [each.accuracy.value for each in back.raters], abs=1e-4
    )


def pairs_hardly_ever_equal(equal: int) -> np.ndarray:
    """Sixty pairs, three raters who are right nine times in ten, and `equal` votes that say "equal" (label 2)."""
    chance = np.random.default_rng(7)
    truth = chance.choice(2, 60)
    values = np.where(chance.random((60, 3)) < 0.9, truth[:, None], 1 - truth[:, None]).astype(float)
    values[np.arange(equal) * 7, 0] = 2
    return values


@pytest.mark.parametrize(("equal", "why"), [(0, NO_VOTES), (1, FEW_VOTES), (4, FEW_VOTES)])
def test_a_label_that_almost_nobody_gives_is_marked_and_accuses_nobody(equal: int, why: str) -> None:
    found = rater_errors(pairs_hardly_ever_equal(equal), 3, count=2)
    assert found.note == EMPTY_LABELS
    assert {(cell.value, cell.note) for each in found.raters for cell in each.errors[2]} == {(None, why)}
    assert all(cell.value is not None for each in found.raters for row in each.errors[:2] for cell in row)
    assert min(each.accuracy.value or 0 for each in found.raters) > 0.75
