"""Answers to own questions as results of Label Studio, and back, for the tasks of one definition.

Results carry the names of their tags in the configuration. Marks in a `Text` count code points there, as here. Versions
of before 2021 counted UTF-16 units: where the words at an offset are others than those in the file, the offset is read
so.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from annotate.formats.foreign_rows import Bad, Warnings
from annotate.formats.tools.label_studio_names import (
    NONE,
    NOTE,
    OTHER,
    column_name,
    object_name,
    part_name,
    rank_name,
    repeated_name,
    turn_name,
    turn_text_name,
)
from annotate.formats.tools.label_studio_writing import WRITERS, is_stars, material_columns
from annotate.formats.tools.leftovers import question_name
from annotate.formats.tools.offsets import code_point_offsets
from annotate.kinds.questions.base import Question
from annotate.kinds.questions.definition import Definition
from annotate.kinds.questions.places import stored_text
from annotate.kinds.questions.types.pair import Pair
from annotate.kinds.questions.types.ranking import Ranking
from annotate.kinds.questions.types.rating import Rating
from annotate.kinds.questions.types.spans import Spans
from annotate.kinds.questions.types.turns import Turns

Result = Mapping[str, Any]
SIDES = {"first": "left", "second": "right"}
REGIONS = ("labels", "hypertextlabels")


@dataclass(frozen=True)
class ResultTag:
    """What a tag is for: part "" is the question itself; column: of a mark or a rank; turn: place, from 0."""

    question: Question
    part: str = ""
    column: str = ""
    turn: int | None = None


@dataclass
class _Marks:
    """The spans of one question by their ids. none: whether somebody said that there is none."""

    by_id: dict[str, dict[str, Any]] = field(default_factory=dict)
    none: bool = False


class DefinitionTags:
    """The tags of a definition. objects: shown column -> name of its tag."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.objects = {column: object_name(column, n) for n, column in enumerate(material_columns(definition))}
        self.columns = {name: column for column, name in self.objects.items()}
        self._tags = {name: tag for question in definition.questions for name, tag in _tags(question)}
        self._attributes = {
            name: ResultTag(question, name)
            for question in definition.questions
            if isinstance(question, Spans)
            for name in question.attributes
        }

    def tag_of(self, name: str) -> ResultTag | None:
        """The tag of this name, also of a configuration that other people wrote."""
        called = question_name(name)
        for candidate in (name, called, f"{called}_"):
            if tag := self._tags.get(candidate) or self._attributes.get(candidate):
                return tag
        return self._turn_of(name)

    def _turn_of(self, name: str) -> ResultTag | None:
        """The tag of a question about each turn, whose name ends with the place of the turn."""
        repeated = repeated_name(name)
        if repeated is None:
            return None
        called = question_name(repeated[0])
        questions = [self.definition.by_name.get(candidate) for candidate in (repeated[0], called, f"{called}_")]
        turns_question = next((question for question in questions if isinstance(question, Turns)), None)
        return ResultTag(turns_question, turn=repeated[1]) if turns_question else None

    def own_results(self, placed: Sequence[tuple[str, Any]]) -> list[tuple[str, Result]]:
        """Those with a tag of ours, and those about marks of ours. placed: (path, result)."""
        own = [(path, result) for path, result in placed if _is_result(result)]
        tagged = [(path, result) for path, result in own if self.tag_of(result["from_name"])]
        marks = {str(result["id"]) for _path, result in tagged if result.get("type") in REGIONS and "id" in result}
        return [entry for entry in own if entry in tagged or str(entry[1].get("id")) in marks]


@dataclass
class ResultReading:
    """The reading of one annotation. facts: the data of its task. warnings: (path, message) of what was noticed."""

    tags: DefinitionTags
    facts: Mapping[str, Any]
    warnings: Warnings
    answers: dict[str, Any] = field(default_factory=dict)
    marks: dict[str, _Marks] = field(default_factory=dict)

    def read(self, results: Sequence[tuple[str, Result]]) -> dict[str, Any]:
        """Its answers. results: (path, result) of our tags or marks. Raises Bad for a value that does not fit."""
        for path, result in sorted(results, key=lambda placed: placed[1].get("type") not in REGIONS):
            try:
                self._read_result(path, result)
            except (AttributeError, IndexError, KeyError, TypeError, ValueError):
                message = _("does not fit its type %(type)s.") % {"type": result.get("type")}
                raise Bad(f"{path}.value", message) from None
        said = {name: marks for name, marks in self.marks.items() if marks.by_id or marks.none}
        return self.answers | {name: list(marks.by_id.values()) for name, marks in said.items()}

    def _read_result(self, path: str, result: Result) -> None:
        tag = self.tags.tag_of(result["from_name"])
        if tag and isinstance(tag.question, Spans) and not tag.part:
            self._read_span(tag.question, path, result)
        elif not self._about_mark(tag, path, result) and tag:
            self._read_value(tag, path, result)

    def _read_span(self, question: Spans, path: str, result: Result) -> None:
        value = result["value"]
        labels = value.get(result["type"]) or value.get("labels") or []
        if len(labels) > 1:
            self.warnings.append((path, _("has several labels; only the first one is imported.")))
        column = self._column(question, result)
        text = stored_text(self.facts, column)
        start, end, words = code_point_offsets(text, value.get("start"), value.get("end"), value.get("text"))
        span = {"field": column, "start": start, "end": end, "text": words, "label": str(labels[0]) if labels else ""}
        self._marks_of(question).by_id[str(result.get("id") or path)] = span

    def _marks_of(self, question: Question) -> _Marks:
        return self.marks.setdefault(question.name, _Marks())

    def _column(self, question: Spans, result: Result) -> str:
        """The column of a mark: by the name of its object, else the one in which its words stand at this place."""
        named = self.tags.columns.get(str(result.get("to_name")))
        if named in question.on or len(question.on) == 1:
            return str(named) if named in question.on else question.on[0]
        value = result["value"]
        for column in question.on:
            if value.get("text") and stored_text(self.facts, column)[value["start"] : value["end"]] == value["text"]:
                return column
        return question.on[0]

    def _about_mark(self, tag: ResultTag | None, path: str, result: Result) -> bool:
        """Whether the result is about a mark that was read; its value is added to it."""
        mark = str(result.get("id"))
        span = next((marks.by_id[mark] for marks in self.marks.values() if mark in marks.by_id), None)
        if span is None:
            return False
        value, sort = result["value"], result.get("type")
        if sort == "textarea":
            span["note"] = _joined(value["text"])
        elif sort in ("choices", "rating") and tag is not None:
            span[tag.part] = str(value["rating"]) if sort == "rating" else _choices(value)[0]
        else:
            self.warnings.append((path, _("is not imported: there is no place for it at a mark.")))
        return True

    def _read_value(self, tag: ResultTag, path: str, result: Result) -> None:
        question, value = tag.question, result["value"]
        if isinstance(question, Spans):
            self._marks_of(question).none |= tag.part == NONE
        elif isinstance(question, Ranking):
            ranks = self.answers.setdefault(question.name, [None] * len(question.of))
            ranks[question.of.index(tag.column)] = _whole(value["number"])
        elif isinstance(question, Turns):
            self._read_turn(question, tag.turn, path, value)
        elif isinstance(question, Pair):
            self.answers[question.name] = self._read_pair(question, tag, result)
        else:
            self.answers[question.name] = _plain(question, value)

    def _read_turn(self, question: Turns, place: int | None, path: str, value: Mapping[str, Any]) -> None:
        if place is None:
            message = _("is about a message of the annotation; only those in the data are turns here.")
            self.warnings.append((path, message))
        elif question.of in self.facts and place not in question.asked(self.facts):
            message = _("is about turn %(turn)d, which is not asked about here; it is left out.")
            self.warnings.append((path, message % {"turn": place}))
        else:
            answer = {"turn": place, "value": _plain(question.each, value)}
            self.answers.setdefault(question.name, []).append(answer)

    def _read_pair(self, question: Pair, tag: ResultTag, result: Result) -> str:
        if tag.part == OTHER:
            return str(_choices(result["value"])[0])
        selected = {side: answer for answer, side in SIDES.items()}[result["value"]["selected"]]
        shown_left = str(result.get("to_name")).partition(",")[0]
        is_exchanged = shown_left == self.tags.objects.get(question.of[1])
        return {"first": "second", "second": "first"}[selected] if is_exchanged else selected


def _is_result(result: Any) -> bool:
    is_object = isinstance(result, dict) and isinstance(result.get("value"), dict)
    return is_object and isinstance(result.get("from_name"), str)


def _tags(question: Question) -> Iterator[tuple[str, ResultTag]]:
    """The names of the tags of a question."""
    if isinstance(question, Spans):
        yield part_name(question.name, NONE), ResultTag(question, NONE)
        for index, column in enumerate(question.on):
            yield column_name(question.name, index), ResultTag(question, "", column)
            for part in (*question.attributes, NOTE):
                yield part_name(question.name, part, index), ResultTag(question, part, column)
    elif isinstance(question, Ranking):
        yield from (
            (rank_name(question.name, n), ResultTag(question, "", column)) for n, column in enumerate(question.of)
        )
    elif question.type in WRITERS:
        yield question.name, ResultTag(question)  # of turns: about a message that is marked in a `Chat`
        yield part_name(question.name, OTHER), ResultTag(question, OTHER)


def _plain(question: Question, value: Mapping[str, Any]) -> Any:
    if "choices" in value or "taxonomy" in value:
        choices = _choices(value)
        answer = choices if question.type == "choices" else choices[0]
        return _whole(answer) if isinstance(question, Rating) else answer
    if "rating" in value:
        return _whole(value["rating"])
    if "number" in value:
        if isinstance(value["number"], bool) or not isinstance(value["number"], int | float):
            raise TypeError
        return value["number"]
    return _joined(value["text"])


def _joined(texts: Any) -> str:
    return "\n".join(map(_text, texts if isinstance(texts, list) else [texts]))


def _choices(value: Mapping[str, Any]) -> list[str]:
    """The chosen values; those of a tree with the names above them."""
    paths = value["taxonomy"] if "taxonomy" in value else value["choices"]
    values = ["/".join(map(_text, part)) if isinstance(part, list) else _text(part) for part in paths]
    if not values:
        raise ValueError
    return values


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _whole(value: Any) -> int:
    number = float(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or int(number) != number:
        raise TypeError
    return int(number)


# Both ways, for the tasks of one definition.


class ResultAnswers(DefinitionTags):
    """Answers of one definition, from results and to them."""

    def read(
        self, results: Sequence[tuple[str, Result]], facts: Mapping[str, Any], warnings: Warnings
    ) -> dict[str, Any]:
        """The answers of an annotation. results: those of `own_results`. Raises Bad for a value that does not fit."""
        return ResultReading(self, facts, warnings).read(results)

    def holds(self, name: str, answer: Any) -> bool:
        """Whether results can say this answer: not one without a tag, a blank one, or one of an older version."""
        question = self.definition.by_name.get(name)
        if question is None or question.type not in WRITERS or question.is_blank(answer):
            return False
        return not any(question.shape_faults(answer)) and question.fits(answer)

    def written(self, name: str, answer: Any) -> Iterator[dict[str, Any]]:
        """The results of an answer that is not blank; of spans, several for each."""
        question = self.definition.by_name[name]
        if isinstance(question, Spans):
            yield from self._written_spans(question, answer)
        elif isinstance(question, Ranking):
            for index, (column, rank) in enumerate(zip(question.of, answer, strict=True)):
                yield _result(rank_name(name, index), self.objects[column], "number", {"number": rank})
        elif isinstance(question, Turns):
            for part in answer:
                about = turn_text_name(name, part["turn"])
                yield _result(turn_name(name, part["turn"]), about, *_written_plain(question.each, part["value"]))
        elif isinstance(question, Pair) and answer in SIDES:
            about = ",".join(self.objects[column] for column in question.of)
            yield _result(name, about, "pairwise", {"selected": SIDES[answer]})
        elif isinstance(question, Pair):
            about = self.objects[question.of[0]]
            yield _result(part_name(name, OTHER), about, "choices", {"choices": [answer]})
        else:
            yield _result(name, self._about(question), *_written_plain(question, answer))

    def _about(self, question: Question) -> str:
        start = getattr(question, "start", None)
        return self.objects[start or next(iter(self.objects))]

    def _written_spans(self, question: Spans, spans: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        if not spans:
            about = self.objects[question.on[0]]
            yield _result(part_name(question.name, NONE), about, "choices", {"choices": [NONE]})
        for number, span in enumerate(spans, start=1):
            place = question.on.index(span["field"])
            about, mark = self.objects[span["field"]], {"id": f"{question.name}-{number}"}
            region = {name: span[name] for name in ("start", "end", "text")}
            labels = {"labels": [span["label"]]}
            yield _result(column_name(question.name, place), about, "labels", region | labels) | mark
            for name in question.attributes.keys() & span.keys():
                tag = part_name(question.name, name, place)
                yield _result(tag, about, "choices", region | {"choices": [span[name]]}) | mark
            if span.get("note"):
                tag = part_name(question.name, NOTE, place)
                yield _result(tag, about, "textarea", region | {"text": [span["note"]]}) | mark


def _written_plain(question: Question, answer: Any) -> tuple[str, dict[str, Any]]:
    """(type, value)"""
    match question.type:
        case "choices":
            return "choices", {"choices": answer}
        case "number":
            return "number", {"number": answer}
        case "text":
            return "textarea", {"text": [answer]}
    if isinstance(question, Rating) and is_stars(question):
        return "rating", {"rating": answer}
    return "choices", {"choices": [str(answer)]}


def _result(name: str, about: str, sort: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": about, "type": sort, "value": dict(value)}
