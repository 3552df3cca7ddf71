"""A text that people write, or a text of the item that they correct."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy
from pydantic import Field as Limits

from annotate.kinds.questions.base import LONGEST_ANSWER, Facts, Question
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.definition_texts import Column
from lib.texts.stored_sentences import say as _


class Text(Question):
    """A text. start: the column that the form begins with; compare: the column with which the difference is shown."""

    type: Literal["text"]
    start: Column | None = None
    compare: Column | None = None
    most: Annotated[int, Limits(ge=1, le=LONGEST_ANSWER)] = LONGEST_ANSWER
    rows: Annotated[int, Limits(ge=1, le=30)] = 3

    how = "text"
    free = True
    controls = (
        SettingControl("start", "column", gettext_lazy("Start with the column"), gettext_lazy("People correct it.")),
        SettingControl("compare", "column", gettext_lazy("Show the difference from the column")),
        SettingControl("most", "whole", gettext_lazy("At most this many characters")),
        SettingControl("rows", "whole", gettext_lazy("Lines of the text box"), default=3),
    )

    def columns(self) -> Sequence[str]:
        return list(dict.fromkeys(column for column in (self.start, self.compare) if column))

    def empty(self, facts: Facts) -> Any:
        return str(facts.get(self.start, "")) if self.start else ""

    def read(self, data: QueryDict) -> Any:
        return self.control.text(data)

    def shape_faults(self, answer: Any) -> Iterator[str]:
        if answer is not None and not isinstance(answer, str):
            yield _("must be a text.")

    def problems(self, answer: Any, facts: Facts) -> Iterator[str]:
        if self.required and not (answer or "").strip():
            yield _("write something.")
        yield from self.limits(answer or "", facts)

    def limits(self, answer: Any, facts: Facts) -> Iterator[str]:
        if len(answer) > self.most:
            message = _("has %(n)d characters; at most %(most)d are allowed.")
            yield message % {"n": len(answer), "most": self.most}

    def measured(self, answer: Any) -> Any:
        return None

    def form_context(self, facts: Facts) -> dict[str, Any]:
        return {"rows": self.rows, "compared": str(facts.get(self.compare, "")) if self.compare else None}

    def reply_schema(self) -> dict[str, Any]:
        return {"type": "string"}


TYPE = Text
