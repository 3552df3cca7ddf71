from hypothesis import given
from hypothesis import strategies as st

from judging.studies.designs import allocate, stratified

SIZES = st.dictionaries(st.text(max_size=3), st.integers(0, 400), max_size=12)


def test_shares_go_by_the_largest_remainder() -> None:
    # 10 of 17: 10*7/17 = 4.12, 10*6/17 = 3.53, 10*4/17 = 2.35; the one place that is left goes to 3.53.
    assert allocate({"a": 7, "b": 6, "c": 4}, 10) == {"a": 4, "b": 4, "c": 2}


def test_equal_remainders_go_to_the_larger_stratum_then_to_the_earlier_name() -> None:
    # 1 of 4: a quarter and three quarters; 1 of 2: a half each.
    assert allocate({"small": 1, "large": 3}, 1) == {"small": 0, "large": 1}
    assert allocate({"b": 1, "a": 1}, 1) == {"b": 0, "a": 1}


def test_more_than_there_are_takes_all() -> None:
    assert allocate({"a": 2, "b": 1}, 9) == {"a": 2, "b": 1}
    assert allocate({}, 9) == {}


@given(SIZES, st.integers(0, 2000))
def test_shares_add_up_exactly_and_are_within_one_of_their_due(sizes: dict[str, int], wanted: int) -> None:
    given, total = allocate(sizes, wanted), sum(sizes.values())
    taken = min(wanted, total)
    assert sum(given.values()) == taken
    for name, size in sizes.items():
        assert 0 <= given[name] <= size
        assert abs(given[name] * total - taken * size) < max(total, 1)


def test_a_seed_draws_the_same_and_another_seed_something_else() -> None:
    units = [(number, "even" if number % 2 == 0 else "odd") for number in range(200)]
    once = stratified(units, 60, seed=11)
    assert once == stratified(units, 60, seed=11)
    assert once != stratified(units, 60, seed=12)
    assert sum(number % 2 for number in once) == 30
    assert once == sorted(once)
