"""The JSON schema of a released row, made from a definition."""

from collections.abc import Iterator
from typing import Any

from annotate.kinds.contract import ASIDE, METADATA
from annotate.kinds.form.material import TEXTUAL
from annotate.kinds.questions.base import Question
from annotate.kinds.questions.definition import NAMES_FILES, Definition
from annotate.kinds.questions.versions import Versions

DIALECT = "https://json-schema.org/draft/2020-12/schema"
JsonSchema = dict[str, Any]
_TEXT = {"type": ["string", "number", "boolean"]}
_SHOWN: dict[str, JsonSchema] = {
    **dict.fromkeys(TEXTUAL, _TEXT),
    "texts": {"type": "array", "items": {"type": ["string", "object"]}},
    "table": {"type": "array", "items": {"type": ["array", "object"]}},
    "chat": {"type": ["array", "string"]},
    **{way: {"type": "string", "description": "the name of a file"} for way in NAMES_FILES},
}
_BLANK: JsonSchema = {"description": "not answered", "enum": [None, "", []]}


def row_schema(versions: Versions, *, per_rater: bool, decided: bool) -> JsonSchema:
    """The columns of the newest version and its questions; see Kind.row_schema."""
    definition = versions.newest
    is_strict = versions.number == 1 and (decided or per_rater)
    answers = {
        question.name: _answers(question, is_strict=is_strict, may_be_blank=not per_rater)
        for question in definition.questions
        if per_rater or question.name not in definition.shared_names
    }
    retired = {name: {"description": "asked in an older version"} for name in versions.retired}
    columns = {"rater": {"type": "string", "minLength": 1}} if per_rater else dict(_columns(definition))
    needed = ["rater"] if per_rater else [name for name in columns if name not in definition.optional_columns]
    return {
        "$schema": DIALECT,
        "type": "object",
        "properties": {
            "key": {"type": "string", "minLength": 1},
            **columns,
            **answers,
            **retired,
            METADATA: {"type": "object"},
            "provenance": {"type": "object"},
        },
        "required": ["key", *needed, "provenance"],
        "additionalProperties": False,
    }


def _columns(definition: Definition) -> Iterator[tuple[str, JsonSchema]]:
    for entry in definition.show:
        for column in entry.columns:
            if column not in ASIDE:
                title = {"title": entry.heading()} if column == entry.field else {}
                yield column, title | (_TEXT if column == entry.alt else _SHOWN.get(entry.shown_as, {}))
    for question in definition.questions:
        for column, schema in question.column_schema().items():
            yield column, {"title": question.label("en")} | schema


def _answers(question: Question, *, is_strict: bool, may_be_blank: bool) -> JsonSchema:
    """is_strict: only what the newest version allows."""
    allowed = [question.answer_schema()]
    if not is_strict:
        allowed.append(_of_its_type(allowed[0]))
    if may_be_blank:
        allowed.append(_BLANK)
    about = {"title": question.label("en"), "description": question.in_words("en")}
    return {name: text for name, text in about.items() if text} | {"anyOf": allowed}


def _of_its_type(schema: JsonSchema) -> JsonSchema:
    """Any answer of this type: one of an older version, or of work that nobody has decided."""
    if "type" not in schema:
        return {}
    return {"type": ["number", "string"] if schema["type"] == "number" else schema["type"]}
