import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as oracle
from statsmodels.stats.multitest import multipletests

from lib.stats.paired import compared_in_clusters, holm, mcnemar

PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60)


def test_only_pairs_on_which_the_two_differ_count() -> None:
    # Six discordant pairs, five of them for the first: 2 * (C(6,5) + C(6,6)) / 2^6 = 14/64.
    first = [True] * 5 + [False] + [True] * 30
    second = [False] * 5 + [True] + [True] * 30
    found = mcnemar(first, second)
    assert (found.only_first, found.only_second, found.n) == (5, 1, 36)
    assert found.p == pytest.approx(14 / 64)


def test_without_a_difference_there_is_nothing_to_tell() -> None:
    assert mcnemar([], []).p == 1.0
    assert mcnemar([True, False], [True, False]).p == 1.0


def test_other_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="same pairs"):
        mcnemar([True], [])


@given(PAIRS)
def test_the_two_can_be_turned_round(pairs: list[tuple[bool, bool]]) -> None:
    first, second = [one for one, _other in pairs], [other for _one, other in pairs]
    there, back = mcnemar(first, second), mcnemar(second, first)
    assert (there.only_first, there.only_second) == (back.only_second, back.only_first)
    assert there.p == pytest.approx(back.p)


@given(PAIRS)
def test_the_exact_test_is_the_librarys(pairs: list[tuple[bool, bool]]) -> None:
    found = mcnemar([a for a, _b in pairs], [b for _a, b in pairs])
    table = [[sum(pair == (a, b) for pair in pairs) for b in (True, False)] for a in (True, False)]
    if found.only_first + found.only_second:
        assert found.p == pytest.approx(oracle(table, exact=True).pvalue)


def test_holm_by_hand() -> None:
    # Sorted .01 .02 .04: times 3, 2, 1 = .03 .04 .04.
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    # .01 * 3 = .03; .5 * 2 = 1; .9 * 1 = .9, but never less than the one before.
    assert holm([0.9, 0.01, 0.5]) == pytest.approx([1.0, 0.03, 1.0])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_is_the_librarys(values: list[float]) -> None:
    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1].tolist())


def test_units_that_stand_alone_get_the_exact_test() -> None:
    first, second = [True] * 6 + [False], [False] * 7
    assert compared_in_clusters(first, second, range(7)) == mcnemar(first, second)


def test_clusters_make_the_same_units_say_less() -> None:
    """Forty units of four prompts: two prompts speak for each judge, so nothing tells the two apart; McNemar's test
    would see thirty against ten."""
    first = [True] * 30 + [False] * 10
    second = [not each for each in first]
    clusters = [0] * 15 + [1] * 15 + [2] * 5 + [3] * 5
    found = compared_in_clusters(first, second, clusters)
    assert (found.only_first, found.only_second, found.test, found.clusters) == (30, 10, "bootstrap", 4)
    # Net sums 15, 15, -5, -5: the difference is 0 or below where at most one of four draws is a 15: 5/16; doubled .625.
    assert found.p == pytest.approx(0.625, abs=0.02)
    assert mcnemar(first, second).p < 0.01


def test_a_single_cluster_and_no_difference_say_nothing() -> None:
    assert compared_in_clusters([True] * 9, [False] * 9, ["one"] * 9).p == 1.0
    assert compared_in_clusters([True] * 4, [True] * 4, [0, 0, 1, 1]).p == 1.0
    with pytest.raises(ValueError, match="a cluster of each pair"):
        compared_in_clusters([True], [True], [])
