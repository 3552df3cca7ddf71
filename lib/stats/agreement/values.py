"""Which values a rating may have at which level."""

import math
from typing import Literal, TypeAlias

Label: TypeAlias = str | bool | int | float
Sort = Literal["text", "true or false", "a number"]


class BadRatings(ValueError):
    """Rows that no table can be made of. row: the place of the first bad one, from 0; first: of the one it repeats."""

    def __init__(self, row: int, message: str, first_row: int | None = None) -> None:
        super().__init__(message)
        self.row, self.message, self.first = row, message, first_row


def checked(row: int, value: object, level: str, previous_sort: Sort | None) -> Sort:
    """The sort of the value. before: the sort of the values so far. Raises BadRatings."""
    sort = _sort(row, value)
    if sort != "a number" and level != "nominal":
        raise BadRatings(row, f"The value {_shown(value)} is {sort}; at {level} level values are numbers.")
    if previous_sort not in (None, sort):
        raise BadRatings(
            row, f"The value {_shown(value)} is {sort}, those before are {previous_sort}. Use one sort of values."
        )
    if level == "ratio" and isinstance(value, int | float) and value < 0:
        raise BadRatings(row, f"The value {_shown(value)} is negative; at ratio level the least value is 0.")
    return sort


def _sort(row: int, value: object) -> Sort:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return "text"
    if not isinstance(value, int | float):
        raise BadRatings(row, f"The value {_shown(value)} is no text and no number.")
    if not math.isfinite(value) or abs(value) > 1e150:  # its square would be no number
        raise BadRatings(row, f"The value {_shown(value)} is no number to count with. Use null for a missing rating.")
    return "a number"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
