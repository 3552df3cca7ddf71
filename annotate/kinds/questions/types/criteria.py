"""Criteria of the item that people write, with points and tags: what a rubric asks about later."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy, gettext_noop
from pydantic import Field as Limits

from annotate.kinds.questions.base import Facts, ModelDoubt, PlacedMessage, Question
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.definition_texts import signed
from annotate.kinds.questions.types.rubric import MOST_CRITERIA, criterion_faults
from annotate.kinds.values import number
from lib.texts.stored_sentences import say as _

CRITERION, POINTS, TAGS = "criterion", "points", "tags"
LONGEST_CRITERION, MOST_TAGS = 4000, 20
LEFT_OUT = gettext_noop("the model gave %(n)d criteria without a text or points, or twice; they are left out.")
TOO_MANY = gettext_noop("the model gave %(n)d criteria more than are allowed; the last ones are left out.")
IN_WORDS = {  # what a model is told
    "en": "a list of {least} to {most} criteria, each an object: `criterion`, one statement about a good answer that "
    "can be judged alone as met or not; `points`, above 0 for what should be there and below 0 for what should not, "
    "larger where it matters more; `tags`, a list of short words for what it is about, perhaps empty",
    "zh": "一个由 {least} 至 {most} 条标准组成的列表，每条是一个对象：`criterion` 是关于好回答的一句陈述，可以单独判断"
    "是否符合；`points` 是分值，应当出现的为正，不应出现的为负，越重要绝对值越大；"
    "`tags` 是说明其内容的简短词语列表，可以为空",
}


class Criteria(Question):
    """Criteria with points, written row by row; a release of them can be the items of a project with a rubric.

    An answer is a list of {"criterion", "points", "tags"}; points below 0 are for what should not be there. While a
    person is at it, points are None or what was typed. least, most: how many criteria are wanted.
    """

    type: Literal["criteria"]
    least: Annotated[int, Limits(ge=1, le=MOST_CRITERIA)] = 1
    most: Annotated[int, Limits(ge=1, le=MOST_CRITERIA)] = 50

    how = "parts"
    free = True
    controls = (
        SettingControl("least", "whole", gettext_lazy("At least this many"), default=1),
        SettingControl("most", "whole", gettext_lazy("At most this many"), default=50),
    )

    def empty(self, facts: Facts) -> Any:
        return []

    def read(self, data: QueryDict) -> Any:
        criteria, points, tags = (data.getlist(f"{self.control.name}.{part}") for part in (CRITERION, POINTS, TAGS))
        rows = zip_longest(criteria, points, tags, fillvalue="")
        return [_row(*texts) for texts in rows if any(text.strip() for text in texts)]

    def edited(self, answer: Any, action: str) -> Any:
        """The rows after `add-row`, `up-N`, `down-N` or `remove-N`, N from 1."""
        verb, _dash, written = action.partition("-")
        rows, place = list(answer or ()), int(written) - 1 if written.isdecimal() and len(written) < 6 else -1
        if action == "add-row" and len(rows) < MOST_CRITERIA:
            return [*rows, _row("", "", "")]
        if not 0 <= place < len(rows):
            return rows
        row = rows.pop(place)
        if verb in ("up", "down"):
            rows.insert(max(place + (1 if verb == "down" else -1), 0), row)
        return rows

    def typed(self, value: Any) -> Any:
        """Of a table the tags may be null."""
        rows = value if isinstance(value, list) else []
        if not rows or not all(isinstance(row, Mapping) for row in rows):
            return value
        return [{name: part for name, part in row.items() if part is not None} for row in rows]

    def shape_faults(self, answer: Any) -> Iterator[str]:
        if answer is None:
            return
        rows = answer if isinstance(answer, list) else [None]
        if not all(isinstance(row, Mapping) and _is_shaped(row) for row in rows):
            yield _("must be a list of criteria, each {“criterion”: text, “points”: number, “tags”: [text, …]}.")

    def problems(self, answer: Any, facts: Facts) -> Iterator[str]:
        return (message for _place, message in self.placed_problems(answer, facts))

    def placed_problems(self, answer: Any, facts: Facts) -> Iterator[PlacedMessage]:
        if not answer:
            if self.required:
                yield "", _("write at least one criterion.")
            return
        yield from self._placed_limits(answer)

    def limits(self, answer: Any, facts: Facts) -> Iterator[str]:
        return (message for _place, message in self._placed_limits(answer))

    def _placed_limits(self, answer: Sequence[Mapping[str, Any]]) -> Iterator[PlacedMessage]:
        if not self.least <= len(answer) <= self.most:
            message = _("has %(n)d criteria; %(least)d to %(most)d are wanted.")
            yield "", message % {"n": len(answer), "least": self.least, "most": self.most}
        first: dict[str, int] = {}
        for index, row in enumerate(answer):
            yield from ((f"[{index}]", message) for _part, message in criterion_faults(row))
            text = _plain(row)
            if len(text) > LONGEST_CRITERION:
                message = _("has %(n)d characters; at most %(most)d are allowed.")
                yield f"[{index}]", message % {"n": len(text), "most": LONGEST_CRITERION}
            if text and text in first:
                yield f"[{index}]", _("repeats criterion %(first)d.") % {"first": first[text] + 1}
            first.setdefault(text, index)

    def shown(self, answer: Any) -> str:
        return "\n".join(_in_a_line(row) for row in answer or ())

    def measured(self, answer: Any) -> Any:
        return None

    # --- models ---------------------------------------------------------------------------------------------------
    def reply_schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self._row_schema([CRITERION, POINTS, TAGS])}

    def answer_schema(self) -> dict[str, Any]:
        return {"type": "array", "maxItems": MOST_CRITERIA, "items": self._row_schema([CRITERION, POINTS])}

    def _row_schema(self, needed: Sequence[str]) -> dict[str, Any]:
        tags = {"type": "array", "items": {"type": "string"}}
        parts = {CRITERION: {"type": "string"}, POINTS: {"type": "number"}, TAGS: tags}
        return {"type": "object", "properties": parts, "required": list(needed), "additionalProperties": False}

    def in_words(self, language: str) -> str:
        return IN_WORDS.get(language, IN_WORDS["en"]).format(least=self.least, most=self.most)

    def from_model(self, answer: Any, facts: Facts) -> tuple[Any, Sequence[ModelDoubt]]:
        """The rows that are criteria, each once; what is left out is counted in a doubt."""
        rows: dict[str, dict[str, Any]] = {}
        for row in answer if isinstance(answer, list) else ():
            if isinstance(row, Mapping) and not any(criterion_faults(row)) and len(_plain(row)) <= LONGEST_CRITERION:
                tags = [tag.strip() for tag in row.get(TAGS) or () if tag.strip()][:MOST_TAGS]
                rows.setdefault(_plain(row), _made(row[CRITERION].strip(), row[POINTS], tags))
        counts = {LEFT_OUT: len(answer) - len(rows), TOO_MANY: len(rows) - self.most}
        doubts: list[ModelDoubt] = [(message, {"n": n}) for message, n in counts.items() if n > 0]
        return list(rows.values())[: self.most] or None, doubts


def _row(criterion: str, points: str, tags: str) -> dict[str, Any]:
    return _made(criterion.replace("\r\n", "\n"), number(points.replace("−", "-")), tags.replace("，", ",").split(","))


def _made(criterion: str, points: Any, tags: Sequence[str]) -> dict[str, Any]:
    names = list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
    return {CRITERION: criterion, POINTS: points, **({TAGS: names} if names else {})}


def _is_shaped(row: Mapping[str, Any]) -> bool:
    """points may be missing or half typed while somebody writes; what is submitted is checked by `limits`."""
    points, tags = row.get(POINTS), row.get(TAGS, [])
    has_tags = isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)
    has_points = points is None or (isinstance(points, int | float | str) and not isinstance(points, bool))
    return row.keys() <= {CRITERION, POINTS, TAGS} and isinstance(row.get(CRITERION), str) and has_tags and has_points


def _plain(row: Mapping[str, Any]) -> str:
    return " ".join(str(row.get(CRITERION, "")).split())


def _in_a_line(row: Mapping[str, Any]) -> str:
    points = row.get(POINTS)
    written = signed(points) if isinstance(points, int | float) else str(points or "–")
    tags = ", ".join(row.get(TAGS) or ())
    return f"{written} {_plain(row)}{f' · {tags}' if tags else ''}"


TYPE = Criteria
