"""Facts, draft and options of a tree of judgements, the reply shapes of its steps, and the sums of its scores.

Criterion, guideline, judgement and correction are linked by ids.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from django.utils.translation import gettext_lazy
from pydantic import Field, WithJsonSchema

from annotate.kinds.option_labels import NEXT_RUN, OptionLabel
from annotate.kinds.shapes import AnswerShape, LenientOptions, Shape
from annotate.kinds.trees import HIGHEST, LOWEST, Side, is_score

Text = Annotated[str, Field(min_length=1)]
Number = int | float
MOST = 10  # criteria of one item


Preferred = Literal["first", "second", "tie"]


class Original(Shape):
    """A judgement from elsewhere that does not say by which criteria. It is kept as it came, in its own style.

    style: a score for each response (`scores`), who is ahead (`verdict`), a score of the only one (`score`), or what
    was found fault with (`words`). lowest, highest: of the scale of its scores. text: the reason in its own words.
    verdict: who is ahead by it; swapped: the same of a run that saw the responses in the other order, as they are
    called here. reference: the trusted answer that the judge was shown. rubric: what it was told to look at.
    judge: whose it is. source: the row of a published set, or the item of ours (project/key), that it comes from.
    """

    style: Literal["scores", "verdict", "score", "words"]
    judge: str | None = None
    text: str | None = None
    score_first: Number | None = None
    score_second: Number | None = None
    lowest: Number | None = None
    highest: Number | None = None
    verdict: Preferred | None = None
    swapped: Preferred | None = None
    rubric: str | None = None
    reference: str | None = None
    source: str | None = None


class BranchingFacts(Shape):
    """A query with one response or two. human_label: which of two people prefer; absent where nobody has said.

    author_first, author_second: who wrote the responses. scenario: by which work is assigned and reported.
    original: what somebody else judged of them before, from which criteria can be recovered.
    """

    query: Text
    first: str
    second: str | None = None
    human_label: Preferred | None = None
    author_first: str | None = None
    author_second: str | None = None
    scenario: str | None = None
    original: Original | None = None


class ScoreGuideline(Shape):
    """What each score from 1 to 5 means for one criterion. levels: their words, the lowest score first."""

    id: Text
    criterion: Text
    levels: list[str]


class Judgement(Shape):
    """Scores and reasons by one guideline; those of `second` stay empty where there is one response only."""

    id: Text
    guideline: Text
    score_first: Number | None = None
    explanation_first: str = ""
    score_second: Number | None = None
    explanation_second: str = ""
    comparison: str = ""


class Branch(Shape):
    """One criterion with all that hangs on it. merged: ids of the criteria that went into it.

    weight: its part in the sums; None where the criteria are not weighted.
    """

    id: Text
    name: str
    description: str
    weight: Number | None = None
    merged: list[Text] = []
    guideline: ScoreGuideline
    judgement: Judgement


class BranchingDraft(Shape):
    """branches: in their order. correction_…: a better text of that response, "" where none is wanted.

    grounds_…: ids of the judgements that the correction was written from. numbered: the highest number that any
    criterion ever had, so that a new one never gets the id of one that is gone.
    """

    branches: list[Branch]
    numbered: int = 0
    correction_first: str = ""
    grounds_first: list[Text] = []
    correction_second: str = ""
    grounds_second: list[Text] = []

    def stored(self) -> dict[str, Any]:
        return self.model_dump()


class BranchingOptions(LenientOptions):
    """criteria: how many a model is asked for. threshold: below it a response is corrected; inclusive: at it too."""

    criteria: Annotated[
        int,
        OptionLabel(
            gettext_lazy("Criteria per item"),
            help=gettext_lazy("How many a model is asked for."),
            unit=gettext_lazy("criteria"),
            example="5",
            applies=NEXT_RUN,
        ),
    ] = Field(default=5, ge=1, le=MOST)
    threshold: Annotated[
        float,
        OptionLabel(
            gettext_lazy("Correct a response below this score"),
            help=gettext_lazy("A judgement with a lower score asks for a corrected response."),
            unit=gettext_lazy("of 5 points"),
            example="3",
            applies=NEXT_RUN,
        ),
    ] = Field(default=3, ge=LOWEST, le=HIGHEST)
    inclusive: Annotated[bool, OptionLabel(gettext_lazy("Correct it at this score too"), applies=NEXT_RUN)] = False


# Reply shapes of judging; those of the other steps are in annotate/kinds/trees.py.


Score = Annotated[float, WithJsonSchema({"type": "integer", "minimum": LOWEST, "maximum": HIGHEST})]


class Judged(AnswerShape):
    """One response by one criterion."""

    explanation: str
    score: Score


class Compared(AnswerShape):
    """Two responses by one criterion, each for itself, then beside each other."""

    explanation_first: str
    explanation_second: str
    comparison: str
    score_first: Score
    score_second: Score


# Results of a tree's scores: sums, which response is ahead, and which judgements ask for a correction. Pure.


@dataclass(frozen=True)
class Sums:
    """first, second: weighted sums of the scores, None if one is missing. ahead: first, second, tie or ""."""

    first: float | None
    second: float | None
    ahead: str


def sums(branches: Sequence[Mapping[str, Any]]) -> Sums:
    """The sums of stored branches, as far as they can be read. It is a tie only if both sums are equal."""
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
    """A score from 1 to 5; None if it is missing or not one of these."""
    score = branch.get("judgement", {}).get(f"score_{side}")
    return float(score) if is_score(score) else None


def _weight(branch: Mapping[str, Any]) -> float:
    weight = branch.get("weight")
    return float(weight) if isinstance(weight, int | float) and not isinstance(weight, bool) else 1.0


def grounds(branches: Sequence[Mapping[str, Any]], side: Side, options: BranchingOptions) -> list[str]:
    """The ids of the judgements that ask for a correction of this response, in the order of the criteria."""
    return [branch["judgement"]["id"] for branch in branches if _is_low(score_of(branch, side), options)]


def _is_low(score: float | None, options: BranchingOptions) -> bool:
    if score is None:
        return False
    return score < options.threshold or (options.inclusive and score == options.threshold)
