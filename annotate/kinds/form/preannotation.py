"""A model's answers to the questions of a definition: one call, its prompt and the shape of its reply made from it."""

import json
from collections.abc import Mapping
from functools import lru_cache
from types import GenericAlias
from typing import Any

from django.utils.translation import gettext_noop
from pydantic import Field as ReplyField
from pydantic import create_model

from annotate.kinds.protocol import Ask, Prompts, Question
from annotate.kinds.questions.base import Question as FormQuestion
from annotate.kinds.questions.definition import Definition
from annotate.kinds.shapes import AnswerShape, Finding
from annotate.kinds.values import ModelSuggestion
from lib.texts.fencing import fenced

STEP = "answers"
ONLY_IF = {"en": "only if {conditions}", "zh": "仅当 {conditions}"}
GUIDED = {
    "en": (
        "The project's guidelines, written for the people who do this work:\n\n{{ guidelines }}\n\n"
        "Answer as they ask.\n\n"
    ),
    "zh": "本项目的标注指南，是写给标注人员的：\n\n{{ guidelines }}\n\n请按照指南作答。\n\n",
}
_TYPES: Mapping[str, Any] = {"string": str, "integer": int, "number": float, "array": list, "object": dict}


async def answered(
    definition: Definition, columns: Mapping[str, Any], prompts: Prompts, ask: Ask, *, language: str
) -> ModelSuggestion:
    """A suggestion with an answer to each question that is asked. Answers that are not allowed are left out, with a
    doubt. Raises CallFailed.
    """
    shown = {name: columns[name] for name in definition.columns if name in columns}
    for asked in definition.questions:
        shown |= asked.material(columns)
    texts = {
        "material": json.dumps(shown, ensure_ascii=False, indent=1),
        "questions": "\n\n".join(in_words(question, language) for question in definition.questions),
        "guidelines": prompts.guidelines,
    }
    guided = GUIDED.get(language, GUIDED["en"]) if prompts.guidelines else ""
    question = fenced(guided + prompts.text(STEP, language), texts, language=language)
    reply = await ask(Question(STEP, question.messages(), reply_shape(definition, columns)))
    given = reply.read.model_dump(by_alias=True) if reply.read is not None else {}
    return _suggestion(definition, columns, given)


def in_words(question: FormQuestion, language: str) -> str:
    """name: what is asked, its help, when it is asked, and what can be answered."""
    head = f"{question.name}: {' '.join(question.label(language).split())}"
    if question.when:
        conditions = ", ".join(f"{name}: {_written(value)}" for name, value in question.when.items())
        head += f" ({ONLY_IF.get(language, ONLY_IF['en']).format(conditions=conditions)})"
    return "\n".join(filter(None, [head, question.in_words(language)]))


def _written(condition: Any) -> str:
    return " / ".join(condition) if isinstance(condition, list) else str(condition)


def reply_shape(definition: Definition, columns: Mapping[str, Any]) -> type[AnswerShape]:
    """One field for each question, of the plain type of its answers; options are only in the schema that is sent."""
    return _shape(tuple((question.name, *_reply_type(question, columns)) for question in definition.questions))


def _reply_type(question: FormQuestion, columns: Mapping[str, Any]) -> tuple[Any, str]:
    """The type of a field, and what the schema says besides, as JSON."""
    own = question.reply_type(columns)
    if own is not None:
        return own, "{}"
    schema = question.reply_schema()
    values = _TYPES[schema["type"]]
    if values is list:
        values = GenericAlias(list, (_TYPES[schema["items"]["type"]],))
    names = ("enum", "minimum", "maximum", *(["items"] if values == list[dict] else []))
    limits = {name: value for name, value in schema.items() if name in names}
    return values, json.dumps(limits)


@lru_cache(maxsize=256)
def _shape(replies: tuple[tuple[str, Any, str], ...]) -> type[AnswerShape]:
    """Items that are asked alike share a shape: whoever sends it keeps its schema."""
    fields: dict[str, Any] = {
        f"answer_{place}": (values, ReplyField(alias=name, json_schema_extra=json.loads(limits)))
        for place, (name, values, limits) in enumerate(replies)
    }
    shape: type[AnswerShape] = create_model("FormReply", __base__=AnswerShape, **fields)
    return shape


def _suggestion(definition: Definition, columns: Mapping[str, Any], given: Mapping[str, Any]) -> ModelSuggestion:
    draft = {question.name: question.empty(columns) for question in definition.questions}
    doubts: list[Finding] = []
    for question in definition.questions:
        answer = given.get(question.name)
        if question.is_blank(answer) or (isinstance(answer, str) and not answer.strip()):
            continue
        allowed, left_out = question.from_model(answer, columns)
        doubts += [Finding(question.name, message, "model", said=said) for message, said in left_out]
        if not question.is_blank(allowed):
            draft[question.name] = allowed
    asked = {question.name for question in definition.asked(draft)}
    unanswered = [
        name for name in asked if definition.by_name[name].required and definition.by_name[name].is_blank(draft[name])
    ]
    doubted = {doubt.path for doubt in doubts}
    doubts += [
        Finding(name, gettext_noop("the model gave no answer."), "model", said={})
        for name in draft
        if name in unanswered and name not in doubted
    ]
    return ModelSuggestion({name: value if name in asked else None for name, value in draft.items()}, doubts)
