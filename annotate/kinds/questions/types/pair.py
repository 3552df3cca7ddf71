"""Which of two columns is better; each person sees them on sides that are dealt to them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy
from pydantic import Field as Limits
from pydantic import model_validator

from annotate.kinds.questions.base import Facts, Question, distinct
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.definition_texts import Column
from lib.texts.stored_sentences import say as _

# (answer, what a reader of decided work reads, what who answers reads, the same if the sides are exchanged)
FIRST = ("first", gettext_lazy("Text 1 is better"), gettext_lazy("A is better"), gettext_lazy("B is better"))
SECOND = ("second", gettext_lazy("Text 2 is better"), gettext_lazy("B is better"), gettext_lazy("A is better"))
TIE = ("tie", *(gettext_lazy("Equal"),) * 3)
BOTH_BAD = ("both_bad", *(gettext_lazy("Both bad"),) * 3)
FIRST_MUCH = (
    "first_much",
    gettext_lazy("Text 1 is much better"),
    gettext_lazy("A is much better"),
    gettext_lazy("B is much better"),
)
SECOND_MUCH = (
    "second_much",
    gettext_lazy("Text 2 is much better"),
    gettext_lazy("B is much better"),
    gettext_lazy("A is much better"),
)
NAMED = {  # what a reader of decided work reads of other things than texts
    "image": {
        "first": gettext_lazy("Image 1 is better"),
        "second": gettext_lazy("Image 2 is better"),
        "first_much": gettext_lazy("Image 1 is much better"),
        "second_much": gettext_lazy("Image 2 is much better"),
    },
    "file": {
        "first": gettext_lazy("File 1 is better"),
        "second": gettext_lazy("File 2 is better"),
        "first_much": gettext_lazy("File 1 is much better"),
        "second_much": gettext_lazy("File 2 is much better"),
    },
}
PLAIN = (FIRST, TIE, BOTH_BAD, SECOND)
STRENGTH = (FIRST_MUCH, FIRST, TIE, SECOND, SECOND_MUCH)
CANNOT_TELL = ("cannot_tell", *(gettext_lazy("Cannot tell"),) * 3)
# What a model is told; it sees the columns by their names.
IN_WORDS = {
    "en": {
        "first_much": "{first} is much better",
        "first": "{first} is better",
        "tie": "they are equally good",
        "both_bad": "neither is of use",
        "second": "{second} is better",
        "second_much": "{second} is much better",
        "cannot_tell": "you cannot tell",
    },
    "zh": {
        "first_much": "{first} 好得多",
        "first": "{first} 更好",
        "tie": "两者同样好",
        "both_bad": "两者都没有用",
        "second": "{second} 更好",
        "second_much": "{second} 好得多",
        "cannot_tell": "无法判断",
    },
}
OTHER = {"first": "second", "second": "first", "first_much": "second_much", "second_much": "first_much"}
NUMBERS = {"first_much": 2, "first": 1, "tie": 0, "second": -1, "second_much": -2}


class Pair(Question):
    """The better one of two columns: `first` or `second` in the order of `of`, `tie`, `both_bad`, or `cannot_tell`.

    With scale `strength`: also `first_much` and `second_much`, and no `both_bad`.
    """

    type: Literal["pair"]
    of: Annotated[list[Column], Limits(min_length=2, max_length=2)]
    scale: Literal["plain", "strength"] = "plain"

    brief = True
    controls = (
        SettingControl("of", "columns", gettext_lazy("Compared columns"), gettext_lazy("Two that are shown.")),
        SettingControl(
            "scale",
            "listed",
            gettext_lazy("Answers"),
            choices=(
                ("plain", gettext_lazy("one is better, equal, both bad")),
                ("strength", gettext_lazy("one is better or much better, equal")),
            ),
            default="plain",
        ),
    )

    @classmethod
    def starting(cls, columns: Sequence[str]) -> dict[str, Any]:
        return {"of": list(columns[-2:])}

    @model_validator(mode="after")
    def _sides_differ(self) -> "Pair":
        distinct(self.of)
        return self

    @property
    def level(self) -> Any:  # type: ignore[override]  # a field of other types
        return "nominal" if self.scale == "plain" else "ordinal"

    @property
    def answers(self) -> Sequence[tuple[Any, ...]]:
        return (*(PLAIN if self.scale == "plain" else STRENGTH), CANNOT_TELL)

    def columns(self) -> Sequence[str]:
        return self.of

    def dealt_columns(self) -> Sequence[str]:
        return self.of

    def read(self, data: QueryDict) -> Any:
        return self.control.text(data) or None

    def shape_faults(self, answer: Any) -> Iterator[str]:
        if answer is not None and not isinstance(answer, str):
            yield _("must be a text, such as “first”.")

    def limits(self, answer: Any, facts: Facts) -> Iterator[str]:
        values = [value for value, *_names in self.answers]
        if answer not in values:
            message = _("“%(value)s” is not one of the answers; allowed: %(allowed)s.")
            yield message % {"value": str(answer)[:60], "allowed": ", ".join(values)}

    def shown(self, answer: Any) -> str:
        return next((str(name) for value, name, *_own in self.answers if value == answer), super().shown(answer))

    def shown_compared(self, answer: Any, compared_as: str) -> str:
        return str(NAMED.get(compared_as, {}).get(answer) or self.shown(answer))

    def exchanged(self, answer: Any, sources: Mapping[str, str]) -> Any:
        return answer if sources[self.of[0]] == self.of[0] else OTHER.get(answer, answer)

    def measured(self, answer: Any) -> Any:
        if self.scale == "strength":
            return NUMBERS.get(answer)
        return None if answer == "cannot_tell" else super().measured(answer)

    def ends(self) -> tuple[float, float] | None:
        return (float(min(NUMBERS.values())), float(max(NUMBERS.values()))) if self.scale == "strength" else None

    def form_context(self, facts: Facts) -> dict[str, Any]:
        """straight, exchanged: (answer, name) as who sees the first column as A, or as B, reads them; in the order of
        the letters.
        """
        straight = [(value, name) for value, _read, name, _other in self.answers]
        exchanged = [(value, name) for value, _read, _own, name in self.answers]
        sides = exchanged[:-1][::-1] if self.scale == "strength" else [exchanged[3], *exchanged[1:3], exchanged[0]]
        return {"straight": straight, "exchanged": [*sides, exchanged[-1]]}

    def reply_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": [value for value, *_names in self.answers]}

    def in_words(self, language: str) -> str:
        words = IN_WORDS.get(language, IN_WORDS["en"])
        columns = {"first": self.of[0], "second": self.of[1]}
        return "\n".join(f"- {value}: {words[value].format(**columns)}" for value, *_names in self.answers)


TYPE = Pair
