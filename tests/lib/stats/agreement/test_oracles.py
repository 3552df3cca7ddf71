"""Well-kept libraries say the same, on whatever tables hypothesis thinks of."""

import warnings
from itertools import combinations

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score, mean_absolute_error
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from lib.stats.agreement import LEVELS, Level, coefficients
from tests.lib.stats.agreement.tables import Value, by_units, columns, same, tables

Rows = list[list[Value]]


@pytest.mark.parametrize("level", LEVELS)
@given(rows=tables(4, gaps=True))
def test_alpha(level: Level, rows: Rows) -> None:
    table = by_units(rows, level)
    paired = table.values[(~np.isnan(table.values)).sum(axis=1) > 1]
    assume(len({value for value in paired.ravel() if not np.isnan(value)}) > 1)
    expected = krippendorff.alpha(columns(table), level_of_measurement=level)
    assert coefficients(table, resamples=0)["krippendorff_alpha"].value == pytest.approx(expected)


@given(rows=tables(2, gaps=True))
def test_kappas(rows: Rows) -> None:
    table = by_units(rows, "ordinal")
    both = [row for row in rows if None not in row]
    assume(both and len(table.raters) == 2)
    left, right = zip(*both, strict=True)
    found, labels = coefficients(table, resamples=0), list(table.categories)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what has no value
        plain = cohen_kappa_score(left, right, labels=labels)
        weighted = cohen_kappa_score(left, right, labels=labels, weights="quadratic")
    if len({*left, *right}) == 1:
        assert (found["cohen_kappa"].value, found["weighted_kappa"].value) == (None, None)
    else:
        assert same(found["cohen_kappa"].value, plain)
        assert same(found["weighted_kappa"].value, weighted)
    assert same(found["mae"].value, mean_absolute_error(left, right))


@given(rows=tables(3))
def test_fleiss(rows: Rows) -> None:
    assume(len({value for row in rows for value in row}) > 1)
    expected = fleiss_kappa(aggregate_raters(np.array(rows))[0])
    assert same(coefficients(by_units(rows), resamples=0)["fleiss_kappa"].value, expected)


@given(rows=tables(2))
def test_correlations(rows: Rows) -> None:
    left, right = zip(*rows, strict=True)
    assume(len(set(left)) > 1 and len(set(right)) > 1)
    found = coefficients(by_units(rows, "interval"), resamples=0)
    assert found["pearson"].value == pytest.approx(stats.pearsonr(left, right).statistic)
    assert found["spearman"].value == pytest.approx(stats.spearmanr(left, right).statistic)
    assert found["kendall"].value == pytest.approx(stats.kendalltau(left, right).statistic)


@given(rows=tables(3, gaps=True))
def test_each_pair_is_what_the_two_alone_would_have(rows: Rows) -> None:
    table = by_units(rows, "interval")
    assume(len(table.raters) == 3)
    found = coefficients(table, resamples=0, names=["pearson", "mae", "cohen_kappa"])
    for name, one in found.items():
        if one.pairs:
            alone = [
                coefficients(by_units([[row[left], row[right]] for row in rows], "interval"), resamples=0)[name].value
                for left, right in combinations(range(3), 2)
            ]
            assert [pair.value for pair in one.pairs] == pytest.approx(alone, nan_ok=True)
            known = [value for value in alone if value is not None]
            assert one.mean_over_pairs == (pytest.approx(np.mean(known)) if known else None)


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), min_size=3, max_size=12))
def test_intraclass_of_a_table_of_variance(rows: list[list[float]]) -> None:
    """Mean squares as the definitions have them, cell by cell."""
    scores = np.array(rows)
    assume(np.ptp(scores) > 1e-3)
    n, k = scores.shape
    own, raters, all_in_all = scores.mean(axis=1), scores.mean(axis=0), scores.mean()
    between = k * ((own - all_in_all) ** 2).sum() / (n - 1)
    apart = n * ((raters - all_in_all) ** 2).sum() / (k - 1)
    rest = ((scores - own[:, None] - raters + all_in_all) ** 2).sum() / ((n - 1) * (k - 1))
    below = between + (k - 1) * rest + k * (apart - rest) / n
    assume(abs(below) > 1e-4 * np.ptp(scores) ** 2)
    found = coefficients(by_units(rows, "interval"), resamples=0, names=["icc"])
    assert found["icc"].value == pytest.approx((between - rest) / below, abs=1e-6)
