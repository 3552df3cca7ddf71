"""What has no value is None with the reason, and never 0."""

import pytest

from lib.stats.agreement import NAMES, coefficients, ratings
from lib.stats.agreement import table as agreement_table
from tests.lib.stats.agreement.tables import Value, by_raters, by_units

OF_LABELS = ["percent", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "gwet_ac", "brennan_prediger"]
VARYING = ["icc", "icc_k", "pearson", "spearman", "kendall"]


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ([], agreement_table.NO_RATINGS),
        ([("1", "a", None)], agreement_table.NO_RATINGS),
        ([("1", "a", 1), ("2", "a", 2), ("2", "b", None)], agreement_table.ONE_RATER),
        ([("1", "a", 1), ("2", "b", 2)], agreement_table.NEVER_MEET),
    ],
)
def test_nothing_to_compare(rows: list[tuple[str, str, Value]], note: str) -> None:
    found = coefficients(ratings(rows))
    assert list(found) == list(NAMES)
    assert {(one.value, one.low, one.high, one.note) for one in found.values()} == {(None, None, None, note)}


def test_one_category() -> None:
    found = coefficients(by_units([[3, 3]] * 4, "interval"))
    assert (found["percent"].value, found["mae"].value) == (1, 0)
    assert {found[name].note for name in NAMES if found[name].value is None} == {
        agreement_table.ONE_CATEGORY,
        agreement_table.CONSTANT,
    }
    assert [name for name in NAMES if found[name].note == agreement_table.CONSTANT] == VARYING
    assert [name for name in NAMES if found[name].value is not None] == ["percent", "mae"]


def test_one_category_among_those_that_are_compared() -> None:
    found = coefficients(by_units([["a", "a"], ["a", "a"], ["b", None]]))
    assert (found["krippendorff_alpha"].value, found["krippendorff_alpha"].note) == (None, agreement_table.ONE_CATEGORY)
    assert (found["cohen_kappa"].value, found["cohen_kappa"].note) == (None, agreement_table.ONE_CATEGORY)


def test_constant_on_one_side() -> None:
    found = coefficients(by_units([[1, 3], [2, 3], [4, 3]], "interval"))
    assert {found[name].note for name in ("pearson", "spearman", "kendall")} == {agreement_table.CONSTANT}
    assert found["cohen_kappa"].value == pytest.approx(0)


def test_labels_have_no_distance() -> None:
    found = coefficients(by_units([["good", "good"], ["bad", "good"], ["bad", "bad"]]))
    assert [name for name in NAMES if found[name].value is not None] == OF_LABELS
    assert {found[name].note for name in NAMES if name not in OF_LABELS} == {agreement_table.LABELS}


def test_two_of_three_raters_never_meet() -> None:
    all_of_them = coefficients(by_raters([[1, 2, 1, 2], [1, 2, None, None], [None, None, 1, 1]]), resamples=0)
    found = all_of_them["cohen_kappa"]
    assert (found.value, found.note) == (None, agreement_table.PAIRS)
    assert [(pair.units, pair.value, pair.note) for pair in found.pairs] == [
        (2, 1, ""),
        (2, 0, ""),
        (0, None, agreement_table.NEVER_MEET),
    ]
    assert found.mean_over_pairs == 0.5


def test_intraclass_takes_whole_units() -> None:
    found = coefficients(by_raters([[1, 2, 3], [1, 2, None], [None, 2, 3]], "interval"))["icc"]
    assert (found.value, found.note, found.units) == (None, agreement_table.FEW_COMPLETE, 1)


def test_too_many_values_at_ratio_level() -> None:
    table = by_units([[number, number + 0.5] for number in range(1001)], "ratio")
    assert coefficients(table, resamples=0)["krippendorff_alpha"].note == agreement_table.MANY_VALUES


def test_one_comparable_unit_has_a_value_and_no_interval() -> None:
    found = coefficients(by_units([["a", "b"], ["b", None]]))["percent"]
    assert (found.value, found.low, found.high, found.note) == (0, None, None, agreement_table.FEW_UNITS)


def test_a_name_that_there_is_not() -> None:
    with pytest.raises(KeyError, match="kappa"):
        coefficients(by_units([[1, 1]]), names=["kappa"])
