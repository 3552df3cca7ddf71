"""Judgements by single criteria put together: sums, and who is ahead. Pure; any prefix is summed without a new call."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

SAME = 1e-9


class Scored(Protocol):
    """What one criterion gave: a Piece of an opinion, or the Part that is stored of it."""

    @property
    def axis(self) -> str: ...

    @property
    def score_first(self) -> float | None: ...

    @property
    def score_second(self) -> float | None: ...

    @property
    def weight(self) -> float | None: ...


Some = TypeVar("Some", bound=Scored)


@dataclass(frozen=True)
class Merged:
    """first, second: weighted sums on the scale of unweighted ones; None where a score is missing.

    choice: first, second, tie, or "" where there are not two sums.
    """

    first: float | None
    second: float | None

    @property
    def choice(self) -> str:
        if self.first is None or self.second is None:
            return ""
        if math.isclose(self.first, self.second, rel_tol=0, abs_tol=SAME):
            return "tie"
        return "first" if self.first > self.second else "second"


def merged(scored: Sequence[Scored], n: int | None = None) -> Merged:
    """Of the first n criteria; all of them without n. A tie only where both sums are equal.

    weight: None counts as 1. A weighted sum is brought back to the scale of n scores: it is n times their mean.
    """
    used = scored[:n]
    weights = [1.0 if criterion.weight is None else criterion.weight for criterion in used]
    return Merged(
        _sum([criterion.score_first for criterion in used], weights),
        _sum([criterion.score_second for criterion in used], weights),
    )


def prefixes(scored: Sequence[Scored]) -> list[Merged]:
    """What judging by the first one, two, … criteria would have said. Their axes are their numbers, from 1."""
    in_order = numbered(scored)
    return [merged(in_order, n) for n in range(1, len(in_order) + 1)]


def numbered(scored: Sequence[Some]) -> list[Some]:
    """In the order of their numbers: as texts, 10 stands before 2. What has lost its number stands last."""
    return sorted(scored, key=lambda criterion: (not criterion.axis.isdecimal(), len(criterion.axis), criterion.axis))


def _sum(scores: Sequence[float | None], weights: Sequence[float]) -> float | None:
    whole = math.fsum(weights)
    known_scores = [score for score in scores if score is not None]
    if len(known_scores) < len(scores) or not known_scores or whole <= 0:
        return None
    return (
        math.fsum(score * weight for score, weight in zip(known_scores, weights, strict=True))
        * len(known_scores)
        / whole
    )
