"""Numbers that are derived on paper, or printed in the papers that the coefficients come from."""

import pytest

from lib.stats.agreement import Level, coefficients
from tests.lib.stats.agreement.tables import KRIPPENDORFF, SHROUT, Value, by_raters, by_units

# Ten units: both yes 4, both no 3, yes–no 2, no–yes 1.
YES_NO: list[list[Value]] = [
    *[["yes", "yes"]] * 4,
    *[["no", "no"]] * 3,
    *[["yes", "no"]] * 2,
    ["no", "yes"],
]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("percent", 0.7),
        # By chance 0.6 × 0.5 + 0.4 × 0.5 = 0.5
        ("cohen_kappa", (0.7 - 0.5) / 0.5),
        # yes is 11 of 20 ratings: 0.55² + 0.45² = 0.505
        ("fleiss_kappa", (0.7 - 0.505) / 0.495),
        # 3 units disagree, 6 ordered pairs; 11 × 9 × 2 = 198 expected among 20 ratings
        ("krippendorff_alpha", 1 - 19 * 6 / 198),
        # 2 × 0.55 × 0.45 / (2 − 1) = 0.495
        ("gwet_ac", (0.7 - 0.495) / 0.505),
        ("brennan_prediger", (0.7 - 0.5) / 0.5),
    ],
)
def test_yes_and_no(name: str, value: float) -> None:
    assert coefficients(by_units(YES_NO), resamples=0)[name].value == pytest.approx(value)


def test_numbers_of_two_raters() -> None:
    found = coefficients(by_units([[1, 1], [2, 2], [3, 2]], "ordinal"), resamples=0)
    # Mean square of the differences 1/3; expected 14/3 + 9/3 − 2 × 2 × 5/3 = 1
    assert found["weighted_kappa"].value == pytest.approx(2 / 3)
    assert found["mae"].value == pytest.approx(1 / 3)
    # Deviations −1 0 1 and −2/3 1/3 1/3: 1 / √(2 × 2/3)
    assert found["pearson"].value == pytest.approx(0.75**0.5)
    # Two of three pairs agree, one is tied on the right: 2 / √(3 × 2)
    assert found["kendall"].value == pytest.approx(2 / 6**0.5)


def test_quadratic_weights_of_ac2() -> None:
    found = coefficients(by_units([[1, 1], [1, 3], [2, 2], [3, 3]], "ordinal"), resamples=0)
    # Weights 1, 3/4, 0 for distances 0, 1, 2: observed 3/4; their sum over all pairs of categories 3 + 4 × 3/4 = 6.
    # Use 3/8, 2/8, 3/8: Σ π(1 − π) = 42/64; chance 6 / (3 × 2) × 42/64
    assert found["gwet_ac"].value == pytest.approx((3 / 4 - 42 / 64) / (1 - 42 / 64))


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_alpha_as_krippendorff_prints_it(level: Level, value: float) -> None:
    found = coefficients(by_raters(KRIPPENDORFF, level), resamples=0)["krippendorff_alpha"]
    assert found.value == pytest.approx(value, abs=5e-4)
    assert found.units == 11  # the twelfth has one rating


@pytest.mark.parametrize(
    ("name", "value"),
    [("percent", 0.81818), ("fleiss_kappa", 0.76117), ("gwet_ac", 0.77544), ("brennan_prediger", 0.77273)],
)
def test_gaps_as_gwet_counts_them(name: str, value: float) -> None:
    """The same ratings, as the package of Gwet's book documents them."""
    assert coefficients(by_raters(KRIPPENDORFF), resamples=0)[name].value == pytest.approx(value, abs=5e-6)


@pytest.mark.parametrize(("name", "value"), [("icc", 0.29), ("icc_k", 0.62)])
def test_intraclass_as_shrout_and_fleiss_print_it(name: str, value: float) -> None:
    assert coefficients(by_units(SHROUT, "interval"), resamples=0)[name].value == pytest.approx(value, abs=5e-3)
