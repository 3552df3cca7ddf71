"""What models are asked to answer at each step of the chain. Judges of the strategy `branching` answer the same."""

from typing import Annotated

from pydantic import WithJsonSchema

from annotate.kinds.branching.shapes import HIGHEST, LOWEST
from annotate.kinds.shapes import Told

Score = Annotated[float, WithJsonSchema({"type": "integer", "minimum": LOWEST, "maximum": HIGHEST})]


class Criterion(Told):
    """name: two or three words; description: what is looked at."""

    name: str
    description: str


class Criteria(Told):
    criteria: list[Criterion]


class Levels(Told):
    """What a response of each score looks like, the worst first."""

    level_1: str
    level_2: str
    level_3: str
    level_4: str
    level_5: str

    def in_order(self) -> list[str]:
        return [self.level_1, self.level_2, self.level_3, self.level_4, self.level_5]


class Judged(Told):
    """One response by one criterion."""

    explanation: str
    score: Score


class Compared(Told):
    """Two responses by one criterion, each for itself, then beside each other."""

    explanation_first: str
    explanation_second: str
    comparison: str
    score_first: Score
    score_second: Score


class Corrected(Told):
    corrected_response: str
