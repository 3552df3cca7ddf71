"""What the scores of a tree come to: sums, who is ahead, and which judgements ask for a correction. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotate.kinds.branching.shapes import HIGHEST, LOWEST, BranchingOptions

Side = Literal["first", "second"]
SIDES: tuple[Side, Side] = ("first", "second")


@dataclass(frozen=True)
class Sums:
    """first, second: weighted sums of the scores, None where one is missing. ahead: first, second, tie or ""."""

    first: float | None
    second: float | None
    ahead: str


def sums(branches: Sequence[Mapping[str, Any]]) -> Sums:
    """Of stored branches, as far as they can be read. A tie only where both sums are equal."""
    first, second = _sum(branches, "first"), _sum(branches, "second")
    if first is None or second is None:
        return Sums(first, second, "")
    if math.isclose(first, second, abs_tol=1e-9):
        return Sums(first, second, "tie")
    return Sums(first, second, "first" if first > second else "second")


def _sum(branches: Sequence[Mapping[str, Any]], side: Side) -> float | None:
    scores = [(score_of(branch, side), _weight(branch)) for branch in branches]
    if not scores or any(score is None for score, _weight_ in scores):
        return None
    return math.fsum(score * weight for score, weight in scores if score is not None)


def score_of(branch: Mapping[str, Any], side: Side) -> float | None:
    """From 1 to 5; None where it is missing or is none of these."""
    score = branch.get("judgement", {}).get(f"score_{side}")
    return float(score) if is_score(score) else None


def is_score(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and LOWEST <= value <= HIGHEST


def _weight(branch: Mapping[str, Any]) -> float:
    weight = branch.get("weight")
    return float(weight) if isinstance(weight, int | float) and not isinstance(weight, bool) else 1.0


def grounds(branches: Sequence[Mapping[str, Any]], side: Side, options: BranchingOptions) -> list[str]:
    """The ids of the judgements by which this response is to be corrected, in the order of the criteria."""
    return [branch["judgement"]["id"] for branch in branches if _is_low(score_of(branch, side), options)]


def _is_low(score: float | None, options: BranchingOptions) -> bool:
    if score is None:
        return False
    return score < options.threshold or (options.inclusive and score == options.threshold)
