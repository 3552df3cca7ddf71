"""What all question types share: their settings, and what forms, files, judges and boards ask of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from django.http import QueryDict
from django.utils.translation import gettext_noop
from pydantic import Field as Limits
from pydantic import ValidationInfo, model_validator

from annotate.kinds.questions.conditions import Condition, read_condition
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.definition_texts import LocalText, Name, Value, for_reader, in_language, one_line
from annotate.kinds.shapes import Shape
from annotate.kinds.values import BLANK, Field, FieldType
from lib.texts.stored_sentences import say as _

Level = Literal["nominal", "ordinal", "interval", "masi", "ranking", "spans", ""]
Facts = Mapping[str, Any]
PlacedMessage = tuple[str, str]  # (path inside the answer, such as `[3].label`, or ""; what is wrong there)
ModelDoubt = tuple[str, dict[str, Any]]  # (message id, its values)
MOST_OPTIONS = 200
LONGEST_ANSWER = 100_000  # characters
NOT_ALLOWED = gettext_noop("the model answered “%(value)s”, which is not allowed here; it is left out.")
LEFT_OPEN = gettext_noop("the model left %(n)d of the answers open.")  # of a question with parts


class Option(Shape):
    """One of the values of a choice. text: what people read instead of the value; about: what it means."""

    value: Value
    text: LocalText | None = None
    about: LocalText | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_value(cls, value: Any) -> Any:
        if isinstance(value, bool | int | float) or value is None:
            message = _("is %(given)s, not a text; put it in quotes.")
            raise ValueError(message % {"given": json.dumps(value)})
        return {"value": value} if isinstance(value, str) else value

    def name(self, language: str | None = None) -> str:
        return in_language(self.text, language) or self.value


Options = Annotated[list[Option], Limits(min_length=2, max_length=MOST_OPTIONS)]


@dataclass(frozen=True)
class Control:
    """How a question posts its answer. name: of its inputs; several inputs add a suffix to it."""

    name: str

    def text(self, data: QueryDict, suffix: str = "") -> str:
        """What was typed; browsers send CRLF."""
        return data.get(self.name + suffix, "").replace("\r\n", "\n")

    def texts(self, data: QueryDict) -> list[str]:
        return list(dict.fromkeys(data.getlist(self.name)))


class Question(Shape):
    """A question. name: of its answers in files; ask: what people read; help: more about it.

    required: whether an answer is needed where the question is asked. when: other questions and what their answers must
    be for it to be asked. formerly: its name in the version before this one. was: values of that version and what they
    are called now.
    """

    name: Name
    type: str
    ask: LocalText | None = None
    help: LocalText | None = None
    required: bool = True
    when: Annotated[dict[Name, Any], Limits(max_length=10)] | None = None
    formerly: Name | None = None
    was: Annotated[dict[Value, Value], Limits(max_length=MOST_OPTIONS)] | None = None

    # What a type says of itself.
    how: ClassVar[FieldType] = "choice"
    level: ClassVar[Level] = ""  # at which its answers are compared
    free: ClassVar[bool] = False  # people may answer it differently and still agree
    brief: ClassVar[bool] = False  # its form shows nothing of the item, and its answer is short
    parted: ClassVar[bool] = False  # its answer has parts that are compared one by one: `measured` has them by name
    divisible: ClassVar[bool] = False  # the parts of its answer can be asked one by one, see `with_one_part_each`
    # Its own settings as the editor shows them; without any, they are edited as YAML.
    controls: ClassVar[Sequence[SettingControl]] = ()
    of_turns: ClassVar[bool] = False  # a new question begins with a column that is shown as chat
    offered: ClassVar[bool] = True  # as the type of a new question; not if it is written as a setting of other types

    @model_validator(mode="after")
    def _conditions_can_be_read(self) -> "Question":
        for name, written in (self.when or {}).items():
            read_condition(name, written)
        return self

    @classmethod
    def starting(cls, columns: Sequence[str]) -> dict[str, Any]:
        """The own settings that a new question of this type begins with. columns: those that are shown."""
        return {}

    @property
    def template(self) -> str:
        return f"questions/{self.type}.html"

    @property
    def control(self) -> Control:
        return Control(f"q-{self.name}")

    @cached_property
    def conditions(self) -> Sequence[Condition]:
        return [read_condition(name, written) for name, written in (self.when or {}).items()]

    def label(self, language: str | None = None) -> str:
        """What people are asked; the name if the definition says nothing."""
        return in_language(self.ask, language) or self.name

    def as_document(self) -> dict[str, Any]:
        """As a definition has it, without what it says of the version before; `question_of` reads it."""
        more = {"formerly", "was"}
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude=more)

    def as_field(self) -> Field:
        return Field(self.name, for_reader(self.ask) if self.ask else self.name, self.how, free=self.free)

    # --- columns of the item that it is about -------------------------------------------------------------------------
    def columns(self) -> Sequence[str]:
        """The shown columns that it needs."""
        return []

    def text_columns(self) -> Sequence[str]:
        """Those of them that must be shown as one text."""
        return []

    def chat_columns(self) -> Sequence[str]:
        """Those of them that must be shown as transcripts."""
        return []

    def dealt_columns(self) -> Sequence[str]:
        """Those that each person sees in another order and under a letter."""
        return []

    def own_columns(self) -> Sequence[str]:
        """Columns that the question itself shows; `show` need not name them."""
        return []

    def with_one_part_each(self, facts: Facts) -> Sequence[Facts]:
        """The item as often as the answer has parts, each time with one of them; only of what is divisible."""
        return []

    def column_faults(self, facts: Facts) -> Iterator[tuple[str, str]]:
        """(path, message) of what is wrong with the values of its own columns."""
        return iter(())

    def column_schema(self) -> dict[str, dict[str, Any]]:
        """JSON schema of each of its own columns, as files have them."""
        return {}

    def example_columns(self) -> dict[str, Any]:
        """A value for each of its own columns, to look at a definition before there are items."""
        return {}

    # --- answers ------------------------------------------------------------------------------------------------------
    def empty(self, facts: Facts) -> Any:
        """The answer of an untouched form."""
        return None

    def is_blank(self, answer: Any) -> bool:
        """Whether nobody has answered."""
        return answer in BLANK

    def is_answered(self, answer: Any) -> bool:
        """Whether somebody who leaves out what they do not answer, as models do, has answered."""
        return not self.is_blank(answer)

    def for_conditions(self, answer: Any) -> Any:
        """What conditions of later questions look at."""
        return answer

    def read(self, data: QueryDict) -> Any:
        """The answer that a form posted, not yet checked. Never raises."""
        raise NotImplementedError  # every type says it

    def read_about(self, data: QueryDict, facts: Facts) -> Any:
        """The same of a form that needs the item to be understood."""
        return self.read(data)

    def edited(self, answer: Any, action: str) -> Any:
        """The answer after a button of its own rows, see `Form.edited`; an unknown action changes nothing."""
        return answer

    def typed(self, value: Any) -> Any:
        """A value of a file, in which numbers may be texts, as an answer; unchanged if it is no such text."""
        return value

    def in_order(self, answer: Any) -> Any:
        """The answer as it is stored, its parts in their order."""
        return answer

    def apart(self, value: Any) -> tuple[Any, Any]:
        """(column, answer) of a value of a file that stands under the name of both; None for what it does not hold."""
        return None, value

    def joined(self, column: Any, answer: Any) -> Any:
        """What a file holds under the name of both."""
        return column

    def shape_faults(self, answer: Any) -> Iterator[str]:
        """Why a value cannot be an answer of this type at all; what only an option or a limit forbids is a problem."""
        raise NotImplementedError  # every type says it

    def placed_shape_faults(self, answer: Any) -> Iterator[PlacedMessage]:
        """The same with the part of the answer that each is about."""
        return (("", message) for message in self.shape_faults(answer))

    def problems(self, answer: Any, facts: Facts) -> Iterator[str]:
        """Why the answer cannot be submitted. The question is asked, and the answer has the right shape."""
        if self.required and answer in BLANK:
            yield _("answer this question.")
        elif answer not in BLANK:
            yield from self.limits(answer, facts)

    def placed_problems(self, answer: Any, facts: Facts) -> Iterator[PlacedMessage]:
        """The same with the part of the answer that each is about."""
        return (("", message) for message in self.problems(answer, facts))

    def limits(self, answer: Any, facts: Facts) -> Iterator[str]:
        """What options or limits say against an answer that is not blank."""
        return iter(())

    def fits(self, answer: Any) -> bool:
        """Whether options and limits allow an answer that is not blank, whatever the item."""
        return not any(self.limits(answer, {}))

    def remarks(self, answer: Any, facts: Facts) -> Iterator[PlacedMessage]:
        """What is odd about an answer of a file that is allowed."""
        return iter(())

    def mapped(self, answer: Any) -> Any:
        """An answer of the version before in the values of this one."""
        if not self.was:
            return answer
        if isinstance(answer, list):
            return list(dict.fromkeys(self.was.get(part, part) if isinstance(part, str) else part for part in answer))
        return self.was.get(answer, answer) if isinstance(answer, str) else answer

    def shown(self, answer: Any) -> str:
        """The answer as text in the reader's language."""
        return "" if answer is None else str(answer)

    def shown_compared(self, answer: Any, compared_as: str) -> str:
        """The same where the columns that it compares are shown so: `image`, `file`, or "" for texts."""
        return self.shown(answer)

    def named_parts(self, answer: Any, facts: Facts) -> list[tuple[int, str, str]]:
        """(number from 1, value, what it is about) of each part of the answer; [] where `shown` says it all."""
        return []

    def made_of(self, answer: Any, others: Sequence[Any]) -> bool:
        """Whether an answer that none of the others is puts their parts together and says nothing of its own."""
        return False

    def exchanged(self, answer: Any, sources: Mapping[str, str]) -> Any:
        """The answer about the columns by somebody who saw other texts under their names.

        sources: compared column -> the column whose text stood under its name.
        """
        return answer

    def measured(self, answer: Any) -> Any:
        """The answer as boards compare it: a label, a number, a set or an order; None where there is none."""
        return None if answer in BLANK else answer

    def similarity(self, left: Any, right: Any) -> float:
        """How far two measured answers agree, 0..1; of a question with parts, two parts. Labels are equal or not."""
        return float(left == right)

    def ends(self) -> tuple[float, float] | None:
        """The least and the greatest number that `measured` can give; None where it gives no numbers, or any."""
        return None

    # --- the form, and what files and models are told -----------------------------------------------------------------
    def form_context(self, facts: Facts) -> dict[str, Any]:
        """What its template needs besides its field, in the reader's language."""
        return {}

    def material(self, facts: Facts) -> dict[str, Any]:
        """Its own columns as a model sees them."""
        return {}

    def reply_schema(self) -> dict[str, Any]:
        """JSON schema of an answer that is not blank."""
        raise NotImplementedError  # a type says it, or `reply_type`

    def reply_type(self, facts: Facts) -> Any:
        """The type of a model's reply, where it depends on the item; None where `reply_schema` says it."""
        return None

    def answer_schema(self) -> dict[str, Any]:
        """JSON schema of an answer in files that is not blank."""
        return self.reply_schema()

    def in_words(self, language: str) -> str:
        """What may be answered, for a model: one or a few lines."""
        return ""

    def from_model(self, answer: Any, facts: Facts) -> tuple[Any, Sequence[ModelDoubt]]:
        """A model's answer that is not blank, without what is not allowed; None if nothing is left. And its doubts."""
        if any(self.shape_faults(answer)) or any(self.limits(answer, facts)):
            return None, [self.doubt(answer)]
        return answer, []

    def doubt(self, answer: Any) -> ModelDoubt:
        return NOT_ALLOWED, {"value": str(answer)[:60]}


def part_at(parts: Sequence[Any] | None, place: int) -> Any:
    """The part of an answer at this place, from 0; None where it has none yet."""
    return parts[place] if parts and len(parts) > place else None


def not_an_option(answer: str, options: Sequence[Option]) -> str:
    allowed = ", ".join(option.value for option in options)
    message = _("“%(value)s” is not one of the options; allowed: %(allowed)s.")
    return message % {"value": one_line(answer, 60), "allowed": one_line(allowed, 300)}


def distinct(values: Sequence[str], info: ValidationInfo | None = None) -> Sequence[str]:
    """Raises ValueError for a value that occurs twice."""
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise ValueError(_("“%(value)s” occurs twice; remove one.") % {"value": one_line(value, 60)})
        seen.add(value)
    return values
