"""Argilla: records with fields, suggestions and responses, as `records.to_json` writes them, or a line each.

Fields are facts; `id` is the key. A response becomes the draft at top level, suggestions the suggestion of the agent
that they name. A fact or answer that is no text, label or list of labels is JSON in a text, under `<name>__json`.
Records of version 1, whose suggestions are a list and whose responses hold `values`, are read too. A record without
`fields` is its own fields, as there.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.formats.base import Format
from annotate.formats.outgoing import JSON, JSON_ENDING, Columns, FieldSeen, Out, Seen, joined, shape_of, text_fields
from annotate.formats.rows import Problem, Row
from annotate.formats.source import Source
from annotate.formats.tool_rows import Bad, Warnings, decoded, read

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
        gettext_lazy("what was doubtful about a suggestion"),
    )

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[Row | Problem]:
        yield from read(source, _native)

    def written(self, rows: Iterable[Out], columns: Columns) -> Iterator[bytes]:
        yield from joined(json.dumps(_record(out), ensure_ascii=False, allow_nan=False).encode() for out in rows)

    def beside(self, seen: Seen) -> bytes:
        """Fields and questions of a dataset that takes these records."""
        fields = [_field(name, required=rows == seen.rows) for name, rows in seen.facts.items()]
        asked = {name: one for name, one in seen.draft.items() if one.how != "choices" or one.values}
        required = _required(asked, seen.drafted)
        questions = [_question(name, one, required=name == required) for name, one in asked.items()]
        told = {"guidelines": None, "allow_extra_metadata": True, "fields": fields, "questions": questions}
        return (json.dumps(told, ensure_ascii=False, indent=2) + "\n").encode()


# --- reading ----------------------------------------------------------------------------------------------------------
def _native(record: Mapping[str, Any], warnings: Warnings) -> dict[str, Any]:
    if "fields" not in record:
        return dict(record)
    if not isinstance(record["fields"], dict):
        raise Bad("fields", _("must be an object with the facts of the record."))
    for name in record:
        if name not in ITS_OWN and record[name]:
            warnings.append((name, _("is not read: nothing here can hold it.")))
    value = decoded(record["fields"], "fields")
    key = record.get("id") if record.get("external_id") is None else record["external_id"]
    if key is not None:
        value = {"key": str(key) if isinstance(key, int | str) and not isinstance(key, bool) else key} | value
    suggested = _answers(record, "suggestions", _listed_suggestions)
    if suggested:
        agents = [one[0].get("agent") for one in suggested.values() if one]
        model = next((agent for agent in agents if isinstance(agent, str) and agent), AGENT)
        value["suggestion"] = {**_draft(suggested, "suggestions", warnings), "model": model}
    return value | _draft(_answers(record, "responses", _listed_responses), "responses", warnings)


def _answers(record: Mapping[str, Any], name: str, older: Any) -> Answers:
    """question -> its answers, each an object with `value`; whichever version wrote them. Raises Bad."""
    given = record.get(name) or {}
    if isinstance(given, list):
        given = older(given, name)
    if not isinstance(given, dict):
        raise Bad(name, _("must be an object: a question and its answer."))
    found = {question: one if isinstance(one, list) else [one] for question, one in given.items()}
    for question, each in found.items():
        if not all(isinstance(one, dict) and "value" in one for one in each):
            raise Bad(f"{name}.{question}", _("must be an object with a value."))
    return found


def _listed_suggestions(given: Sequence[Any], name: str) -> dict[str, Any]:
    found = {}
    for place, one in enumerate(given):
        question = one.get("question_name") if isinstance(one, dict) else None
        if not isinstance(question, str):
            raise Bad(f"{name}[{place}]", _("must be an object with a question_name."))
        found[question] = one
    return found


def _listed_responses(given: Sequence[Any], name: str) -> dict[str, Any]:
    found: dict[str, list[Any]] = {}
    for place, one in enumerate(given):
        values = one.get("values") if isinstance(one, dict) else None
        if not isinstance(values, dict):
            raise Bad(f"{name}[{place}]", _("must be an object with values."))
        if one.get("status") != "discarded":
            for question, answer in values.items():
                found.setdefault(question, []).append(answer)
    return found


def _draft(answers: Answers, name: str, warnings: Warnings) -> dict[str, Any]:
    """The first answer to each question."""
    draft = {}
    for question, each in answers.items():
        for place in range(1, len(each)):
            path = f"{name}.{question}[{place}]"
            warnings.append((path, _("is not read: a row holds one draft. Import votes to keep several.")))
        if not each:
            continue
        value = each[0]["value"]
        if isinstance(value, list) and any(isinstance(one, dict) for one in value):
            warnings.append((f"{name}.{question}", _("is not read: spans and rankings have no place here.")))
        else:
            draft[question] = value
    return decoded(draft, name)


# --- writing ----------------------------------------------------------------------------------------------------------
def _record(out: Out) -> dict[str, Any]:
    answers = dict(_answer(name, value, out.how.get(name, "")) for name, value in out.draft.items())
    suggestions = {name: {"value": value, "score": None, "agent": out.model} for name, value in answers.items()}
    responses = {name: [{"value": value, "user_id": NOBODY}] for name, value in answers.items()}
    return {
        "id": out.key,
        "fields": text_fields(out.facts),
        "metadata": {},
        "suggestions": suggestions if out.model else {},
        "responses": {} if out.model else responses,
        "vectors": {},
        "status": "completed" if out.is_final else "pending",
    }


def _answer(name: str, value: Any, how: str) -> tuple[str, Any]:
    if shape_of(value, how) == JSON:
        return f"{name}{JSON_ENDING}", json.dumps(value, ensure_ascii=False)
    return name, value


def _field(name: str, *, required: bool) -> dict[str, Any]:
    settings = {"type": "text", "use_markdown": False}
    return {"name": name, "title": name.removesuffix(JSON_ENDING), "required": required, "settings": settings}


def _required(asked: Mapping[str, FieldSeen], drafted: int) -> str:
    """The question without whose answer nothing is handed in; the tool takes no dataset without one."""
    everywhere = [name for name, one in asked.items() if one.rows == drafted]
    return next(iter(everywhere or asked), "")


def _question(name: str, one: FieldSeen, *, required: bool) -> dict[str, Any]:
    is_choice = one.how in TYPES and (one.how == "choices" or len(one.values) >= FEWEST_LABELS)
    settings: dict[str, Any] = {"type": TYPES[one.how] if is_choice else "text"}
    if is_choice:
        settings["options"] = [{"value": value, "text": value, "description": None} for value in one.values]
    else:
        settings["use_markdown"] = False
    return {"name": name, "title": one.label, "description": None, "required": required, "settings": settings}


FORMAT = Argilla()
