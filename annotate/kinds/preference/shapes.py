"""Facts and draft of a preference: two answers, and which one is better."""

from typing import Any, Literal

from annotate.kinds.shapes import Shape
from annotate.kinds.voting import Asked, Text

Choice = Literal["first", "second", "tie", "both_bad", "cannot_tell"]


class PreferenceFacts(Asked):
    """Two answers to one prompt, in an order that was drawn for the item."""

    first: Text
    second: Text


class PreferenceDraft(Shape):
    """choice: in the order of the facts, whatever the sides on which somebody saw them; None: not chosen yet.

    recognised: its writer believes to know who wrote one of the answers.
    """

    choice: Choice | None
    reason: str
    recognised: bool

    def stored(self) -> dict[str, Any]:
        return self.model_dump()
