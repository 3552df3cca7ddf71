"""Whether values of one field say the same in substance. Pure; a kind with other ideas overrides `disagreements`."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

BLANK: tuple[Any, ...] = (None, "", [])
WEIGHT_TOLERANCE = 1e-9


class _Field(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def how(self) -> str: ...


def agree_in(field: _Field, drafts: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all drafts say the same in this field.

    Space at the ends of lines and between words does not count; nor does the order of choices and of a checklist's
    rows. What is absent, an empty text and an empty list all say nothing.
    """
    values = [draft.get(field.name) for draft in drafts]
    return all(_same(field.how, values[0], value) for value in values[1:])


def label_in(field: _Field, draft: Mapping[str, Any]) -> str | None:
    """What a draft says in a field of choice, as one label; None where it says nothing, or where no label fits.

    The order of several choices does not count. A flag is `yes` or `no`.
    """
    value = draft.get(field.name)
    if value in BLANK:
        return None
    if field.how == "flag" and isinstance(value, bool):
        return "yes" if value else "no"
    if field.how == "choice":
        return str(value)
    if field.how == "choices" and isinstance(value, list):
        return " · ".join(sorted(map(str, value)))
    return None


def _same(how: str, left: Any, right: Any) -> bool:
    if left == right or (left in BLANK and right in BLANK):
        return True
    if how == "checklist" and isinstance(left, list) and isinstance(right, list):
        return _same_rows(left, right)
    if how == "choices" and isinstance(left, list) and isinstance(right, list):
        return sorted(map(str, left)) == sorted(map(str, right))
    return isinstance(left, str) and isinstance(right, str) and left.split() == right.split()


def _same_rows(left: Sequence[Any], right: Sequence[Any]) -> bool:
    ours, right_rows = sorted(map(_row, left)), sorted(map(_row, right))
    if [question for question, _ in ours] != [question for question, _ in right_rows]:
        return False
    return all(
        math.isclose(weight, other_weight, abs_tol=WEIGHT_TOLERANCE)
        for (_, weight), (_, other_weight) in zip(ours, right_rows, strict=True)
    )


def _row(row: Any) -> tuple[str, float]:
    """A question without needless space, and its weight; -1 where it has none."""
    question, weight = row if isinstance(row, list) and len(row) == 2 else (row, None)
    return " ".join(str(question).split()), float(weight) if isinstance(weight, int | float) else -1.0
