"""Facts, draft and options of a use case, and what its intents mean."""

from typing import Annotated, Any, Literal, Self

from django.utils.translation import gettext_lazy
from pydantic import Field, model_validator

from annotate.kinds.intents import NAMES, intent_name
from annotate.kinds.option_labels import NEXT_RUN, OptionLabel
from annotate.kinds.shapes import Definition, Definitions, LenientOptions, Shape

# What the intents mean, in our own words: English and Chinese. Projects may define them differently.
#
# Source: URS (arXiv 2404.13940, both versions).


DEFINITIONS: dict[str, Definition] = {
    "Factual_QA": {
        "en": "to learn a fact, a definition or how something is",
        "zh": "想知道某个事实、定义或情况",
    },
    "Solve_Professional_Problem": {
        "en": "to get a problem of study or work solved: calculate, program, analyse, diagnose",
        "zh": "想解决学习或工作中的问题：计算、编程、分析、诊断",
    },
    "Text_Assistant": {
        "en": "to have a text worked on: translate, summarise, correct, shorten, rewrite, write to order",
        "zh": "想让助手处理文字：翻译、总结、改错、缩写、改写、按要求写",
    },
    "Ask_for_Advice": {
        "en": "to be helped to decide or plan something of their own life",
        "zh": "想为自己生活中的决定或计划求建议",
    },
    "Seek_Creativity": {
        "en": "to get ideas, names, designs or something invented",
        "zh": "想得到点子、名字、设计或虚构的内容",
    },
    "Leisure": {
        "en": "to pass the time: chat, play, be entertained",
        "zh": "想消遣：闲聊、玩游戏、找乐子",
    },
    "API": {
        "en": "a request that a program sends, with a fixed form of input and output",
        "zh": "由程序发出的请求，输入输出有固定格式",
    },
}
MEANINGS = Definitions(DEFINITIONS)


# Facts, draft and options.


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
        """The intent in the reader's language, or in the user's own words."""
        return intent_name(self.user_intent or "")


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

    intents: Annotated[
        list[Text],
        Field(min_length=1, max_length=30),
        OptionLabel(
            gettext_lazy("Intents"),
            help=gettext_lazy("One per line, up to 30, in the order in which they are offered."),
            example="Factual_QA",
            applies=NEXT_RUN,
        ),
    ] = list(NAMES)
    definitions: Annotated[
        dict[str, Definition],
        OptionLabel(
            gettext_lazy("Definitions of intents"),
            help=gettext_lazy("For models that classify. An intent without a row has the shipped definition."),
            applies=NEXT_RUN,
            columns=(gettext_lazy("Intent"), gettext_lazy("Definition")),
        ),
    ] = DEFINITIONS

    @model_validator(mode="after")
    def _checked(self) -> Self:
        MEANINGS.check(self.definitions, self.intents)
        return self
