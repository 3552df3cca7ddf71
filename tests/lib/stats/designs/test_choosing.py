import random
from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as some

from lib.stats.designs import PairCandidate, at_random, balanced


def candidates(items: dict[str, int], authors: str) -> list[PairCandidate]:
    """items: stratum -> how many; each with every pair of these authors."""
    return [
        PairCandidate(f"{stratum}{number}", stratum, frozenset(pair))
        for stratum, size in items.items()
        for number in range(size)
        for pair in combinations(authors, 2)
    ]


def test_each_pair_and_each_group_is_asked_about_equally_often() -> None:
    """Three pairs, two groups, twelve votes: four of each pair, two of each pair in each group, six of each group."""
    there = candidates({"x": 8, "y": 4}, "abc")
    chosen = [there[place] for place in balanced(there, 12, random.Random(1))]
    assert Counter(one.shown for one in chosen) == {frozenset(pair): 4 for pair in combinations("abc", 2)}
    assert set(Counter((one.shown, one.stratum) for one in chosen).values()) == {2}
    assert Counter(one.stratum for one in chosen) == {"x": 6, "y": 6}


def test_no_item_is_used_twice_while_a_pair_has_a_fresh_one() -> None:
    there = candidates({"x": 12}, "abc")
    chosen = [there[place] for place in balanced(there, 12, random.Random(2))]
    assert max(Counter(one.item for one in chosen).values()) == 1


def test_where_a_group_runs_out_the_other_gives_more() -> None:
    there = candidates({"x": 1, "y": 9}, "ab")
    chosen = [there[place] for place in balanced(there, 6, random.Random(3))]
    assert Counter(one.stratum for one in chosen) == {"x": 1, "y": 5}


@given(some.integers(0, 60), some.integers(0, 2**20))
def test_pairs_never_differ_by_more_than_one_and_nothing_is_chosen_twice(wanted: int, seed: int) -> None:
    there = candidates({"x": 5, "y": 5}, "abcd")
    chosen = balanced(there, wanted, random.Random(seed))
    times = Counter(there[place].shown for place in chosen)
    assert len(set(chosen)) == len(chosen) == min(wanted, 60)
    assert max(times.values(), default=0) - min(times[frozenset(pair)] for pair in combinations("abcd", 2)) <= 1
    assert chosen == balanced(there, wanted, random.Random(seed))


def test_chance_draws_every_candidate_alike() -> None:
    """2 of 4, 4,000 times: each is expected 2,000 times with a standard deviation of √(4,000 / 4) ≈ 32."""
    there = candidates({"x": 4}, "ab")
    times = Counter(place for seed in range(4_000) for place in at_random(there, 2, random.Random(seed)))
    assert all(abs(times[place] - 2_000) < 4 * 32 for place in range(4))
    assert at_random(there, 9, random.Random(0)) == [0, 1, 2, 3]


def test_of_one_item_no_more_are_drawn_than_is_said_and_each_is_as_likely() -> None:
    there = [PairCandidate(item, "", frozenset(pair)) for item in "xy" for pair in ("ab", "bc", "ac")]
    times = Counter(place for seed in range(3_000) for place in at_random(there, 6, random.Random(seed), 1))
    assert sum(times.values()) == 2 * 3_000
    assert all(abs(n - 1_000) < 120 for n in times.values())  # more than four standard deviations of 26
