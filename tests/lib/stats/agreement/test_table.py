import math
from typing import Any

import numpy as np
import pytest

from lib.stats.agreement import BadRatings, Level, ratings


def test_units_and_raters_stand_in_the_order_of_their_first_rating() -> None:
    table = ratings([("u2", "b", 5), ("u1", "a", 3), ("u1", "b", 5), ("u3", "c", None)], "interval")
    assert (table.units, table.raters, table.categories) == (("u2", "u1"), ("b", "a"), (3, 5))
    assert table.skipped == {"missing": 1}
    assert table.count == 3
    np.testing.assert_array_equal(table.values, [[5, math.nan], [5, 3]])
    np.testing.assert_array_equal(table.codes, [[1, -1], [1, 0]])


def test_labels_are_numbered_in_alphabetical_order() -> None:
    table = ratings([("u", "a", "worse"), ("u", "b", "better")])
    assert (table.categories, table.values.tolist(), table.skipped) == (("better", "worse"), [[1, 0]], {})


def test_true_and_false_are_labels() -> None:
    assert ratings([("u", "a", True), ("u", "b", False)]).categories == (False, True)


@pytest.mark.parametrize(
    ("value", "level", "message"),
    [
        ("good", "interval", "is text; at interval level"),
        (True, "ordinal", "is true or false; at ordinal level"),
        (math.nan, "nominal", "is not a number that can be used"),
        (math.inf, "interval", "is not a number that can be used"),
        (-1, "ratio", "is negative"),
        ([1], "nominal", "is neither text nor a number"),
        ("1", "nominal", "is text, those before are a number"),
    ],
)
def test_a_value_is_refused_with_its_row(value: Any, level: Level, message: str) -> None:
    with pytest.raises(BadRatings, match=message) as refused:
        ratings([("u", "a", 1), ("u", "b", value)], level)
    assert refused.value.row == 1


@pytest.mark.parametrize(("first", "second"), [(1, "1"), ("1", 1), (True, 1), (0, False)])
def test_mixed_sorts_are_refused(first: Any, second: Any) -> None:
    with pytest.raises(BadRatings, match="Use one sort of values"):
        ratings([("u", "a", first), ("u", "b", second)])


@pytest.mark.parametrize("value", [1, 2, None])
def test_a_rater_rates_a_unit_once(value: int | None) -> None:
    rows = [("u", "a", 1), ("v", "a", 1), ("u", "b", 1), ("u", "a", value), ("v", "a", 2)]
    with pytest.raises(BadRatings, match="a has rated u before") as refused:
        ratings(rows)
    assert (refused.value.row, refused.value.first) == (3, 0)


def test_there_are_four_levels() -> None:
    with pytest.raises(ValueError, match="nominal, ordinal, interval, ratio"):
        ratings([], "text")  # type: ignore[arg-type]
