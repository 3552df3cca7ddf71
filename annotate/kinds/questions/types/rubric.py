"""Criteria that stand in the item itself: each one met, not met, or impossible to tell."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy
from pydantic import Field as Limits
from pydantic import WithJsonSchema, create_model
from typing_extensions import TypeAliasType

from annotate.kinds.questions.base import LEFT_OPEN, Facts, ModelDoubt, PlacedMessage, Question, part_at
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.definition_texts import Column, one_line
from annotate.kinds.questions.types.rating import whole_number
from annotate.kinds.shapes import AnswerShape
from annotate.kinds.values import BLANK
from lib.texts.stored_sentences import say as _

MOST_CRITERIA = 500
MOST_POINTS = 1_000_000
MET, NOT_MET, CANNOT_TELL = "met", "not_met", "cannot_tell"
ANSWERS = {MET: gettext_lazy("Met"), NOT_MET: gettext_lazy("Not met"), CANNOT_TELL: gettext_lazy("Cannot tell")}
ANSWER = "answer"  # beside a criterion, in files whose column and question have the same name
IN_WORDS = {  # what a model is told
    "en": "an object with the number of each criterion of `{column}` and one of {answers} for it",
    "zh": "一个对象，键为 `{column}` 中每条标准的编号，值为 {answers} 之一",
}
# An alias is written once into a schema, however many criteria refer to it.
CriterionAnswer = TypeAliasType(
    "CriterionAnswer", Annotated[str, WithJsonSchema({"type": "string", "enum": list(ANSWERS)})]
)


@dataclass(frozen=True)
class Criterion:
    """points: below 0 for what should not be there."""

    text: str
    points: float
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class RubricScore:
    """value: None without positive points. cannot_tell: criteria that are left out of points met and of all points."""

    value: float | None
    cannot_tell: int = 0


class Rubric(Question):
    """Whether each criterion of a column is met. An answer lists `met`, `not_met` or `cannot_tell`, in its order.

    from: a column with a list of {"criterion", "points", "tags"}, at most 500; points below 0 are allowed, and tags may
    be missing. While a person is at it, what is not answered yet is None.
    """

    type: Literal["rubric"]
    source: Annotated[Column, Limits(alias="from")]

    how = "parts"
    level = "nominal"
    parted = divisible = True
    controls = (
        SettingControl(
            "from",
            "any_column",
            gettext_lazy("Column with the criteria"),
            gettext_lazy("A list of criteria with points; it need not be shown."),
        ),
    )

    @classmethod
    def starting(cls, columns: Sequence[str]) -> dict[str, Any]:
        return {"from": "rubric"}

    def own_columns(self) -> Sequence[str]:
        return [self.source]

    def with_one_part_each(self, facts: Facts) -> Sequence[Facts]:
        return [{**facts, self.source: [row]} for row in facts.get(self.source) or ()]

    def column_faults(self, facts: Facts) -> Iterator[tuple[str, str]]:
        if self.source in facts:
            yield from ((f"{self.source}{place}", message) for place, message in _faults(facts[self.source]))

    def example_columns(self) -> dict[str, Any]:
        text = _("(a criterion of %(name)s)") % {"name": self.source}
        return {self.source: [{"criterion": text, "points": 1}]}

    def criteria(self, facts: Facts) -> list[Criterion]:
        """Empty where an item lacks the column."""
        return [
            Criterion(row["criterion"], float(row["points"]), tuple(row.get("tags") or ()))
            for row in facts.get(self.source) or ()
        ]

    # --- answers ------------------------------------------------------------------------------------------------------
    def empty(self, facts: Facts) -> Any:
        return []

    def read(self, data: QueryDict) -> Any:
        """The form posts how many criteria it shows, so that those without an answer keep their places."""
        count = min(whole_number(self.control.text(data, ".count")) or 0, MOST_CRITERIA)
        answers = [self.control.text(data, f".{index}") or None for index in range(count)]
        return answers if any(answers) else []

    def typed(self, value: Any) -> Any:
        """Files may say true and false, or have an object with `criteria_met` or `answer` for each criterion."""
        return [_typed(answer) for answer in value] if isinstance(value, list) else value

    def shape_faults(self, answer: Any) -> Iterator[str]:
        texts = all(part is None or isinstance(part, str) for part in answer) if isinstance(answer, list) else False
        if answer is not None and not texts:
            yield _("must be a list with %(answers)s for each criterion.") % {"answers": ", ".join(ANSWERS)}

    def problems(self, answer: Any, facts: Facts) -> Iterator[str]:
        return (message for _place, message in self.placed_problems(answer, facts))

    def placed_problems(self, answer: Any, facts: Facts) -> Iterator[PlacedMessage]:
        count, parts = len(self.criteria(facts)), answer or []
        missing = [index for index in range(count) if part_at(parts, index) is None]
        if self.required and missing:
            params = {"n": len(missing), "count": count, "first": missing[0] + 1}
            message = _("%(n)d of %(count)d criteria have no answer; the first of them is no. %(first)d.")
            yield f"[{missing[0]}]" if parts else "", message % params
        yield from self._placed_limits(parts, facts)

    def limits(self, answer: Any, facts: Facts) -> Iterator[str]:
        return (message for _place, message in self._placed_limits(answer, facts))

    def _placed_limits(self, answer: Any, facts: Facts) -> Iterator[PlacedMessage]:
        if self.source in facts and len(answer) > (count := len(self.criteria(facts))):
            message = _("has %(n)d answers for %(count)d criteria; remove what is too much.")
            yield "", message % {"n": len(answer), "count": count}
        for index, part in enumerate(answer):
            if part is not None and part not in ANSWERS:
                message = _("“%(value)s” is not one of the answers; allowed: %(allowed)s.")
                yield f"[{index}]", message % {"value": one_line(part, 60), "allowed": ", ".join(ANSWERS)}

    def shown(self, answer: Any) -> str:
        numbered_parts = ((number, part) for number, part in enumerate(answer or (), start=1) if part is not None)
        return "\n".join(f"{number}. {ANSWERS.get(part, part)}" for number, part in numbered_parts)

    def named_parts(self, answer: Any, facts: Facts) -> list[tuple[int, str, str]]:
        rows = enumerate(zip(answer or (), self.criteria(facts), strict=False), start=1)
        return [(number, str(ANSWERS.get(part, part)), criterion.text) for number, (part, criterion) in rows if part]

    def measured(self, answer: Any) -> Any:
        """place of a criterion, from 0 -> answer, None for “cannot tell”; criteria without an answer are not there."""
        parts = {index: part for index, part in enumerate(answer or ()) if part in ANSWERS}
        return {str(index): None if part == CANNOT_TELL else part for index, part in parts.items()} or None

    def score(self, measured: Mapping[str, str | None], facts: Facts) -> RubricScore:
        """Points of the criteria that are met, divided by all positive points; below 0 and above 1 it stays as it is.

        “Cannot tell”, and what was not answered, is left out of both. As HealthBench's public code, which cuts the mean
        over items to 0..1, and not the score of an item.
        """
        criteria = self.criteria(facts)
        answered = [(criterion, measured.get(str(index))) for index, criterion in enumerate(criteria)]
        possible = sum(criterion.points for criterion, answer in answered if answer and criterion.points > 0)
        reached = sum(criterion.points for criterion, answer in answered if answer == MET)
        cannot_tell = sum(answer is None for answer in measured.values())
        return RubricScore(reached / possible if possible > 0 else None, cannot_tell)

    # --- files whose column and question have the same name -----------------------------------------------------------
    def apart(self, value: Any) -> tuple[Any, Any]:
        """(column, answer) of a value that stands under the name of both: criteria, each perhaps with its answer."""
        rows = value if isinstance(value, list) else []
        if not any(isinstance(row, Mapping) and "criterion" in row for row in rows):
            return None, value
        answers = [row.get(ANSWER) if isinstance(row, Mapping) else None for row in rows]
        bare = [_without_answer(row) if isinstance(row, Mapping) else row for row in rows]
        return bare, answers if any(answer is not None for answer in answers) else None

    def joined(self, column: Any, answer: Any) -> Any:
        if answer in BLANK or not isinstance(column, list):
            return column
        answers = [*answer, *[None] * len(column)]
        return [row if part is None else {**row, ANSWER: part} for row, part in zip(column, answers, strict=False)]

    # --- the form, and what models are told ---------------------------------------------------------------------------
    def form_context(self, facts: Facts) -> dict[str, Any]:
        return {"criteria": self.criteria(facts), "answers": ANSWERS.items()}

    def material(self, facts: Facts) -> dict[str, Any]:
        rows = facts.get(self.source) or ()
        return {self.source: {str(number): row for number, row in enumerate(rows, start=1)}}

    def reply_type(self, facts: Facts) -> Any:
        return _reply_of(len(self.criteria(facts)))

    def column_schema(self) -> dict[str, Any]:
        tags = {"type": ["array", "null"], "items": {"type": "string"}}
        parts = {"criterion": {"type": "string"}, "points": {"type": "number"}, "tags": tags}
        row = {"type": "object", "properties": parts, "required": ["criterion", "points"]}
        return {self.source: {"type": "array", "minItems": 1, "maxItems": MOST_CRITERIA, "items": row}}

    def answer_schema(self) -> dict[str, Any]:
        return {"type": "array", "maxItems": MOST_CRITERIA, "items": {"enum": [*ANSWERS, None]}}

    def from_model(self, answer: Any, facts: Facts) -> tuple[Any, Sequence[ModelDoubt]]:
        """What is not one of the answers is left open, without losing the other criteria."""
        parts = [answer.get(str(number)) for number in range(1, len(self.criteria(facts)) + 1)]
        allowed = [part if part in ANSWERS else None for part in parts]
        open_ones = allowed.count(None)
        doubts = [(LEFT_OPEN, {"n": open_ones})] if open_ones else []
        return allowed if open_ones < len(allowed) else None, doubts

    def in_words(self, language: str) -> str:
        words = IN_WORDS.get(language, IN_WORDS["en"])
        return words.format(column=self.source, answers=", ".join(ANSWERS))


def cut_to_1(mean: float | None) -> float | None:
    """A mean of scores, or an end of its interval, within 0..1."""
    return None if mean is None else min(1.0, max(0.0, mean))


def _typed(answer: Any) -> Any:
    if isinstance(answer, Mapping) and not {"criteria_met", ANSWER}.isdisjoint(answer):
        answer = answer.get("criteria_met", answer.get(ANSWER))
    return (MET if answer else NOT_MET) if isinstance(answer, bool) else answer


def _without_answer(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != ANSWER}


def _faults(criteria: Any) -> Iterator[tuple[str, str]]:
    """(place, message) of what is wrong with a list of criteria."""
    if not isinstance(criteria, list) or not criteria:
        yield "", _("must be a list of criteria, each {“criterion”: text, “points”: number}, with at least one.")
    elif len(criteria) > MOST_CRITERIA:
        message = _("has %(n)d criteria; at most %(most)d are allowed. Split the item.")
        yield "", message % {"n": len(criteria), "most": MOST_CRITERIA}
    else:
        for index, row in enumerate(criteria):
            yield from ((f"[{index}]{part}", message) for part, message in criterion_faults(row))


def criterion_faults(row: Any) -> Iterator[tuple[str, str]]:
    """(place, message) of what is wrong with one criterion."""
    if not isinstance(row, Mapping):
        yield "", _("must be an object with `criterion` and `points`, and `tags` if it has any.")
        return
    text, points, tags = row.get("criterion"), row.get("points"), row.get("tags")
    if not isinstance(text, str) or not text.strip():
        yield ".criterion", _("must be the text of the criterion.")
    if isinstance(points, bool) or not isinstance(points, int | float):
        yield ".points", _("must be a number, above 0 for what should be there and below 0 for what should not.")
    elif not abs(points) <= MOST_POINTS:
        yield ".points", _("must lie between -%(most)d and %(most)d.") % {"most": MOST_POINTS}
    if tags is not None and not (isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)):
        yield ".tags", _("must be a list of texts.")


@lru_cache(maxsize=MOST_CRITERIA)
def _reply_of(count: int) -> type[AnswerShape]:
    fields: dict[str, Any] = {
        f"criterion_{number}": (CriterionAnswer, Limits(alias=str(number))) for number in range(1, count + 1)
    }
    shape: type[AnswerShape] = create_model("RubricReply", __base__=AnswerShape, **fields)
    return shape


TYPE = Rubric
