from hypothesis import given
from hypothesis import strategies as st

from lib.stats.folding import FEWEST, Folded, folded


def groups(**counts: int) -> dict[str, set[int]]:
    """So many people each, all different."""
    found, first = {}, 0
    for value, n in counts.items():
        found[value] = set(range(first, first + n))
        first += n
    return found


def test_small_groups_are_folded_together() -> None:
    assert folded(groups(a=9, b=6, c=3, d=2)) == Folded((("a", 9), ("b", 6)), others=5, values=2)


def test_a_fold_of_fewer_than_five_takes_the_next_smallest_in() -> None:
    # c alone would be given away by the sum: 15 − 9 − 6
    assert folded(groups(a=9, b=6, c=1)) == Folded((("a", 9),), others=7, values=2)


def test_where_all_are_fewer_than_five_nothing_is_shown() -> None:
    assert folded(groups(a=2, b=2)) == Folded(hidden=True)
    assert folded({}) == Folded()


def test_large_groups_stay() -> None:
    assert folded(groups(b=5, a=5)) == Folded((("a", 5), ("b", 5)))


def test_somebody_who_gave_several_counts_once_in_the_fold() -> None:
    people = {"a": set(range(10)), "b": {1, 2, 3}, "c": {2, 3, 4}, "d": {5}}
    assert folded(people).others == 5  # 1, 2, 3, 4, 5


@given(st.dictionaries(st.text(max_size=3), st.sets(st.integers(0, 30)), max_size=8))
def test_no_number_ever_stands_for_fewer_than_five_people(people: dict[str, set[int]]) -> None:
    found = folded(people)
    assert all(n >= FEWEST for _value, n in found.shown)
    assert found.others == 0 or found.others >= FEWEST
    everybody = set().union(*people.values())
    # Of single answers the rest of the sum is what is folded, and never a smaller group.
    if sum(map(len, people.values())) == len(everybody) and found.shown:
        assert len(everybody) - sum(n for _value, n in found.shown) == found.others
