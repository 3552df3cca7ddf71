"""What judges are asked to answer by one criterion, read as people would: 4/5 is a four, and ten is never one."""

from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from annotate.kinds.branching.told import Criteria, Levels
from annotate.kinds.shapes import Told
from judging.strategies.scales import Scale

LOW, TOP = 1, 5
SCALE = Scale(LOW, TOP)


def _score(value: Any) -> float:
    score = SCALE.read(value)
    if score is None:
        raise ValueError(f"no score from {LOW} to {TOP}")
    return score


Score = Annotated[float, BeforeValidator(_score), WithJsonSchema({"type": "integer", "minimum": LOW, "maximum": TOP})]


class Compared(Told):
    """Two answers by one criterion."""

    explanation_first: str = ""
    explanation_second: str = ""
    comparison: str = ""
    score_first: Score
    score_second: Score

    @property
    def reason(self) -> str:
        return "\n".join(filter(None, (self.explanation_first, self.explanation_second, self.comparison)))


class Scored(Told):
    """One answer by one criterion."""

    explanation: str = ""
    score: Score


class Row(Told):
    """A criterion with what was said under it, where everything is said at once."""

    name: str
    description: str
    explanation: str = ""
    score_first: Score
    score_second: Score


class AtOnce(Told):
    criteria: list[Row]


__all__ = ["AtOnce", "Compared", "Criteria", "Levels", "Row", "Scored"]
