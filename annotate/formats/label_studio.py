"""Label Studio: tasks with their annotations and predictions, as its exports and imports have them.

Facts are in `data`, next to `key`. A draft has one result per field: `textarea`, `choices`, `pairwise` (left is
`first`, right is `second`), `rating`, `number`. So that our own files are read back unchanged, a field with several
choices is called `<name>__list`, a field with JSON `<name>__json`, and a choice between two texts that is neither of
them `<name>__other`. Label Studio needs every displayed text in every task: if a row has none, it is empty and
`<name>__absent` marks it. An annotation becomes the top-level draft, a prediction becomes the suggestion of the model
that it names. A task without `data` is itself the data, as in Label Studio.

Answers to own questions stand as the configuration of their definition has them (tools/label_studio_answers.py).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from xml.sax.saxutils import quoteattr

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.formats.foreign_rows import Bad, Warnings, decoded, read_objects, read_several
from annotate.formats.format import Format
from annotate.formats.rows import JSON, JSON_ENDING, Columns, ImportRow, ObservedValues, Out, Problem, joined, shape_of
from annotate.formats.source import Source
from annotate.formats.tools.label_studio_answers import ResultAnswers
from annotate.formats.tools.label_studio_writing import to_label_studio
from annotate.formats.tools.leftovers import BadConversion
from annotate.kinds.questions.definition import Definition

LIST_ENDING = "__list"
OTHER_ENDING = "__other"  # of a choice between two texts that is neither of them
ABSENT_ENDING = "__absent"  # marks a text that the row does not have: whether it is missing or null
SIDES = {"left": "first", "right": "second"}
SELECTED = {side: selected for selected, side in SIDES.items()}
MISSING, NULL = "missing", "null"
MODEL, NOBODY = "label-studio", "annotator"
LONGEST_RATER = 80  # characters
# What Label Studio writes besides data and annotations; a native row has no place for any of it.
ITS_OWN = {"id", "data", "annotations", "predictions", "completions", "inner_id", "project", "drafts", "file_upload"}
ITS_OWN |= {"created_at", "updated_at", "updated_by", "total_annotations", "total_predictions", "cancelled_annotations"}
ITS_OWN |= {"comment_count", "unresolved_comment_count", "last_comment_updated_at", "comment_authors", "meta"}


class LabelStudio(Format):
    slug = "label_studio"
    name = gettext_lazy("Label Studio: tasks with annotations")
    written_as = ".json"
    content_type = "application/json"
    beside_as = ".config.xml"
    cannot_hold = (
        gettext_lazy("who wrote and reviewed a text, when, and by which guidelines (provenance)"),
        gettext_lazy("doubts about a suggestion"),
    )

    def __init__(self, definition: Definition | None = None) -> None:
        self.answers = ResultAnswers(definition) if definition else None

    def for_definition(self, definition: Definition | None) -> "LabelStudio":
        return LabelStudio(definition) if definition else self

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        yield from read_objects(source, partial(_native, self.answers))

    def rating_rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        """One row for each annotation, with the columns of its task that the definition shows."""
        yield from read_several(source, partial(_ratings, self.answers))

    def written(self, rows: Iterable[Out], columns: Columns) -> Iterator[bytes]:
        tasks = (_task(self.answers, number, out) for number, out in enumerate(rows, start=1))
        yield from joined(json.dumps(task, ensure_ascii=False, allow_nan=False).encode() for task in tasks)

    def beside(self, summary: ObservedValues) -> bytes:
        """A labelling configuration for these tasks."""
        return (_own_config(self.answers) or _config(summary)).encode()


# --- reading ----------------------------------------------------------------------------------------------------------
def _native(answers: ResultAnswers | None, task: Mapping[str, Any], warnings: Warnings) -> dict[str, Any]:
    if "data" not in task:
        return dict(task)
    data = _data_of(task, warnings)
    value = _keyed(answers, task, decoded(data, "data"))
    predicted = _first(answers, task, "predictions", data, warnings)
    annotated = _first(answers, task, "annotations", data, warnings)
    if predicted is not None:
        model = predicted[1].get("model_version")
        value["suggestion"] = {**predicted[0], "model": model if isinstance(model, str) and model else MODEL}
    return value | (annotated[0] if annotated is not None else {})


def _data_of(task: Mapping[str, Any], warnings: Warnings) -> dict[str, Any]:
    data = task["data"]
    if not isinstance(data, dict):
        raise Bad("data", _("must be an object with the facts of the task."))
    for name in task:
        if name not in ITS_OWN:
            warnings.append((name, _("is not imported: there is no field for it.")))
    return _without_absent(data)


def _keyed(answers: ResultAnswers | None, task: Mapping[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """With the number of the task as its key, if its data have none, so that ratings find their items."""
    number = task.get("id")
    if answers is None or "key" in value or isinstance(number, bool) or not isinstance(number, int):
        return value
    return {"key": str(number), **value}


def _ratings(answers: ResultAnswers | None, task: Mapping[str, Any], warnings: Warnings) -> list[dict[str, Any]]:
    """A row for each annotation that was not cancelled and says something."""
    if answers is None or "data" not in task:
        return [_native(answers, task, warnings)]
    data = _data_of(task, warnings)
    value = _keyed(answers, task, decoded(data, "data"))
    material = {name: value[name] for name in ("key", *answers.definition.columns) if name in value}
    for index, _entry in _standing(task, "predictions"):
        warnings.append((f"predictions[{index}]", _("is no rating; import_items reads it as a suggestion.")))
    rows = []
    for index, entry in _standing(task, "annotations"):
        draft = _draft(answers, entry, f"annotations[{index}]", data, warnings)
        if draft:
            rows.append({**material, "rater": _rater(entry), **draft})
    return rows


def _rater(annotation: Mapping[str, Any]) -> str:
    """The address or the number of the account."""
    account = annotation.get("completed_by")
    if isinstance(account, dict):
        account = account.get("email") or account.get("username") or account.get("id")
    return str(account)[:LONGEST_RATER] if account else NOBODY


def _without_absent(data: Mapping[str, Any]) -> dict[str, Any]:
    marks = {name: how for name, how in data.items() if name.endswith(ABSENT_ENDING)}
    absent = {name.removesuffix(ABSENT_ENDING): how for name, how in marks.items()}
    values = {name: value for name, value in data.items() if name not in absent and name not in marks}
    return values | {name: None for name, how in absent.items() if how == NULL}


def _standing(task: Mapping[str, Any], name: str) -> list[tuple[int, Mapping[str, Any]]]:
    """The annotations or predictions that were not cancelled, with their places."""
    listed = task.get(name) or []
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise Bad(name, _("must be a list of objects."))
    return [(index, entry) for index, entry in enumerate(listed) if not entry.get("was_cancelled")]


def _first(
    answers: ResultAnswers | None,
    task: Mapping[str, Any],
    name: str,
    data: Mapping[str, Any],
    warnings: Warnings,
) -> tuple[dict[str, Any], Mapping[str, Any]] | None:
    """The draft of the first annotation that was not cancelled, and the annotation itself."""
    standing = _standing(task, name)
    if not standing:
        return None
    for index, _entry in standing[1:]:
        warnings.append(
            (f"{name}[{index}]", _("is not imported: a row holds one draft. Import votes to keep several."))
        )
    index, entry = standing[0]
    draft = _draft(answers, entry, f"{name}[{index}]", data, warnings)
    return (draft, entry) if draft else None


def _draft(
    answers: ResultAnswers | None,
    entry: Mapping[str, Any],
    place: str,
    data: Mapping[str, Any],
    warnings: Warnings,
) -> dict[str, Any]:
    """The answers of one annotation. Results of tags that the definition does not have are read as other kinds' are."""
    results = entry.get("result") or []
    if not isinstance(results, list):
        raise Bad(f"{place}.result", _("must be a list."))
    placed = [(f"{place}.result[{number}]", result) for number, result in enumerate(results)]
    own = answers.own_results(placed) if answers else []
    paths = {path for path, _result in own}
    draft: dict[str, Any] = {}
    for path, result in placed:
        if path not in paths:
            draft |= _answer(result, path, warnings)
    return draft | (answers.read(own, data, warnings) if answers else {})


def _answer(result: Any, path: str, warnings: Warnings) -> dict[str, Any]:
    """Field -> value of one result; empty if no draft can hold it."""
    if isinstance(result, dict) and result.get("type") == "relation":
        warnings.append((path, _("is not imported: relations are not supported.")))
        return {}
    if not isinstance(result, dict) or not isinstance(result.get("value"), dict):
        raise Bad(path, _("must be an object with a value."))
    name, value, sort = result.get("from_name"), result["value"], result.get("type")
    if not isinstance(name, str) or not name:
        raise Bad(f"{path}.from_name", _("is missing or not text."))
    read_as = _READERS.get(str(sort))
    if read_as is None:
        warnings.append((path, _("is not imported: results of the type %(type)s are not supported.") % {"type": sort}))
        return {}
    try:
        answer = read_as(value, name)
    except (KeyError, TypeError, ValueError):
        raise Bad(f"{path}.value", _("does not fit its type %(type)s.") % {"type": sort}) from None
    return decoded({name.removesuffix(LIST_ENDING).removesuffix(OTHER_ENDING): answer}, f"{path}.value")


def _texts(value: Any) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise TypeError
    return texts


def _choices(value: Mapping[str, Any], name: str) -> Any:
    choices = _texts(value["choices"])
    return choices if name.endswith(LIST_ENDING) or len(choices) != 1 else choices[0]


def _number(number: Any) -> Any:
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise TypeError
    return number


_READERS = {
    "textarea": lambda value, name: "\n".join(_texts(value["text"])),
    "choices": _choices,
    "pairwise": lambda value, name: SIDES[value["selected"]],
    "rating": lambda value, name: _number(value["rating"]),
    "number": lambda value, name: _number(value["number"]),
}


# --- writing ----------------------------------------------------------------------------------------------------------
def _task(answers: ResultAnswers | None, number: int, out: Out) -> dict[str, Any]:
    task: dict[str, Any] = {"id": number, "data": _data(answers, out), "annotations": [], "predictions": []}
    if out.draft:
        results = [result for name, value in out.draft.items() for result in _results(answers, name, value, out)]
        if out.model:
            task["predictions"] = [{"model_version": out.model, "result": results}]
        else:
            task["annotations"] = [{"result": results, "ground_truth": out.is_final}]
    return task


def _data(answers: ResultAnswers | None, out: Out) -> dict[str, Any]:
    """Facts, and an empty text with a mark for each displayed text that this row does not have."""
    data = {"key": out.key, **out.facts}
    for name in answers.objects if answers else out.shown:
        if out.facts.get(name) is None:
            data |= {name: "", f"{name}{ABSENT_ENDING}": NULL if name in out.facts else MISSING}
    return data


def _results(answers: ResultAnswers | None, name: str, value: Any, out: Out) -> Iterable[dict[str, Any]]:
    if answers and answers.holds(name, value):
        return answers.written(name, value)
    return [_result(name, value, out)]


def _result(name: str, value: Any, out: Out) -> dict[str, Any]:
    how = shape_of(value, out.how.get(name, ""))
    if how == "choice" and value in SELECTED and _is_pair(out.facts):
        return _result_entry(name, "first,second", "pairwise", {"selected": SELECTED[value]})
    to = out.shown[0] if out.shown else "key"
    if how in ("choice", "choices"):
        called, choices = (name, [value]) if how == "choice" else (f"{name}{LIST_ENDING}", value)
        called += OTHER_ENDING if how == "choice" and _is_pair(out.facts) else ""
        return _result_entry(called, to, "choices", {"choices": choices})
    called, text = (name, value) if how != JSON else (f"{name}{JSON_ENDING}", json.dumps(value, ensure_ascii=False))
    return _result_entry(called, to, "textarea", {"text": [text]})


def _result_entry(name: str, to: str, sort: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": to, "type": sort, "value": value}


def _is_pair(facts: Mapping[str, Any]) -> bool:
    return isinstance(facts.get("first"), str) and isinstance(facts.get("second"), str)


def _own_config(answers: ResultAnswers | None) -> str:
    """The configuration of a definition, with a text for each question that has no counterpart; "" if none has one."""
    try:
        return to_label_studio(answers.definition, keep_json=True).text if answers else ""
    except BadConversion:
        return ""


def _config(summary: ObservedValues) -> str:
    texts = list(summary.shown) or ["key"]
    to = texts[0]
    lines = [f"  <Header value={quoteattr(name)}/>\n  <Text name={quoteattr(name)} value={quoteattr('$' + name)}/>"
             for name in texts]  # fmt: skip
    for name, field in summary.draft.items():
        lines.append(f"  <Header value={quoteattr(field.label)}/>")
        lines += _control(name, field.how, list(field.values), to, is_pair={"first", "second"} <= set(texts))
    return "\n".join(["<View>", *lines, "</View>", ""])


def _control(name: str, how: str, values: Sequence[str], to: str, *, is_pair: bool) -> Iterator[str]:
    if how == "choice" and is_pair:
        yield f'  <Pairwise name={quoteattr(name)} toName="first,second"/>'
        values = [value for value in values if value not in SELECTED]
        name = f"{name}{OTHER_ENDING}"
        if not values:
            return
    if how in ("choice", "choices") and values:
        called, choice = (name, "single") if how == "choice" else (f"{name}{LIST_ENDING}", "multiple")
        yield f'  <Choices name={quoteattr(called)} toName={quoteattr(to)} choice="{choice}">'
        yield from (f"    <Choice value={quoteattr(value)}/>" for value in values)
        yield "  </Choices>"
    elif how != "choices":  # whose choices are unknown
        yield f'  <TextArea name={quoteattr(name)} toName={quoteattr(to)} rows="4" editable="true" maxSubmissions="1"/>'


FORMAT = LabelStudio()
