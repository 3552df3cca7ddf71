"""Facts and draft of a checklist vote: one answer, and whether it meets each question."""

from typing import Annotated, Any, Literal

from pydantic import Field

from annotate.kinds.shapes import Shape
from annotate.kinds.voting import Asked, Text

Vote = Literal["yes", "no", "cannot_tell"]


class ChecklistVoteFacts(Asked):
    """An answer, and the yes/no questions about it."""

    answer: Text
    questions: Annotated[list[Text], Field(min_length=1)]


class ChecklistVoteDraft(Shape):
    """votes, reasons: one for each question, in the order of the facts; None: not answered yet, "": no reason given.

    recognised: its writer believes to know who wrote the answer.
    """

    votes: list[Vote | None]
    reasons: list[str]
    recognised: bool

    def stored(self) -> dict[str, Any]:
        return self.model_dump()
