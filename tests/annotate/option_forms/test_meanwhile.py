from decimal import Decimal
from typing import Any

import pytest

from annotate.option_forms.meanwhile import gathered, merge, spread


@pytest.mark.parametrize(
    ("opened", "mine", "stored", "values", "clashes", "kept"),
    [
        ({"a": 1}, {"a": 1}, {"a": 1}, {"a": 1}, [], []),
        ({"a": 1}, {"a": 2}, {"a": 1}, {"a": 2}, [], []),
        ({"a": 1}, {"a": 1}, {"a": 3}, {"a": 3}, [], ["a"]),
        ({"a": 1}, {"a": 2}, {"a": 2}, {"a": 2}, [], []),
        ({"a": 1}, {"a": 2}, {"a": 3}, {"a": 2}, ["a"], []),
        ({}, {"a": 2}, {}, {"a": 2}, [], []),
        ({}, {}, {"a": 3}, {"a": 3}, [], ["a"]),
        ({"a": 1}, {}, {"a": 1}, {}, [], []),
        ({"a": 1}, {}, {"a": 3}, {}, ["a"], []),
        ({"a": 0.25}, {"a": Decimal("0.250")}, {"a": Decimal("0.3")}, {"a": Decimal("0.3")}, [], ["a"]),
    ],
)
def test_changes_of_two_people_are_merged(
    opened: Any, mine: Any, stored: Any, values: Any, clashes: list[str], kept: list[str]
) -> None:
    merged = merge(opened, mine, stored)
    assert (merged.values, merged.clashes, merged.kept) == (values, clashes, kept)


def test_options_are_compared_one_by_one() -> None:
    columns = {"name": "A", "options": {"most": 5}}
    assert spread(columns) == {"name": "A", "option-most": 5}
    assert gathered(spread(columns)) == columns
    assert gathered({"name": "A"}) == {"name": "A", "options": {}}
