"""A choice or a rating for each turn of a transcript: any question with `on_each: turns`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy
from pydantic import Field as Limits
from pydantic import WithJsonSchema, create_model, model_validator
from typing_extensions import TypeAliasType

from annotate.kinds.questions.base import LEFT_OPEN, Facts, ModelDoubt, PlacedMessage, Question
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.definition_texts import Column, one_line
from annotate.kinds.questions.transcripts import LONGEST_ROLE, Turn, numbered, turn_id, turns_of
from annotate.kinds.questions.types.choice import Choice
from annotate.kinds.questions.types.rating import Rating, whole_number
from annotate.kinds.shapes import AnswerShape
from lib.texts.stored_sentences import say as _

MOST_ASKED = 300  # turns that are asked about, from the first
MOST_VALUES = 9  # each has a key
Role = Annotated[str, Limits(min_length=1, max_length=LONGEST_ROLE)]
Roles = Annotated[list[Role], Limits(min_length=1, max_length=10)]
EACH_TURN = ("choice", "rating")  # types that can be asked about each turn
TRANSCRIPT = SettingControl(
    "of", "chat_column", gettext_lazy("Transcript"), gettext_lazy("A column that is shown as chat.")
)
ROLES = SettingControl(
    "roles",
    "lines",
    gettext_lazy("Roles"),
    gettext_lazy("Whose turns are asked about, one a line; assistant if empty."),
)
TURN_CONTROLS = (TRANSCRIPT, ROLES)
ON_EACH = SettingControl(
    "on_each",
    "listed",
    gettext_lazy("Asked about"),
    choices=(("", gettext_lazy("the whole item")), ("turns", gettext_lazy("each turn of a transcript"))),
    default="",
)
OF_THE_WHOLE = ("name", "ask", "help", "required", "when", "formerly", "on_each", "of", "roles")
IN_WORDS = {  # what a model is told
    "en": "an object with the number of each turn of `{column}` by {roles}, and for each of them one of:",
    "zh": "一个对象，键为 `{column}` 中角色为 {roles} 的每一轮的编号，值为以下之一：",
}


class Turns(Question):
    """One answer for each turn by one of the roles: a list of {"turn": its place from 0, "value": …}, in their order.

    of: a column that is shown as chat. each: the choice or the rating that is asked about every turn.
    """

    type: Literal["turns"]
    on_each: Literal["turns"] = "turns"
    of: Column
    roles: Annotated[Roles, Limits(default_factory=lambda: ["assistant"])]
    each: Annotated[Choice | Rating, Limits(discriminator="type")]

    how = "parts"
    parted = True
    offered = False

    @model_validator(mode="after")
    def _has_few_values(self) -> "Turns":
        if len(self._values) > MOST_VALUES:
            message = _("has %(n)d values for each turn; at most %(most)d are allowed, so that each has a key.")
            raise ValueError(message % {"n": len(self._values), "most": MOST_VALUES})
        return self

    @property
    def level(self) -> Any:  # type: ignore[override]  # a field of other types
        return self.each.level

    @property
    def _values(self) -> list[tuple[Any, str]]:
        """(value, name) in the reader's language."""
        if isinstance(self.each, Rating):
            return [(step, self.each.shown(step)) for step in self.each.steps]
        return [(option.value, option.name()) for option in self.each.options]

    def columns(self) -> Sequence[str]:
        return [self.of]

    def chat_columns(self) -> Sequence[str]:
        return [self.of]

    def asked(self, facts: Facts) -> dict[int, Turn]:
        """place -> turn that is asked about."""
        places = [(place, turn) for place, turn in enumerate(turns_of(facts.get(self.of))) if turn.role in self.roles]
        return dict(places[:MOST_ASKED])

    # --- answers ------------------------------------------------------------------------------------------------------
    def empty(self, facts: Facts) -> Any:
        return []

    def read(self, data: QueryDict) -> Any:
        start = f"{self.control.name}."
        posted = {whole_number(name.removeprefix(start)): data[name] for name in data if name.startswith(start)}
        parts = sorted((place, text) for place, text in posted.items() if place is not None and text)
        return [{"turn": place, "value": self.each.typed(text)} for place, text in parts]

    def typed(self, value: Any) -> Any:
        """Files may also have an object, place of a turn -> value."""
        if isinstance(value, Mapping):
            value = [{"turn": whole_number(str(place)), "value": part} for place, part in value.items()]
        return self.in_order(value)

    def in_order(self, answer: Any) -> Any:
        if not isinstance(answer, list) or not all(_is_part(part) for part in answer):
            return answer
        rows = [{"turn": part["turn"], "value": self.each.typed(part["value"])} for part in answer]
        return sorted(rows, key=lambda row: row["turn"])

    def shape_faults(self, answer: Any) -> Iterator[str]:
        return (message for _place, message in self.placed_shape_faults(answer))

    def placed_shape_faults(self, answer: Any) -> Iterator[PlacedMessage]:
        if answer is not None and not isinstance(answer, list):
            yield "", _("must be a list of {“turn”: its place from 0, “value”: …}.")
            return
        turns_answered: set[int] = set()
        for number, part in enumerate(answer or ()):
            if not _is_part(part):
                yield f"[{number}]", _("must be an object with `turn`, a whole number from 0, and `value`.")
            elif part["turn"] in turns_answered:
                yield f"[{number}].turn", _("turn %(turn)d is answered twice; remove one.") % {"turn": part["turn"]}
            else:
                turns_answered.add(part["turn"])
                yield from ((f"[{number}].value", message) for message in self.each.shape_faults(part["value"]))

    def problems(self, answer: Any, facts: Facts) -> Iterator[str]:
        return (message for _place, message in self.placed_problems(answer, facts))

    def placed_problems(self, answer: Any, facts: Facts) -> Iterator[PlacedMessage]:
        asked, answered = self.asked(facts), {part["turn"] for part in answer or ()}
        missing = [place for place in asked if place not in answered]
        if self.required and missing:
            params = {"n": len(missing), "count": len(asked), "first": missing[0] + 1}
            message = _("%(n)d of %(count)d turns have no answer; the first of them is no. %(first)d.")
            yield f"[{missing[0]}]" if answered else "", message % params
        yield from self._placed_limits(answer or [], facts)

    def limits(self, answer: Any, facts: Facts) -> Iterator[str]:
        return (message for _place, message in self._placed_limits(answer, facts))

    def _placed_limits(self, answer: Any, facts: Facts) -> Iterator[PlacedMessage]:
        """The place of a turn stands for its row in the form."""
        asked = self.asked(facts) if self.of in facts else None
        for part in answer:
            if asked is not None and part["turn"] not in asked:
                message = _("turn %(turn)d of “%(column)s” is not asked about; asked are turns by %(roles)s.")
                params = {"turn": part["turn"], "column": self.of, "roles": ", ".join(self.roles)}
                yield f"[{part['turn']}]", message % params
            yield from ((f"[{part['turn']}]", message) for message in self.each.limits(part["value"], facts))

    def mapped(self, answer: Any) -> Any:
        if not isinstance(answer, list) or not all(_is_part(part) for part in answer):
            return answer
        return [{**part, "value": self.each.mapped(part["value"])} for part in answer]

    def shown(self, answer: Any) -> str:
        return "\n".join(f"{part['turn'] + 1}. {self.each.shown(part['value'])}" for part in answer or ())

    def named_parts(self, answer: Any, facts: Facts) -> list[tuple[int, str, str]]:
        asked = self.asked(facts)
        return [
            (part["turn"] + 1, self.each.shown(part["value"]), _opening(asked[part["turn"]]))
            for part in answer or ()
            if part["turn"] in asked
        ]

    def measured(self, answer: Any) -> Any:
        """place of the turn -> value at the level of `each`."""
        return {str(part["turn"]): self.each.measured(part["value"]) for part in answer or ()} or None

    def similarity(self, left: Any, right: Any) -> float:
        return self.each.similarity(left, right)

    # --- the form, and what models are told ---------------------------------------------------------------------------
    def form_context(self, facts: Facts) -> dict[str, Any]:
        """turns: (place, id of the turn on the page, number, role, opening); more: turns that are not asked about."""
        asked = self.asked(facts)
        turns = turns_of(facts.get(self.of))
        every = sum(turn.role in self.roles for turn in turns)
        rows = [(place, turn_id(self.of, place), place + 1, _opening(turn)) for place, turn in asked.items()]
        return {"turns": rows, "values": self._values, "more": every - len(asked)}

    def material(self, facts: Facts) -> dict[str, Any]:
        return numbered(facts, self.of)

    def reply_type(self, facts: Facts) -> Any:
        return _reply_of(tuple(self.asked(facts)), json.dumps(self.each.reply_schema()))

    def answer_schema(self) -> dict[str, Any]:
        properties = {"turn": {"type": "integer", "minimum": 0}, "value": self.each.answer_schema()}
        part = {"type": "object", "properties": properties, "required": ["turn", "value"]}
        return {"type": "array", "items": part | {"additionalProperties": False}}

    def from_model(self, answer: Any, facts: Facts) -> tuple[Any, Sequence[ModelDoubt]]:
        """Values that are not allowed are left open, without losing the other turns."""
        answers = {place: answer.get(str(place)) for place in self.asked(facts)}
        allowed = [
            {"turn": place, "value": value}
            for place, value in answers.items()
            if value is not None and not any(self.each.shape_faults(value)) and not any(self.each.limits(value, facts))
        ]
        open_ones = len(answers) - len(allowed)
        return allowed or None, [(LEFT_OPEN, {"n": open_ones})] if open_ones else []

    def in_words(self, language: str) -> str:
        words = IN_WORDS.get(language, IN_WORDS["en"]).format(column=self.of, roles=", ".join(self.roles))
        return f"{words}\n{self.each.in_words(language)}"


def on_each_turn(given: Any) -> Any:
    """`{type: choice, on_each: turns, of: …, options: …}` as a question of this type; anything else as it is."""
    if not isinstance(given, Mapping) or "on_each" not in given:
        return given
    if given.get("type") not in EACH_TURN:
        raise ValueError(_("`on_each` goes with the types choice and rating."))
    whole = {name: value for name, value in given.items() if name in OF_THE_WHOLE}
    each = {name: value for name, value in given.items() if name not in OF_THE_WHOLE or name == "name"}
    return {**whole, "type": "turns", "each": each}


def _is_part(part: Any) -> bool:
    place = part.get("turn") if isinstance(part, Mapping) and part.keys() == {"turn", "value"} else None
    return isinstance(place, int) and not isinstance(place, bool) and place >= 0


def _opening(turn: Turn) -> str:
    """What a turn begins with; the tools that it calls, if it says nothing."""
    return one_line(turn.text[:400], 90) or ", ".join(call.name for call in turn.calls)[:90]


@lru_cache(maxsize=64)
def _reply_of(places: tuple[int, ...], schema: str) -> type[AnswerShape]:
    values = json.loads(schema)
    plain: Any = int if values["type"] == "integer" else str
    TurnAnswer = TypeAliasType("TurnAnswer", Annotated[plain, WithJsonSchema(values)])  # noqa: N806  # as in schemas
    fields: dict[str, Any] = {f"turn_{place}": (TurnAnswer, Limits(alias=str(place))) for place in places}
    shape: type[AnswerShape] = create_model("TurnReply", __base__=AnswerShape, **fields)
    return shape


TYPE = Turns
