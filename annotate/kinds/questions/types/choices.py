"""Several values out of several."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy
from pydantic import Field as Limits
from pydantic import model_validator

from annotate.kinds.questions.base import Facts, Options, Question, distinct, not_an_option
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.types.choice import OPTIONS, choices_of, option_lines
from lib.stats.similarity import masi_distance
from lib.texts.stored_sentences import say as _

# What a model is told.
NOTHING = {"en": "an empty list if nothing applies", "zh": "都不符合时给空列表"}
BOUNDS = {"en": ("at least {}", "at most {}", " and "), "zh": ("至少选 {} 项", "至多选 {} 项", "，")}


class Choices(Question):
    """Any number of its options, within `least` and `most`; a required question needs at least one."""

    type: Literal["choices"]
    options: Options
    least: Annotated[int, Limits(ge=0)] | None = None
    most: Annotated[int, Limits(ge=1)] | None = None

    how = "choices"
    level = "masi"
    brief = True
    controls = (
        OPTIONS,
        SettingControl("least", "whole", gettext_lazy("At least")),
        SettingControl("most", "whole", gettext_lazy("At most")),
    )

    @classmethod
    def starting(cls, columns: Sequence[str]) -> dict[str, Any]:
        return {"options": ["A", "B"]}

    @model_validator(mode="after")
    def _can_be_answered(self) -> "Choices":
        distinct([option.value for option in self.options])
        least, most = self.least or 0, self.most if self.most is not None else len(self.options)
        if least > most or least > len(self.options):
            message = _("at least %(least)d of %(n)d options, at most %(most)d: nobody can answer that.")
            raise ValueError(message % {"least": least, "n": len(self.options), "most": most})
        return self

    def empty(self, facts: Facts) -> Any:
        return []

    def is_answered(self, answer: Any) -> bool:
        """An empty set says that nothing applies, where that is allowed."""
        return answer is not None and not (self.required and self.is_blank(answer))

    def read(self, data: QueryDict) -> Any:
        return self.control.texts(data)

    def shape_faults(self, answer: Any) -> Iterator[str]:
        if not isinstance(answer, list | None) or not all(isinstance(value, str) for value in answer or ()):
            yield _("must be a list of texts, each one of the options.")
        elif answer and len(set(answer)) != len(answer):
            yield _("names an option twice; remove one.")

    def problems(self, answer: Any, facts: Facts) -> Iterator[str]:
        if answer or self.required:
            yield from self.limits(answer or [], facts)

    def limits(self, answer: Any, facts: Facts) -> Iterator[str]:
        """An empty set is within them where the question need not be answered."""
        if len(answer) < self._least and (answer or self.required):
            yield _("choose at least %(least)d.") % {"least": self._least}
        if self.most is not None and len(answer) > self.most:
            yield _("choose at most %(most)d.") % {"most": self.most}
        values = {option.value for option in self.options}
        yield from (not_an_option(value, self.options) for value in answer if value not in values)

    @property
    def _least(self) -> int:
        return max(self.least or 0, 1 if self.required else 0)

    def shown(self, answer: Any) -> str:
        names = {option.value: option.name() for option in self.options}
        return "\n".join(names.get(value, str(value)) for value in answer or ())

    def measured(self, answer: Any) -> Any:
        return frozenset(answer) if answer is not None else None

    def similarity(self, left: Any, right: Any) -> float:
        """1 less the MASI distance."""
        return 1 - masi_distance(left, right)

    def form_context(self, facts: Facts) -> dict[str, Any]:
        return {"choices": choices_of(self.options), "least": self._least}

    def reply_schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string", "enum": [option.value for option in self.options]}}

    def in_words(self, language: str) -> str:
        lines = [*option_lines(self.options, language), *self._bounds_in_words(language)]
        if not self.required:
            lines.append(NOTHING.get(language, NOTHING["en"]))
        return "\n".join(f"- {line}" for line in lines)

    def _bounds_in_words(self, language: str) -> Iterator[str]:
        least, most, between = BOUNDS.get(language, BOUNDS["en"])
        bounds = [words.format(bound) for words, bound in ((least, self.least), (most, self.most)) if bound]
        if bounds:
            yield between.join(bounds)


TYPE = Choices
