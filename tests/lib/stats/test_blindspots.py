from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.stats.blindspots import (
    PAIRWISE,
    REFERENCE,
    SHAPES,
    SINGLE,
    OutcomeTally,
    of_choices,
    of_reference,
    of_scores,
    tally,
    together,
)


def cell(shape: str, found: int | None = None, **counts: int) -> OutcomeTally:
    return OutcomeTally(SHAPES[shape], Counter(counts), found)


@pytest.mark.parametrize(
    ("gold", "perturbed", "outcome"),
    [(8, 7, "detected"), (8, 8, "undetected"), (8, 9, "undetected"), (None, 1, "unparsed"), (8, None, "unparsed")],
)
def test_a_lower_score_and_nothing_else_detects(gold: float | None, perturbed: float | None, outcome: str) -> None:
    assert of_scores(gold, perturbed) == outcome


@pytest.mark.parametrize(
    ("straight", "turned", "outcome"),
    [
        ("gold", "gold", "gold"),
        ("perturbed", "perturbed", "perturbed"),
        ("both_good", "both_good", "both_good"),
        ("gold", "perturbed", "inconsistent"),
        ("both_good", "both_bad", "inconsistent"),
        (None, "gold", "unparsed"),
        ("gold", None, "unparsed"),
    ],
)
def test_only_both_orders_together_say_something(straight: str | None, turned: str | None, outcome: str) -> None:
    assert of_choices(straight, turned) == outcome


@pytest.mark.parametrize(
    ("score", "outcome"),
    [(10, "top"), (9.5, "top_minus_1"), (9, "top_minus_1"), (8, "top_minus_2"), (7.9, "lower"), (None, "unparsed")],
)
def test_beside_a_reference_only_the_top_score_misses(score: float | None, outcome: str) -> None:
    assert of_reference(score, 10) == outcome


def test_what_cannot_be_read_stays_in_the_divisor_of_single_answers() -> None:
    # Table 7, contextual: 45 detected, 48 not, of 94; one could not be read. 48 / 94 = 0.5106…
    found = cell("single", detected=45, undetected=48, unparsed=1)
    assert (found.n, found.parsed, found.undetected, found.share) == (94, 93, 48, 48 / 94)


def test_what_cannot_be_read_leaves_the_divisor_of_pairs() -> None:
    # Table 13, copying numbers: G 55, both good 6, inconsistent 18 of 83. (6 + 18) / 79 = 0.3038; of 83 it were 0.29.
    found = cell("pairwise", gold=55, both_good=6, inconsistent=18, unparsed=4)
    assert (found.n, found.parsed, found.undetected, found.share) == (83, 79, 24, 24 / 79)
    assert found.rate("both_good") == 6 / 79


def test_the_share_beside_a_reference_is_that_of_top_scores() -> None:
    # Table 16, coherence: 2 of 91 got the top score. 2 / 91 = 0.02197…
    found = cell("reference", top=2, top_minus_1=5, top_minus_2=9, lower=75)
    assert (found.n, found.undetected, found.share) == (91, 2, 2 / 91)


def test_explanations_notice_what_the_score_missed() -> None:
    # Table 22, chronology: 0 of 71 detected, 9 found in explanations. 1 - 9 / 71 = 0.8732…
    seen = [("undetected", True)] * 9 + [("undetected", False)] * 62
    assert tally(SINGLE, seen).with_explanations == 1 - 9 / 71


def test_nothing_is_found_twice_and_nobody_having_looked_is_not_zero() -> None:
    # Of four: one detected (its explanation says so too), one found, two missed. 1 - (1 + 1) / 4 = 0.5
    seen = [("detected", True), ("undetected", True), ("undetected", None), ("undetected", False)]
    assert tally(SINGLE, seen).with_explanations == 0.5
    assert tally(SINGLE, [("undetected", None)]).with_explanations is None


def test_nothing_readable_has_no_share_where_only_the_readable_counts() -> None:
    found = cell("pairwise", unparsed=3)
    assert (found.n, found.parsed, found.share, found.interval) == (3, 0, None, None)
    assert cell("single", unparsed=3).share == 0.0  # the published way: the three stay in the divisor


def test_cells_are_counted_together_by_their_counts_and_not_by_their_shares() -> None:
    # 1 of 2 and 1 of 8: 2 of 10 together, while the mean of the shares would be 0.3125.
    both = together([cell("single", detected=1, undetected=1), cell("single", 3, detected=7, undetected=1)])
    assert (both.share, both.found) == (0.2, 3)
    with pytest.raises(ValueError, match="one shape"):
        together([cell("single", detected=1), cell("pairwise", gold=1)])
    with pytest.raises(ValueError, match="one shape"):
        together([])


OUTCOMES = st.sampled_from([PAIRWISE, SINGLE, REFERENCE]).flatmap(
    lambda shape: st.tuples(
        st.just(shape),
        st.lists(st.tuples(st.sampled_from([*shape.outcomes, "unparsed"]), st.none() | st.booleans()), max_size=40),
    )
)


@given(OUTCOMES)
def test_counts_add_up_and_shares_stay_in_their_intervals(given_: tuple[object, list[tuple[str, bool | None]]]) -> None:
    shape, seen = given_
    found = tally(shape, seen)  # type: ignore[arg-type]
    assert found.n == len(seen)
    assert found.detected + found.undetected + found.counts["unparsed"] == found.n
    if found.share is not None and found.interval is not None:
        assert 0 <= found.interval[0] <= found.share <= found.interval[1] <= 1
        assert sum(found.rate(each) or 0 for each in found.shape.outcomes) <= 1 + 1e-9
    if found.with_explanations is not None:
        assert -1e-9 <= found.with_explanations <= 1
