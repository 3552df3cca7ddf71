import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.stats.lengths import ranges, summary

lengths = st.lists(st.integers(0, 50_000), min_size=1, max_size=60).map(lambda found: np.array(found, dtype=np.int64))


def test_a_summary_by_hand() -> None:
    # Sorted: 10, 20, 30, 40; 95 % lies 0.95 * 3 = 2.85 steps along: 30 + 0.85 * 10.
    found = summary(np.array([40, 10, 30, 20]))
    assert (found.n, found.mean, found.median, found.shortest, found.longest) == (4, 25, 25, 10, 40)
    assert found.p95 == pytest.approx(38.5)


def test_nothing_has_no_figures() -> None:
    assert summary(np.array([], dtype=np.int64)).median is None
    assert ranges(np.array([], dtype=np.int64)) == []


@given(lengths)
def test_every_length_is_in_exactly_one_range(found: np.ndarray) -> None:
    made = ranges(found)
    assert sum(each.count for each in made) == found.size
    for each in made:
        assert each.count == sum(each.low <= one and (each.high is None or one < each.high) for one in found.tolist())
    assert [each.low for each in made[1:]] == [each.high for each in made[:-1]]
    assert len(made) <= 21


def test_one_very_long_text_does_not_squeeze_the_others() -> None:
    made = ranges(np.array([*range(1000), 1_000_000]))
    assert made[-1].high is None
    assert made[-1].count == 1
    assert len(made) > 10
