"""A number on a scale whose steps have names."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy
from pydantic import Field as Limits
from pydantic import StringConstraints, model_validator

from annotate.kinds.questions.base import Facts, Question
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.definition_texts import LocalText, in_language
from lib.texts.stored_sentences import say as _

MOST_STEPS = 21
Step = Annotated[str, StringConstraints(pattern=r"^(0|-?[1-9][0-9]{0,5})$")]


class Rating(Question):
    """A whole number from the lowest to the highest step of its scale; not every step needs a name."""

    type: Literal["rating"]
    scale: Annotated[dict[Step, LocalText | None], Limits(min_length=2, max_length=MOST_STEPS)]

    level = "ordinal"
    brief = True
    controls = (
        SettingControl(
            "scale",
            "steps",
            gettext_lazy("Scale"),
            gettext_lazy("Numbers and what they mean. Those between the lowest and the highest can be chosen too."),
        ),
    )

    @classmethod
    def starting(cls, columns: Sequence[str]) -> dict[str, Any]:
        return {"scale": {"1": None, "5": None}}

    @model_validator(mode="after")
    def _is_short(self) -> "Rating":
        if len(self.steps) > MOST_STEPS:
            message = _("the scale has %(n)d steps, from %(first)d to %(last)d; at most %(most)d are allowed.")
            first, last = self.steps[0], self.steps[-1]
            raise ValueError(message % {"n": len(self.steps), "first": first, "last": last, "most": MOST_STEPS})
        return self

    @property
    def steps(self) -> range:
        numbers = [int(step) for step in self.scale]
        return range(min(numbers), max(numbers) + 1)

    def name_of(self, step: int, language: str | None = None) -> str:
        return in_language(self.scale.get(str(step)), language)

    def read(self, data: QueryDict) -> Any:
        return whole_number(self.control.text(data))

    def typed(self, value: Any) -> Any:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        number = whole_number(value.strip()) if isinstance(value, str) else None
        return value if number is None else number

    def shape_faults(self, answer: Any) -> Iterator[str]:
        if answer is not None and (not isinstance(answer, int) or isinstance(answer, bool)):
            yield _("must be a whole number.")

    def limits(self, answer: Any, facts: Facts) -> Iterator[str]:
        if answer not in self.steps:
            message = _("%(value)d is not on the scale, which goes from %(first)d to %(last)d.")
            yield message % {"value": answer, "first": self.steps[0], "last": self.steps[-1]}

    def mapped(self, answer: Any) -> Any:
        new = (self.was or {}).get(str(answer))
        return int(new) if new is not None and whole_number(new) is not None else answer

    def shown(self, answer: Any) -> str:
        name = self.name_of(answer) if isinstance(answer, int) else ""
        return f"{answer} · {name}" if name else super().shown(answer)

    def ends(self) -> tuple[float, float] | None:
        return float(self.steps[0]), float(self.steps[-1])

    def form_context(self, facts: Facts) -> dict[str, Any]:
        steps = [(step, self.name_of(step)) for step in self.steps]
        return {"steps": steps, "numbered": all(step == no for no, (step, _name) in enumerate(steps, start=1))}

    def reply_schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.steps[0], "maximum": self.steps[-1]}

    def in_words(self, language: str) -> str:
        step_names = ((step, " ".join(self.name_of(step, language).split())) for step in self.steps)
        return "\n".join(f"- {step}: {name}" if name else f"- {step}" for step, name in step_names)


def whole_number(text: str) -> int | None:
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) < 7 else None


TYPE = Rating
