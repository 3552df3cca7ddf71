"""Trees of judgements as judging reads them: criteria with their scores, corrections, judgements of others. Pure.

Also the reply shapes of their steps, which kinds and judges ask for alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotate.kinds.shapes import AnswerShape

Side = Literal["first", "second"]
SIDES: tuple[Side, Side] = ("first", "second")
LOWEST, HIGHEST = 1, 5  # the scale of a score by one criterion

# Why no criteria are recovered from a judgement of others; ModelledKind.set_aside says what each means.
NOTHING, ORDERS, REFERENCE = "nothing", "orders", "reference"
PEOPLE = "people"  # the judge of an item that was made from our own accepted work


def is_score(value: Any) -> bool:
    """Whether a stored value is a score from 1 to 5."""
    return isinstance(value, int | float) and not isinstance(value, bool) and LOWEST <= value <= HIGHEST


@dataclass(frozen=True)
class ScoredCriterion:
    """One criterion that people wrote, with their judgement by it.

    levels: what each score from 1 on means. weight: its part in the sums; None: every criterion counts alike. Scores
    are as stored, from 1 to 5; None, and an empty explanation, where there is none. comparison: of both responses.
    """

    name: str
    description: str
    levels: Sequence[str]
    weight: float | None
    score_first: float | None
    score_second: float | None
    explanation_first: str
    explanation_second: str
    comparison: str

    def has_score(self, side: Side) -> bool:
        """Whether the response has a score on the scale."""
        return is_score(self.score_first if side == "first" else self.score_second)


@dataclass(frozen=True)
class CorrectedResponse:
    """A response and its correction. judgements: the faults that it corrects, as the model that corrects reads them;
    "" if none is known.
    """

    response: str
    text: str
    judgements: str


@dataclass(frozen=True)
class OriginalJudgement:
    """A judgement of others, made without criteria. text: its content in words.

    style: `scores`, `verdict`, `score` or `words`. lowest, highest: of its scale, None if unknown. set_aside: why no
    criteria are recovered from it, "" if they are. steps: the prompts that recover its criteria, and a guideline.
    """

    text: str
    style: str
    lowest: float | None
    highest: float | None
    set_aside: str
    steps: tuple[str, str]


@dataclass(frozen=True)
class JudgementTree:
    """What people decided about one query with one response or two; second: None if there is only one.

    criteria: those with a name, a description and words for every score; unfinished: how many others there are.
    corrections: of responses whose text was changed. ahead: by the sums of all criteria, `first`, `second` or `tie`; ""
    if a score is missing. label: which response people prefer, in the same words; "" if nobody has said. original: the
    judgement that the criteria were recovered from; None if there is none.
    """

    query: str
    first: str
    second: str | None
    criteria: Sequence[ScoredCriterion]
    unfinished: int
    corrections: Sequence[CorrectedResponse]
    ahead: str
    label: str
    original: OriginalJudgement | None

    @property
    def sides(self) -> Sequence[Side]:
        """The responses that it is about."""
        return SIDES if self.second is not None else SIDES[:1]


# Reply shapes. Their names and docstrings are part of the schema that a model is sent, and of the digest of a request.


class Criterion(AnswerShape):
    """name: two or three words; description: what is looked at."""

    name: str
    description: str


class Criteria(AnswerShape):
    criteria: list[Criterion]


class Levels(AnswerShape):
    """What a response of each score looks like, the worst first."""

    level_1: str
    level_2: str
    level_3: str
    level_4: str
    level_5: str

    def in_order(self) -> list[str]:
        return [self.level_1, self.level_2, self.level_3, self.level_4, self.level_5]


class Corrected(AnswerShape):
    corrected_response: str
