"""Facts, draft and options of a score vote: one answer, and a score for each criterion."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from annotate.kinds.shapes import LenientOptions, Shape
from annotate.kinds.voting import Asked, Text


class ScoreVoteFacts(Asked):
    """An answer. The criteria are the project's."""

    answer: Text


class ScoreVoteDraft(Shape):
    """scores: criterion -> score, None where it is not given yet; cannot_tell: criteria on which its writer cannot say.

    recognised: its writer believes to know who wrote the answer.
    """

    scores: dict[str, int | None]
    cannot_tell: list[str]
    reason: str
    recognised: bool

    def stored(self) -> dict[str, Any]:
        return self.model_dump()


class ScoreVoteOptions(LenientOptions):
    """criteria: what is scored, each by its name. scale: the best score, 5 or 10; the worst is 1."""

    criteria: Annotated[list[Text], Field(min_length=1, max_length=20)] = ["Overall quality"]
    scale: Literal[5, 10] = 5

    @model_validator(mode="after")
    def _names_differ(self) -> "ScoreVoteOptions":
        if len(set(self.criteria)) != len(self.criteria):
            raise ValueError("two criteria have the same name; give each its own.")
        return self
