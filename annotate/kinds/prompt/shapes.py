"""Facts, draft and options of a prompt."""

from typing import Annotated, Any, Literal

from pydantic import Field

from annotate.kinds.perturbation.shapes import CategoryOptions
from annotate.kinds.shapes import Shape

Text = Annotated[str, Field(min_length=1)]
GoldVerdict = Literal["right", "wrong", "edited"]


class PromptFacts(Shape):
    """A prompt, and the answer that counts as gold, where there is one already."""

    prompt: Text
    gold_answer: str | None = None


class PromptDraft(Shape):
    """ability: its slug in the project's list. gold_verdict: what a person says of the gold answer; None: nothing.

    edited_answer: the gold answer as it should be; empty unless the verdict is `edited`.
    """

    ability: str
    gold_verdict: GoldVerdict | None
    edited_answer: str
    note: str

    def stored(self) -> dict[str, Any]:
        return self.model_dump()


class PromptOptions(CategoryOptions):
    """verified_share: of which share of the gold answers people say whether they are right; drawn by the prompt."""

    verified_share: float = Field(default=1.0, ge=0, le=1)
