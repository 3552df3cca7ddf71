"""Facts, draft and options of a use case that somebody had with an assistant."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from annotate.kinds.definitions import Definition
from annotate.kinds.shapes import LenientOptions, Shape
from annotate.kinds.use_case.definitions import DEFINITIONS, MEANINGS
from annotate.kinds.use_case.intents import NAMES, named

Text = Annotated[str, Field(min_length=1)]
Rating = Annotated[int, Field(ge=1, le=5)]


class Turn(Shape):
    """One message of the conversation that was reported."""

    role: Literal["system", "user", "assistant"]
    content: str


class UseCaseFacts(Shape):
    """question: what was asked first. user_intent: what they wanted, in their own words or of the list.

    reference_ans: an answer that came with the case. language: as the file names it, such as EN or CN.
    service: the assistant that the conversation was with. difficulty, satisfaction: 1 to 5, as its user rated the task
    and the answer. Each is missing where nobody said it.
    """

    question: Text
    reference_ans: str | None = None
    user_intent: str | None = None
    language: str | None = None
    conversation: list[Turn] | None = None
    service: Annotated[str, Field(max_length=80)] | None = None
    difficulty: Rating | None = None
    satisfaction: Rating | None = None

    @property
    def reported_intent(self) -> str:
        """In the reader's language, or in their own words."""
        return named(self.user_intent or "")


class UseCaseDraft(Shape):
    """keep: whether the case belongs into the dataset; None: nobody has said. drop_reason: why not.

    first_question: the first question of the conversation that can be answered alone, which candidates get.
    intent: of the project's list. reference: the answer that counts as the reference; "" where there is none yet.
    """

    keep: bool | None
    drop_reason: str
    personal_data: bool | None
    harmless: bool | None
    first_question: str
    intent: str
    reference: str

    def stored(self) -> dict[str, Any]:
        return self.model_dump()


class UseCaseOptions(LenientOptions):
    """intents: what people may want, in the order in which they are offered.

    definitions: what they mean, for models that classify; label -> text, or label -> language -> text. An intent that
    the project does not define means what the shipped list says of its name.
    """

    intents: Annotated[list[Text], Field(min_length=1, max_length=30)] = list(NAMES)
    definitions: dict[str, Definition] = DEFINITIONS

    @model_validator(mode="after")
    def _checked(self) -> Self:
        MEANINGS.check(self.definitions, self.intents)
        return self
