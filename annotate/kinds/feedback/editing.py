"""What the buttons of the checklist editor do to the rows of a draft, where no script does it in the page."""

import math
from collections.abc import Sequence
from typing import Any

# Weights are given in hundredths; more questions than that get thousandths.
PLACES = 2


def edited(rows: Sequence[Any], action: str, weighted: bool) -> list[Any]:
    """Rows after add-row, remove-N, up-N, down-N (N from 1), distribute or normalise; anything else changes nothing."""
    verb, _dash, number = action.partition("-")
    index = int(number) - 1 if number.isdecimal() else -1
    changed = list(rows)
    if action == "add-row":
        return [*changed, ["", None] if weighted else ""]
    if action == "distribute" and weighted:
        return _weighted(changed, [1.0] * len(changed))
    if action == "normalise" and weighted:
        return _weighted(changed, [_weight(row) for row in changed])
    if not 0 <= index < len(changed):
        return changed
    if verb == "remove":
        del changed[index]
    elif verb in ("up", "down"):
        to = min(max(index + (1 if verb == "down" else -1), 0), len(changed) - 1)
        changed.insert(to, changed.pop(index))
    return changed


def _question(row: Any) -> str:
    return row if isinstance(row, str) else str(row[0])


def _weight(row: Any) -> float:
    """A weight that can be shared out; what is no number, or less than nothing, weighs nothing."""
    weight = None if isinstance(row, str) else row[1]
    return max(float(weight), 0.0) if isinstance(weight, int | float) else 0.0


def _weighted(rows: Sequence[Any], shares: list[float]) -> list[Any]:
    """The rows with weights in proportion to the shares; equal ones where nothing has weight."""
    if not any(shares):
        shares = [1.0] * len(rows)
    return [[_question(row), weight] for row, weight in zip(rows, shared_out(shares), strict=True)]


def shared_out(shares: Sequence[float]) -> list[float]:
    """Rounded weights in proportion to the shares that add up to exactly 1 (largest remainder)."""
    if not shares:
        return []
    unit = 10 ** (PLACES if len(shares) <= 10**PLACES else PLACES + 1)
    exact = [unit * share / math.fsum(shares) for share in shares]
    whole = [math.floor(part) for part in exact]
    rest = sorted(range(len(exact)), key=lambda index: (whole[index] - exact[index], index))
    for index in rest[: unit - sum(whole)]:
        whole[index] += 1
    return [part / unit for part in whole]
