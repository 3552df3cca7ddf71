"""One turn of a transcript, such as the first wrong one."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy
from pydantic import WithJsonSchema

from annotate.kinds.questions.base import Facts, Question
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.definition_texts import Column, LocalText, in_language, one_line
from annotate.kinds.questions.transcripts import numbered, turns_of
from annotate.kinds.questions.types.rating import whole_number
from annotate.kinds.questions.types.turns import TRANSCRIPT, Roles
from lib.texts.stored_sentences import say as _

NONE = "none"
MOST_LISTED = 300  # places that the schema of a model's reply lists
IN_WORDS = {  # what a model is told
    "en": "the number of a turn of `{column}`, or none if there is no such turn",
    "zh": "`{column}` 中某一轮的编号；没有则回答 none",
}


class Step(Question):
    """The place of a turn, from 0, or "none". People read and type numbers from 1.

    of: a column that is shown as chat. roles: by whom the turn can be; any if missing. none: what “none” is called.
    """

    type: Literal["step"]
    of: Column
    roles: Roles | None = None
    none: LocalText | None = None

    level = "nominal"
    of_turns = True
    controls = (
        TRANSCRIPT,
        SettingControl("roles", "lines", gettext_lazy("Roles"), gettext_lazy("By whom the turn can be, one a line.")),
        SettingControl("none", "words", gettext_lazy("Button for no turn")),
    )

    @classmethod
    def starting(cls, columns: Sequence[str]) -> dict[str, Any]:
        return {"of": columns[-1]} if columns else {}

    def columns(self) -> Sequence[str]:
        return [self.of]

    def chat_columns(self) -> Sequence[str]:
        return [self.of]

    def none_in_words(self) -> str:
        return in_language(self.none) or str(_("None"))

    def read(self, data: QueryDict) -> Any:
        """A number that was typed counts, whatever else is marked."""
        typed = self.control.text(data).strip()
        number = whole_number(typed)
        if number is not None:
            return number - 1 if number > 0 else typed
        return typed or (NONE if self.control.text(data, ".none") else None)

    def typed(self, value: Any) -> Any:
        number = whole_number(value.strip()) if isinstance(value, str) else None
        return value if number is None or number < 0 else number

    def shape_faults(self, answer: Any) -> Iterator[str]:
        """A text is kept while people type; it is a problem, not a fault."""
        if answer is not None and (isinstance(answer, bool) or not isinstance(answer, int | str)):
            yield _("must be the place of a turn, from 0, or “none”.")

    def limits(self, answer: Any, facts: Facts) -> Iterator[str]:
        if answer == NONE:
            return
        if isinstance(answer, str):
            yield _("“%(value)s” is not the number of a turn.") % {"value": one_line(answer, 60)}
        elif self.of in facts:
            yield from self._of_turn(answer, facts)
        elif answer < 0:
            yield _("must be the place of a turn, from 0, or “none”.")

    def _of_turn(self, place: int, facts: Facts) -> Iterator[str]:
        turns = turns_of(facts[self.of])
        params = {"number": place + 1, "count": len(turns), "roles": ", ".join(self.roles or ())}
        if not 0 <= place < len(turns):
            yield _("there is no turn %(number)d; the transcript has %(count)d.") % params
        elif self.roles and turns[place].role not in self.roles:
            yield _("turn %(number)d is not by %(roles)s.") % params

    def shown(self, answer: Any) -> str:
        if answer == NONE:
            return self.none_in_words()
        return _("Turn %(n)d") % {"n": answer + 1} if isinstance(answer, int) else super().shown(answer)

    def measured(self, answer: Any) -> Any:
        return None if answer is None else str(answer)

    # --- the form, and what models are told ---------------------------------------------------------------------------
    def form_context(self, facts: Facts) -> dict[str, Any]:
        """turns: the numbers of those that can be the answer; all up to `count` where any role can be."""
        turns = turns_of(facts.get(self.of))
        numbers = [number for number, turn in enumerate(turns, start=1) if self.roles and turn.role in self.roles]
        setting = {"turns": numbers, "roles": ", ".join(self.roles or ())}
        return {"none": self.none_in_words(), "count": len(turns), **setting}

    def material(self, facts: Facts) -> dict[str, Any]:
        return numbered(facts, self.of)

    def reply_type(self, facts: Facts) -> Any:
        turns = turns_of(facts.get(self.of))
        places = [place for place, turn in enumerate(turns) if self.roles is None or turn.role in self.roles]
        return _reply_of(tuple(map(str, places))) if len(places) <= MOST_LISTED else str

    def answer_schema(self) -> dict[str, Any]:
        return {"anyOf": [{"type": "integer", "minimum": 0}, {"const": NONE}]}

    def from_model(self, answer: Any, facts: Facts) -> Any:
        return super().from_model(self.typed(answer), facts)

    def in_words(self, language: str) -> str:
        return IN_WORDS.get(language, IN_WORDS["en"]).format(column=self.of)


@lru_cache(maxsize=256)
def _reply_of(places: tuple[str, ...]) -> Any:
    return Annotated[str, WithJsonSchema({"type": "string", "enum": [*places, NONE]})]


TYPE = Step
