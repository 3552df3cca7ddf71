"""Which intent a model takes a question for. It sees the question alone, not what its user called it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated

from pydantic import WithJsonSchema, create_model

from annotate.kinds.shapes import Told
from annotate.kinds.use_case.shapes import UseCaseFacts, UseCaseOptions
from annotate.kinds.values import Classified
from annotate.llm.asking import Ask, Prompts, Question
from annotate.texts.fencing import fenced

STEP = "intent"

# In our own words, for models; an intent of a project's own has only its name.
MEANS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "Factual_QA": "to learn a fact, a definition or how something is",
        "Solve_Professional_Problem": "to get a problem of study or work solved: calculate, program, analyse, diagnose",
        "Text_Assistant": "to have a text worked on: translate, summarise, correct, shorten, rewrite, write to order",
        "Ask_for_Advice": "to be helped to decide or plan something of their own life",
        "Seek_Creativity": "to get ideas, names, designs or something invented",
        "Leisure": "to pass the time: chat, play, be entertained",
        "API": "a request that a program sends, with a fixed form of input and output",
    },
    "zh": {
        "Factual_QA": "想知道某个事实、定义或情况",
        "Solve_Professional_Problem": "想解决学习或工作中的问题：计算、编程、分析、诊断",
        "Text_Assistant": "想让助手处理文字：翻译、总结、改错、缩写、改写、按要求写",
        "Ask_for_Advice": "想为自己生活中的决定或计划求建议",
        "Seek_Creativity": "想得到点子、名字、设计或虚构的内容",
        "Leisure": "想消遣：闲聊、玩游戏、找乐子",
        "API": "由程序发出的请求，输入输出有固定格式",
    },
}


class Intended(Told):
    """intent: one of the project's list."""

    intent: str


async def classified(
    facts: UseCaseFacts, options: UseCaseOptions, prompts: Prompts, ask: Ask, *, language: str
) -> Classified:
    """An intent that the list does not have is kept as the model wrote it. Raises CallFailed."""
    listed = {"user_query": facts.question, "intents": listing(options.intents, language)}
    question = fenced(prompts.text(STEP, language), listed, language=language)
    reply = await ask(Question(STEP, question.messages(), _intended(tuple(options.intents))))
    assert isinstance(reply.read, Intended)
    found = _plain_names(options.intents).get(_plain(reply.read.intent))
    return Classified((found or reply.read.intent.strip(),), found is not None)


def listing(intents: Sequence[str], language: str) -> str:
    means = MEANS["zh" if language.startswith("zh") else "en"]
    return "\n".join(f"- {one}: {means[one]}" if one in means else f"- {one}" for one in intents)


def _plain_names(intents: Sequence[str]) -> dict[str, str]:
    return {_plain(one): one for one in intents}


def _plain(intent: str) -> str:
    """Case, blanks, underscores, a dash before and what follows a colon aside: models copy whole lines."""
    name = intent.replace("：", ":").partition(":")[0].strip().removeprefix("-")
    return " ".join(name.replace("_", " ").split()).casefold()


@lru_cache(maxsize=128)
def _intended(intents: tuple[str, ...]) -> type[Intended]:
    one_of = Annotated[str, WithJsonSchema({"type": "string", "enum": list(intents)})]
    return create_model("Intended", __base__=Intended, intent=(one_of, ...))
