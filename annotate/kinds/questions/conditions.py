"""Conditions under which a question is asked: `when: {fluency: at least 2, safe: "yes", topics: [news, code]}`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from lib.texts.stored_sentences import say as _

Operator = Literal["at_least", "at_most", "one_of", "not_one_of", "answered"]
_NUMBER = re.compile(r"(at least|at most) (-?\d{1,12}(?:\.\d{1,6})?)")
_NOT = re.compile(r"not (.+)", re.DOTALL)


@dataclass(frozen=True)
class Condition:
    """What the answer to an earlier question must be. values: texts, or the one number of at_least and at_most."""

    question: str
    operator: Operator
    values: tuple[str, ...] = ()

    def holds(self, answers: Mapping[str, Any]) -> bool:
        """Whether it holds for these answers; a blank answer meets no condition."""
        answer = answers.get(self.question)
        if answer in (None, "", []):
            return False
        texts = [_text(part) for part in answer] if isinstance(answer, list) else [_text(answer)]
        match self.operator:
            case "answered":
                return True
            case "one_of":
                return any(part in self.values for part in texts)
            case "not_one_of":
                return not any(part in self.values for part in texts)
        number = _decimal(texts[0])
        if number is None:
            return False
        limit = Decimal(self.values[0])
        return number >= limit if self.operator == "at_least" else number <= limit

    def as_json(self) -> list[Any]:
        """For the script of the form: [question, operator, values]."""
        return [self.question, self.operator, list(self.values)]


def read_condition(question: str, written: Any) -> Condition:
    """`at least 2`, `at most 2`, `answered`, a value, `not` a value, or a list of values. Raises ValueError."""
    if isinstance(written, list) and written and all(isinstance(value, str) for value in written):
        return Condition(question, "one_of", tuple(written))
    if isinstance(written, int) and not isinstance(written, bool):
        return Condition(question, "one_of", (str(written),))
    if not isinstance(written, str) or not written:
        message = _("the condition on “%(name)s” is no text; put it in quotes, or write “at least 2”.")
        raise ValueError(message % {"name": question})
    if written == "answered":
        return Condition(question, "answered")
    if match := _NUMBER.fullmatch(written):
        return Condition(question, "at_least" if match[1] == "at least" else "at_most", (match[2],))
    if match := _NOT.fullmatch(written):
        return Condition(question, "not_one_of", (match[1],))
    return Condition(question, "one_of", (written,))


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
