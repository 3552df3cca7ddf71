from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.stats.arithmetic import ArithmeticTrial, chain, final_number, probed

READ = {
    "46": 46,
    "**46**": 46,
    "12 + 34 = 46": 46,
    "12 + 34 = **46**.": 46,
    "The sum is 46.": 46,
    "The sum is $1,234$.": 1234,
    "1,234.00": 1234,
    "1 234": 1234,
    "总和是 1,234。": 1234,
    "答案：４６": 46,
    "所以结果为46。": 46,
    r"\boxed{46}": 46,
    r"First 99, then \(\boxed{1{,}234}\) after 20 steps.": 1234,
    "12 + 34 = 46\n46 + 11 = 57": 57,
    "Step 1: 12 + 34 = 46\nStep 2: 46 + 11 = 57\n\nSo the total of the 3 numbers is 57. I checked it 2 times.": 57,
    "Final answer: 57\n(20 numbers added)": 57,
    "Running total: 46\nRunning total: 57\n57 + 11 = 68": 68,
    "12 + 34 = 46\n\n57": 57,
    "57\n\nLet me know if you need anything else!": 57,
    "依次为 46，123，200，总和等于 200": 200,
    "It comes to 46": 46,
    "The result equals -46": -46,
    "The sum is 46.5": Decimal("46.5"),
}
UNREAD = [
    "",
    "I cannot add.",
    "forty-six",
    "46 or 47",
    "The sum is 46 or 47.",
    "46 to 48",
    "12 + 34",
    "12 + 34 + 56",
    "It is between 46 and 57.",
    "The sum is 12 + 34",
]


@pytest.mark.parametrize(("text", "expected"), READ.items())
def test_the_final_number_is_read_however_it_is_written(text: str, expected: int | Decimal) -> None:
    assert final_number(text) == expected


@pytest.mark.parametrize("text", UNREAD)
def test_what_names_no_single_sum_is_not_read(text: str) -> None:
    assert final_number(text) is None


@given(
    st.integers(0, 10**7), st.sampled_from(["{}", "= {}", "The sum is {}.", "总和是{}。", "**{}**", "1 + 2 = 3\n{}"])
)
def test_any_sum_is_read_with_and_without_thousands_set_apart(number: int, words: str) -> None:
    assert final_number(words.format(number)) == number
    assert final_number(words.format(f"{number:,}")) == number


def test_chains_are_the_same_for_the_same_seed_and_have_two_digits() -> None:
    assert chain(1, 5, 2) == chain(1, 5, 2) != chain(2, 5, 2)
    assert chain(1, 5, 2) != chain(1, 5, 3)
    numbers = [number for place in range(200) for number in chain(7, 20, place)]
    assert len(numbers) == 4000
    assert (min(numbers), max(numbers)) == (10, 99)


def trials(length: int, right: int, wrong: int = 0, unread: int = 0) -> list[ArithmeticTrial]:
    said = [Decimal(5)] * right + [Decimal(6)] * wrong + [None] * unread
    return [ArithmeticTrial(length, 5, read) for read in said]


def test_accuracy_by_length_the_longest_and_lengths_two_to_ten_by_hand() -> None:
    found = probed([*trials(11, 7, 3), *trials(2, 10), *trials(10, 8, 1, 1), *trials(12, 8, 2), *trials(3, 5, 5)])
    assert [(one.length, one.right, one.accuracy.n, one.unparsed) for one in found.lengths] == [
        (2, 10, 10, 0),
        (3, 5, 10, 0),
        (10, 8, 10, 1),
        (11, 7, 10, 0),
        (12, 8, 10, 0),
    ]
    assert found.longest == 12  # 8 of 10 are 80 %; that 11 had 7 does not matter
    # lengths 2, 3 and 10: (10 + 5 + 8) / 30; what could not be read counts as wrong
    assert (found.short.right, found.short.accuracy.n) == (23, 30)
    assert found.short.accuracy.value == pytest.approx(23 / 30)
    assert found.unparsed == 1


def test_intervals_are_wilsons() -> None:
    (one,) = probed(trials(2, 8, 2)).lengths
    # Wilson, 8 of 10, z = 1.96: (0.8 + 0.19207) / 1.38415 ∓ 1.96 · √(0.016 + 0.009604) / 1.38415
    assert (one.accuracy.low, one.accuracy.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_nothing_right_has_no_longest_and_nothing_at_all_has_no_accuracy() -> None:
    assert probed(trials(2, 7, 3)).longest is None
    found = probed([])
    assert (found.lengths, found.longest, found.short.accuracy.value) == ([], None, None)
