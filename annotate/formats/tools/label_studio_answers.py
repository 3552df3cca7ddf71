"""Answers to own questions as results of Label Studio, and back, for the tasks of one definition."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotate.formats.foreign_rows import Warnings
from annotate.formats.tools.label_studio_names import (
    NONE,
    NOTE,
    OTHER,
    column_name,
    part_name,
    rank_name,
)
from annotate.formats.tools.label_studio_results import SIDES, DefinitionTags, Result, ResultReading
from annotate.formats.tools.label_studio_writing import WRITERS, is_stars
from annotate.kinds.questions.base import Question
from annotate.kinds.questions.types.pair import Pair
from annotate.kinds.questions.types.ranking import Ranking
from annotate.kinds.questions.types.rating import Rating
from annotate.kinds.questions.types.spans import Spans


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
            for place, (column, rank) in enumerate(zip(question.of, answer, strict=True)):
                yield _result(rank_name(name, place), self.objects[column], "number", {"number": rank})
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
