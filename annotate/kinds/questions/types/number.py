"""A number with limits and steps."""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy, pgettext_lazy
from pydantic import BeforeValidator, StringConstraints, model_validator

from annotate.kinds.questions.base import Facts, Question
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.definition_texts import LocalText, in_language
from annotate.kinds.values import number
from lib.texts.stored_sentences import say as _


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Decimals = Annotated[str, BeforeValidator(_as_text), StringConstraints(pattern=r"^-?[0-9]{1,15}(\.[0-9]{1,9})?$")]


class Number(Question):
    """A number. min, max: its limits; step: from min, or from 0, in steps of this; unit: what is counted."""

    type: Literal["number"]
    min: Decimals | None = None
    max: Decimals | None = None
    step: Decimals | None = None
    unit: LocalText | None = None

    level = "interval"
    brief = True
    controls = (
        SettingControl("min", "decimal", gettext_lazy("Smallest value")),
        SettingControl("max", "decimal", gettext_lazy("Greatest value")),
        SettingControl("step", "decimal", pgettext_lazy("of a number", "Step"), gettext_lazy("Exact, such as 0.01.")),
        SettingControl("unit", "words", gettext_lazy("Unit"), gettext_lazy("What is counted, such as euros.")),
    )

    @model_validator(mode="after")
    def _can_be_answered(self) -> "Number":
        if self.min and self.max and Decimal(self.min) > Decimal(self.max):
            raise ValueError(_("min is greater than max; nobody can answer that."))
        if self.step and Decimal(self.step) <= 0:
            raise ValueError(_("step must be greater than 0."))
        return self

    def read(self, data: QueryDict) -> Any:
        return number(self.control.text(data))

    def typed(self, value: Any) -> Any:
        return number(value) if isinstance(value, str) else value

    def shape_faults(self, answer: Any) -> Iterator[str]:
        """A text is kept while people type, so that nothing is lost; it is a problem, not a fault."""
        if answer is not None and (isinstance(answer, bool) or not isinstance(answer, int | float | str)):
            yield _("must be a number.")

    def limits(self, answer: Any, facts: Facts) -> Iterator[str]:
        exact = _exact(answer)
        if exact is None:
            yield _("“%(value)s” is not a number.") % {"value": str(answer)[:60]}
        elif self.min is not None and exact < Decimal(self.min):
            yield _("must be at least %(min)s.") % {"min": self.min}
        elif self.max is not None and exact > Decimal(self.max):
            yield _("must be at most %(max)s.") % {"max": self.max}
        elif self.step is not None and (exact - Decimal(self.min or "0")) % Decimal(self.step):
            yield _("must be a multiple of %(step)s, from %(min)s.") % {"step": self.step, "min": self.min or "0"}

    def measured(self, answer: Any) -> Any:
        return float(answer) if isinstance(answer, int | float) and not isinstance(answer, bool) else None

    def ends(self) -> tuple[float, float] | None:
        return (float(self.min), float(self.max)) if self.min is not None and self.max is not None else None

    def form_context(self, facts: Facts) -> dict[str, Any]:
        return {"unit": in_language(self.unit), "min": self.min, "max": self.max, "step": self.step}

    def reply_schema(self) -> dict[str, Any]:
        limits = {"minimum": self.min, "maximum": self.max}
        return {"type": "number"} | {name: float(limit) for name, limit in limits.items() if limit is not None}

    def in_words(self, language: str) -> str:
        limits = {"from": self.min, "to": self.max, "in steps of": self.step}
        words = [f"{word} {limit}" for word, limit in limits.items() if limit is not None]
        return " ".join([*words, *filter(None, [in_language(self.unit, language)])])


def _exact(answer: Any) -> Decimal | None:
    try:
        return Decimal(str(answer)) if isinstance(answer, int | float) else None
    except InvalidOperation:
        return None


TYPE = Number
