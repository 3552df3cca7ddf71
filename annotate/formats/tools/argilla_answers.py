"""Answers to own questions as values of Argilla's records, and back.

Its page counts offsets of spans in UTF-16 units; ours are code points. A span has no words there: they are taken from
the text.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotate.formats.foreign_rows import Bad
from annotate.formats.tools.argilla_settings import STEPS
from annotate.formats.tools.label_studio_names import column_name
from annotate.formats.tools.leftovers import question_name
from annotate.formats.tools.offsets import from_utf16, utf16_offsets
from annotate.kinds.questions.definition import Definition
from annotate.kinds.questions.places import stored_text
from annotate.kinds.questions.types.number import Number
from annotate.kinds.questions.types.ranking import Ranking
from annotate.kinds.questions.types.rating import Rating
from annotate.kinds.questions.types.spans import Spans

Facts = Mapping[str, Any]


class RecordAnswers:
    """Values and answers of the records of one definition."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self._marking = {
            column_name(question.name, index): (question, column)
            for question in definition.questions
            if isinstance(question, Spans)
            for index, column in enumerate(question.on)
        }

    # --- reading ------------------------------------------------------------------------------------------------------
    def named(self, name: str) -> str:
        """Our name of a question, also in a dataset that other people made."""
        names = {*self.definition.by_name, *self._marking}
        called = question_name(name)
        return next((candidate for candidate in (name, called, f"{called}_") if candidate in names), name)

    def add(self, draft: dict[str, Any], name: str, value: Any, facts: Facts, path: str) -> None:
        """Put the value of a question into the draft. Raises Bad for a value that does not fit."""
        called = self.named(name)
        question = self.definition.by_name.get(called)
        try:
            if called in self._marking:
                spans, column = self._marking[called]
                draft.setdefault(spans.name, []).extend(_span(part, column, facts) for part in value)
            elif isinstance(question, Ranking):
                ranks = {part["value"]: part["rank"] for part in value}
                draft[called] = [ranks.get(column) for column in question.of]
            else:
                draft[called] = value
        except (AttributeError, KeyError, TypeError):
            raise Bad(
                path, _("does not fit its type %(type)s.") % {"type": question.type if question else ""}
            ) from None

    # --- writing ------------------------------------------------------------------------------------------------------
    def holds(self, name: str, answer: Any) -> bool:
        """Whether its value is made here: not of a text or choice, not blank, nothing that Argilla cannot say."""
        question = self.definition.by_name.get(name)
        if not isinstance(question, Number | Ranking | Rating | Spans) or question.is_blank(answer):
            return False
        if any(question.shape_faults(answer)) or not question.fits(answer):
            return False
        return not isinstance(question, Spans) or not (question.attributes or any("note" in span for span in answer))

    def written(self, name: str, answer: Any, facts: Facts) -> Iterator[tuple[str, Any]]:
        """(question, value) of an answer that it holds."""
        question = self.definition.by_name[name]
        if isinstance(question, Spans):
            yield from self._written_spans(question, answer, facts)
        elif isinstance(question, Ranking):
            yield name, [{"value": column, "rank": rank} for column, rank in zip(question.of, answer, strict=True)]
        elif isinstance(question, Rating):
            yield name, answer if question.steps[0] in STEPS and question.steps[-1] in STEPS else str(answer)
        else:
            yield name, str(answer)

    def _written_spans(
        self, question: Spans, spans: Sequence[Mapping[str, Any]], facts: Facts
    ) -> Iterator[tuple[str, Any]]:
        for index, column in enumerate(question.on):
            units = utf16_offsets(stored_text(facts, column))
            values = [
                {"start": units[span["start"]], "end": units[min(span["end"], len(units) - 1)], "label": span["label"]}
                for span in spans
                if span["field"] == column
            ]
            if values or not (index or spans):
                yield column_name(question.name, index), values


def _span(value: Mapping[str, Any], column: str, facts: Facts) -> dict[str, Any]:
    text = stored_text(facts, column)
    start, end = value["start"], value["end"]
    if isinstance(start, int) and isinstance(end, int):
        start, end = from_utf16(text, start, end) or (start, end)
    return {"field": column, "start": start, "end": end, "text": text[start:end], "label": value["label"]}
