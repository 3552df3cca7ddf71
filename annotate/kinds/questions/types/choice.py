"""One value out of several."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy
from pydantic import model_validator

from annotate.kinds.questions.base import Facts, Options, Question, distinct, not_an_option
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.definition_texts import in_language
from lib.texts.stored_sentences import say as _

OPTIONS = SettingControl(
    "options",
    "options",
    gettext_lazy("Options"),
    gettext_lazy("The value stands in files; people read the name, or the value where there is no name."),
)


class Choice(Question):
    """Exactly one of its options."""

    type: Literal["choice"]
    options: Options

    level = "nominal"
    brief = True
    controls = (OPTIONS,)

    @classmethod
    def starting(cls, columns: Sequence[str]) -> dict[str, Any]:
        return {"options": ["yes", "no"]}

    @model_validator(mode="after")
    def _options_differ(self) -> "Choice":
        distinct([option.value for option in self.options])
        return self

    @property
    def values(self) -> list[str]:
        return [option.value for option in self.options]

    def read(self, data: QueryDict) -> Any:
        return self.control.text(data) or None

    def shape_faults(self, answer: Any) -> Iterator[str]:
        if answer is not None and not isinstance(answer, str):
            yield _("must be a text, one of the options.")

    def limits(self, answer: Any, facts: Facts) -> Iterator[str]:
        if answer not in self.values:
            yield not_an_option(answer, self.options)

    def shown(self, answer: Any) -> str:
        return next((option.name() for option in self.options if option.value == answer), super().shown(answer))

    def form_context(self, facts: Facts) -> dict[str, Any]:
        return {"choices": choices_of(self.options)}

    def reply_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": self.values}

    def in_words(self, language: str) -> str:
        return "\n".join(f"- {line}" for line in option_lines(self.options, language))


def choices_of(options: Options) -> list[tuple[str, str, str]]:
    """(value, name, meaning) of each option in the reader's language."""
    return [(option.value, option.name(), in_language(option.about)) for option in options]


def option_lines(options: Sequence[Any], language: str) -> Iterator[str]:
    """`value`, with its name and its meaning where it has them."""
    for option in options:
        name, about = in_language(option.text, language), in_language(option.about, language)
        line = " ".join(part for part in (name if name != option.value else "", about) if part)
        yield f"{option.value}: {' '.join(line.split())}" if line else option.value


TYPE = Choice
