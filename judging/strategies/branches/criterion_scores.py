"""Scores by single criteria: the shapes of replies, and merging of judgements into sums.

The axes of these strategies are numbers of the judge's own criteria, never of an item's checklist.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import BeforeValidator, WithJsonSchema

from annotate.kinds.shapes import AnswerShape
from judging.readers.scales import Scale

FAMILY = "branches"

# Reply shapes for one criterion, parsed leniently: 4/5 is a four, and ten is never read as one.


LOW, TOP = 1, 5
SCALE = Scale(LOW, TOP)


def _score(value: Any) -> float:
    score = SCALE.read(value)
    if score is None:
        raise ValueError(f"no score from {LOW} to {TOP}")
    return score


Score = Annotated[float, BeforeValidator(_score), WithJsonSchema({"type": "integer", "minimum": LOW, "maximum": TOP})]


class Compared(AnswerShape):
    """Two answers by one criterion."""

    explanation_first: str = ""
    explanation_second: str = ""
    comparison: str = ""
    score_first: Score
    score_second: Score

    @property
    def reason(self) -> str:
        return "\n".join(filter(None, (self.explanation_first, self.explanation_second, self.comparison)))


class Scored(AnswerShape):
    """One answer by one criterion."""

    explanation: str = ""
    score: Score


class Row(AnswerShape):
    """A criterion with what was said under it, where everything is said at once."""

    name: str
    description: str
    explanation: str = ""
    score_first: Score
    score_second: Score


class AtOnce(AnswerShape):
    criteria: list[Row]


# Merging: sums of judgements by single criteria, and the winner. Pure; any prefix is summed without a new call.


SAME = 1e-9


class CriterionScore(Protocol):
    """The result of one criterion: an OpinionPart, or the Part stored for it."""

    @property
    def axis(self) -> str: ...

    @property
    def score_first(self) -> float | None: ...

    @property
    def score_second(self) -> float | None: ...

    @property
    def weight(self) -> float | None: ...


Some = TypeVar("Some", bound=CriterionScore)


@dataclass(frozen=True)
class Merged:
    """first, second: weighted sums on the scale of unweighted ones; None if a score is missing.

    choice: first, second, tie, or "" if there are not two sums.
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


def merged(scored: Sequence[CriterionScore], n: int | None = None) -> Merged:
    """The sums of the first n criteria, or of all without n. A tie only if both sums are equal.

    weight: None counts as 1. A weighted sum is brought back to the scale of n scores: it is n times their mean.
    """
    used = scored[:n]
    weights = [1.0 if criterion.weight is None else criterion.weight for criterion in used]
    return Merged(
        _sum([criterion.score_first for criterion in used], weights),
        _sum([criterion.score_second for criterion in used], weights),
    )


def numbered(scored: Sequence[Some]) -> list[Some]:
    """Sorted by number (as texts, 10 would come before 2); entries without a number come last."""
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
