"""Argilla: records with fields, suggestions and responses, as `records.to_json` writes them, or one record per line.

Fields are facts; `id` is the key. A response becomes the top-level draft, suggestions become the suggestion of the
agent that they name. A fact or answer that is not a text, label or list of labels is JSON in a text, under
`<name>__json`. Records of version 1, in which suggestions are a list and responses hold `values`, are read too. A
record without `fields` is itself the fields, as in Argilla.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.formats.foreign_rows import Bad, Warnings, decoded, read_objects, read_several
from annotate.formats.format import Format
from annotate.formats.rows import (
    JSON,
    JSON_ENDING,
    Columns,
    FieldSeen,
    ImportRow,
    ObservedValues,
    Out,
    Problem,
    joined,
    shape_of,
    text_fields,
)
from annotate.formats.source import Source
from annotate.formats.tools.argilla_answers import RecordAnswers
from annotate.formats.tools.argilla_settings import to_argilla
from annotate.formats.tools.leftovers import BadConversion
from annotate.kinds.questions.definition import Definition

NOBODY = "00000000-0000-0000-0000-000000000000"  # responses name an account; releases name no person
AGENT = "argilla"
ITS_OWN = {
    "id",
    "external_id",
    "fields",
    "suggestions",
    "responses",
    "status",
    "_server_id",
    "inserted_at",
    "updated_at",
}
FEWEST_LABELS = 2  # of a question that offers labels
TYPES = {"choice": "label_selection", "choices": "multi_label_selection"}
Answers = Mapping[str, Sequence[Mapping[str, Any]]]


class Argilla(Format):
    slug = "argilla"
    name = gettext_lazy("Argilla: records with suggestions and responses")
    written_as = ".json"
    content_type = "application/json"
    beside_as = ".settings.json"
    cannot_hold = (
        gettext_lazy("who wrote and reviewed a text, when, and by which guidelines (provenance)"),
        gettext_lazy("doubts about a suggestion"),
    )

    def __init__(self, definition: Definition | None = None) -> None:
        self.own = RecordAnswers(definition) if definition else None

    def for_definition(self, definition: Definition | None) -> "Argilla":
        return Argilla(definition) if definition else self

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        yield from read_objects(source, partial(_native, self.own))

    def rating_rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        """One row for each user who has responded, with the fields that the definition shows."""
        yield from read_several(source, partial(_ratings, self.own))

    def written(self, rows: Iterable[Out], columns: Columns) -> Iterator[bytes]:
        records = (_record(self.own, out) for out in rows)
        yield from joined(json.dumps(record, ensure_ascii=False, allow_nan=False).encode() for record in records)

    def beside(self, summary: ObservedValues) -> bytes:
        """The dataset settings: fields and questions of a dataset that takes these records."""
        if self.own and (settings := _own_settings(self.own, summary)):
            return settings
        fields = [_field(name, required=rows == summary.rows) for name, rows in summary.facts.items()]
        question_fields = {
            name: field for name, field in summary.draft.items() if field.how != "choices" or field.values
        }
        required = _required(question_fields, summary.drafted)
        questions = [_question(name, field, required=name == required) for name, field in question_fields.items()]
        dataset = {"guidelines": None, "allow_extra_metadata": True, "fields": fields, "questions": questions}
        return (json.dumps(dataset, ensure_ascii=False, indent=2) + "\n").encode()


# --- reading ----------------------------------------------------------------------------------------------------------
def _native(own: RecordAnswers | None, record: Mapping[str, Any], warnings: Warnings) -> dict[str, Any]:
    if "fields" not in record:
        return dict(record)
    value = _facts(record, warnings)
    suggested = _answers(record, "suggestions", _listed_suggestions)
    draft = _draft(own, _answers(record, "responses", _listed_responses), "responses", value, warnings)
    if suggested:
        agents = [answers[0].get("agent") for answers in suggested.values() if answers]
        model = next((agent for agent in agents if isinstance(agent, str) and agent), AGENT)
        suggestion = _draft(own, suggested, "suggestions", value, warnings)
        value["suggestion"] = {**suggestion, "model": model}
    return value | draft


def _ratings(own: RecordAnswers | None, record: Mapping[str, Any], warnings: Warnings) -> list[dict[str, Any]]:
    """A row for each user who has responded."""
    if own is None or "fields" not in record:
        return [_native(own, record, warnings)]
    value = _facts(record, warnings)
    material = {name: value[name] for name in ("key", *own.definition.columns) if name in value}
    by_user: dict[str, dict[str, Any]] = {}
    for question, answers in _answers(record, "responses", _listed_responses).items():
        for answer in answers:
            by_user.setdefault(str(answer.get("user_id") or NOBODY), {})[question] = [answer]
    drafts = {user: _draft(own, answers, "responses", value, warnings) for user, answers in by_user.items()}
    return [{**material, "rater": user, **draft} for user, draft in drafts.items() if draft]


def _facts(record: Mapping[str, Any], warnings: Warnings) -> dict[str, Any]:
    """Its fields and its key. Raises Bad."""
    if not isinstance(record["fields"], dict):
        raise Bad("fields", _("must be an object with the facts of the record."))
    for name in record:
        if name not in ITS_OWN and record[name]:
            warnings.append((name, _("is not imported: there is no field for it.")))
    value = decoded(record["fields"], "fields")
    key = record.get("id") if record.get("external_id") is None else record["external_id"]
    if key is not None:
        value = {"key": str(key) if isinstance(key, int | str) and not isinstance(key, bool) else key} | value
    return value


def _answers(record: Mapping[str, Any], name: str, older: Any) -> Answers:
    """question -> its answers, each an object with `value`, in either version. Raises Bad."""
    answers = record.get(name) or {}
    if isinstance(answers, list):
        answers = older(answers, name)
    if not isinstance(answers, dict):
        raise Bad(name, _("must be an object: a question and its answer."))
    answers_by_question = {
        question: answer if isinstance(answer, list) else [answer] for question, answer in answers.items()
    }
    for question, question_answers in answers_by_question.items():
        if not all(isinstance(answer, dict) and "value" in answer for answer in question_answers):
            raise Bad(f"{name}.{question}", _("must be an object with a value."))
    return answers_by_question


def _listed_suggestions(entries: Sequence[Any], name: str) -> dict[str, Any]:
    answers_by_question = {}
    for index, entry in enumerate(entries):
        question = entry.get("question_name") if isinstance(entry, dict) else None
        if not isinstance(question, str):
            raise Bad(f"{name}[{index}]", _("must be an object with a question_name."))
        answers_by_question[question] = entry
    return answers_by_question


def _listed_responses(entries: Sequence[Any], name: str) -> dict[str, Any]:
    answers_by_question: dict[str, list[Any]] = {}
    for index, entry in enumerate(entries):
        values = entry.get("values") if isinstance(entry, dict) else None
        if not isinstance(values, dict):
            raise Bad(f"{name}[{index}]", _("must be an object with values."))
        if entry.get("status") != "discarded":
            for question, answer in values.items():
                response = {**answer, "user_id": entry.get("user_id")} if isinstance(answer, dict) else answer
                answers_by_question.setdefault(question, []).append(response)
    return answers_by_question


def _draft(
    own: RecordAnswers | None, answers: Answers, name: str, facts: Mapping[str, Any], warnings: Warnings
) -> dict[str, Any]:
    """The first answer to each question."""
    draft: dict[str, Any] = {}
    for question, question_answers in answers.items():
        for index in range(1, len(question_answers)):
            path = f"{name}.{question}[{index}]"
            warnings.append((path, _("is not imported: a row holds one draft. Import votes to keep several.")))
        if not question_answers:
            continue
        value = question_answers[0]["value"]
        if own:
            own.add(draft, question, value, facts, f"{name}.{question}")
        elif isinstance(value, list) and any(isinstance(part, dict) for part in value):
            warnings.append((f"{name}.{question}", _("is not imported: spans and rankings are not supported.")))
        else:
            draft[question] = value
    return decoded(draft, name)


# --- writing ----------------------------------------------------------------------------------------------------------
def _record(own: RecordAnswers | None, out: Out) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for name, value in out.draft.items():
        if own and own.holds(name, value):
            answers |= dict(own.written(name, value, out.facts))
        else:
            answers |= dict([_answer(name, value, out.how.get(name, ""))])
    suggestions = {name: {"value": value, "score": None, "agent": out.model} for name, value in answers.items()}
    responses = {name: [{"value": value, "user_id": NOBODY}] for name, value in answers.items()}
    return {
        "id": out.key,
        "fields": _fields(own, out.facts),
        "metadata": {},
        "suggestions": suggestions if out.model else {},
        "responses": {} if out.model else responses,
        "vectors": {},
        "status": "completed" if out.is_final else "pending",
    }


def _fields(own: RecordAnswers | None, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Texts, and conversations as they are, for which there are fields."""
    chats = {name: facts[name] for name in (own.definition.chat_columns if own else ()) if name in facts}
    return text_fields({name: value for name, value in facts.items() if name not in chats}) | chats


def _own_settings(own: RecordAnswers, summary: ObservedValues) -> bytes:
    """The settings of the definition, with the one required question that all rows have answered; empty for none."""
    try:
        dataset = json.loads(to_argilla(own.definition, keep_json=True).text)
    except BadConversion:
        return b""
    required = _required(summary.draft, summary.drafted).removesuffix(JSON_ENDING)
    names = [question["name"] for question in dataset["questions"]]
    for question in dataset["questions"]:
        question["required"] = question["name"] == (required if required in names else names[0])
    return (json.dumps(dataset, ensure_ascii=False, indent=2) + "\n").encode()


def _answer(name: str, value: Any, how: str) -> tuple[str, Any]:
    if shape_of(value, how) == JSON:
        return f"{name}{JSON_ENDING}", json.dumps(value, ensure_ascii=False)
    return name, value


def _field(name: str, *, required: bool) -> dict[str, Any]:
    settings = {"type": "text", "use_markdown": False}
    return {"name": name, "title": name.removesuffix(JSON_ENDING), "required": required, "settings": settings}


def _required(question_fields: Mapping[str, FieldSeen], drafted: int) -> str:
    """The required question; Argilla accepts no dataset without one."""
    everywhere = [name for name, field in question_fields.items() if field.rows == drafted]
    return next(iter(everywhere or question_fields), "")


def _question(name: str, field: FieldSeen, *, required: bool) -> dict[str, Any]:
    is_choice = field.how in TYPES and (field.how == "choices" or len(field.values) >= FEWEST_LABELS)
    settings: dict[str, Any] = {"type": TYPES[field.how] if is_choice else "text"}
    if is_choice:
        settings["options"] = [{"value": value, "text": value, "description": None} for value in field.values]
    else:
        settings["use_markdown"] = False
    return {"name": name, "title": field.label, "description": None, "required": required, "settings": settings}


FORMAT = Argilla()
