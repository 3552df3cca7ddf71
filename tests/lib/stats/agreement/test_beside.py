import pytest

from lib.stats.agreement import RatingTable, coefficients, ratings
from lib.stats.agreement.people_and_judges import beside
from lib.stats.agreement.table import LABELS, NAMES, NEVER_MEET, ONE_CATEGORY

PEOPLE = [("ana", "bo")]
WITH_JUDGE = [("ana", "judge"), ("bo", "judge")]


def table(*rows: str, level: str = "nominal") -> RatingTable:
    """A row a rater, a character a unit; a dot is no rating."""
    given = [
        (f"u{place}", name, value if level == "nominal" else float(value))
        for name, row in zip(("ana", "bo", "judge"), rows, strict=False)
        for place, value in enumerate(row)
        if value != "."
    ]
    return ratings(given, level)  # type: ignore[arg-type]


def test_means_over_pairs_on_the_same_units() -> None:
    """ana and bo say the same on 3 of 4 units; the judge is with ana on 2 of 4 and with bo on 3 of 4: mean 5/8."""
    found = beside(table("aabb", "aaba", "abba"), "percent", PEOPLE, WITH_JUDGE, resamples=100)
    assert found.one.value == 0.75
    assert found.other.value == pytest.approx((0.5 + 0.75) / 2)
    assert found.difference.value == pytest.approx(-0.125)
    assert (found.one.pairs, found.other.pairs) == (1, 2)
    low, high = found.difference.low, found.difference.high
    assert low is not None
    assert high is not None
    assert low < -0.125 < high


@pytest.mark.parametrize("name", NAMES)
def test_one_pair_alone_is_its_own_coefficient(name: str) -> None:
    given = table("1223345511", "1233345421", level="interval")
    alone = coefficients(given, resamples=200, names=[name])[name]
    found = beside(given, name, PEOPLE, PEOPLE, resamples=200)
    assert found.one.value == pytest.approx(alone.value)
    assert (found.one.low, found.one.high) == (pytest.approx(alone.low), pytest.approx(alone.high))
    assert found.difference.value == 0


def test_a_judge_that_repeats_a_person_differs_from_people_by_nothing() -> None:
    found = beside(table("abab", "abba", "abba"), "cohen_kappa", PEOPLE, [("ana", "judge")], resamples=50)
    assert (found.difference.value, found.difference.low, found.difference.high) == (0, 0, 0)


def test_pairs_that_never_meet_are_passed_over_and_undefined_ones_are_counted() -> None:
    given = table("aab...", "...aab", "aaaaab")
    found = beside(given, "cohen_kappa", PEOPLE, WITH_JUDGE, resamples=0)
    assert (found.one.value, found.one.note) == (None, NEVER_MEET)
    assert found.other.pairs == 2
    assert found.difference.value is None
    alike = beside(table("aaa", "aaa", "aab"), "cohen_kappa", PEOPLE, WITH_JUDGE, resamples=0)
    assert (alike.one.value, alike.one.note, alike.one.undefined) == (None, ONE_CATEGORY, 1)


def test_labels_have_no_correlation() -> None:
    assert beside(table("ab", "ab", "ab"), "pearson", PEOPLE, WITH_JUDGE).one.note == LABELS


def test_nobody_to_compare_says_so() -> None:
    found = beside(table("ab"), "percent", PEOPLE, WITH_JUDGE)
    assert found.one.value is None
    assert found.one.note
    assert found.one == found.other == found.difference
