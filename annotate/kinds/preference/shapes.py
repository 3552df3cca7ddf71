"""Facts and draft of a preference: two answers, and which one is better."""

from typing import Annotated, Any, Literal

from pydantic import Field

from annotate.kinds.shapes import LenientOptions, Shape
from annotate.kinds.voting import Asked

Choice = Literal["first", "second", "tie", "both_bad", "cannot_tell"]


class PreferenceFacts(Asked):
    """Two answers to one prompt, in an order that was drawn for the item.

    Either may be empty: a model that says nothing has answered so, and published votes are about such answers too.
    """

    first: str
    second: str


class PreferenceDraft(Shape):
    """choice: in the order of the facts, whatever the sides on which somebody saw them; None: not chosen yet.

    recognised: its writer believes to know who wrote one of the answers.
    """

    choice: Choice | None
    reason: str
    recognised: bool

    def stored(self) -> dict[str, Any]:
        return self.model_dump()


class PreferenceOptions(LenientOptions):
    """apart: how many other items somebody hands in before a pair comes back to them with its sides exchanged."""

    apart: Annotated[int, Field(ge=1, le=1000)] = 10
