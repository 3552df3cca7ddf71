"""What a reader has to say, and the marks by which evaluators show their verdicts."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from judging.strategies.scales import Scale

Value = TypeVar("Value", float, str)
LONGEST = 100_000  # characters of a reply that are looked at
_QUOTES = "\"'“”‘’`「」"
# A mark that only tells how to answer: “for example: [[5]]”, “the format "[[A]]"”, “"[[A]]" if A is better”.
_EXAMPLE = re.compile(r"(?:for example|for instance|e\.\s?g\.|such as|例如|比如)[\s:：,，(（\"'“‘`「]*$", re.IGNORECASE)
_FORMAT = re.compile(r"\b(?:format|strictly|output|template|write)\b|格式|按照|输出", re.IGNORECASE)
_CONDITION = re.compile(rf"[{_QUOTES}]?[\s,，]*(?:if\b|when\b|for a tie\b|表示|如果|代表)", re.IGNORECASE)


class BadReader(ValueError):
    """A reader that cannot be used; the message says what is wrong, where, and what to write instead."""


@dataclass(frozen=True)
class Unread:
    """No verdict could be read. reason: one sentence for people."""

    reason: str


class Reader:
    """One way of reading. Pure: a text goes in, a value comes out, nothing is raised.

    scores, chooses: whether it reads scores of one answer, and choices between two. place: where it stands in lists.
    example: a reply that it reads.
    """

    slug: str
    name: str | Promise
    about: str | Promise
    example: str = ""
    source: str = ""
    place: int = 50
    scores: bool = True
    chooses: bool = True

    def read(self, reply: str, scale: Scale | None, prefix: str = "") -> float | str | Unread:
        """scale: of the score; None where two answers are compared. prefix: what the reply was made to begin with."""
        return self.choice(reply) if scale is None else self.score(reply, scale)

    def score(self, reply: str, scale: Scale) -> float | Unread:
        """A number on the scale."""
        return Unread(_("The reader “%(name)s” reads no scores.") % {"name": self.name})

    def choice(self, reply: str) -> str | Unread:
        """first, second or tie, by the places in which the evaluator saw the answers."""
        return Unread(_("The reader “%(name)s” reads no choices.") % {"name": self.name})


@dataclass(frozen=True)
class Mark(Generic[Value]):
    """One place that shows a verdict. value: None where it names none that can be meant. quoted: it tells a format."""

    value: Value | None
    quoted: bool = False


def decided(marks: Iterable[Mark[Value]], example: str) -> Value | Unread:
    """What the last mark says, where no other contradicts it. example: of a mark, for the reason."""
    all_marks = list(marks)
    if not all_marks:
        return Unread(_("The reply has no mark such as %(mark)s.") % {"mark": example})
    values = {mark.value for mark in all_marks}
    if len(values) > 1:
        return Unread(_("The reply has several marks such as %(mark)s, and they differ.") % {"mark": example})
    value = values.pop()
    if value is None:
        return Unread(_("The mark names no verdict, or none that is possible here."))
    if all_marks[-1].quoted:
        return Unread(_("The last mark only repeats how to answer."))
    return value


def is_quoted(text: str, start: int, end: int) -> bool:
    """Whether the mark from start to end belongs to words about how to answer."""
    before = text[max(0, start - 120) : start].rpartition("\n")[2]
    after = text[end : end + 40]
    in_quotes = before[-1:] in _QUOTES and before != ""
    return bool(_EXAMPLE.search(before) or _CONDITION.match(after) or (in_quotes and _FORMAT.search(before)))


def line_of(text: str, at: int, most: int = 200) -> str:
    """From a place to the end of its line, at most so many characters."""
    return text[at : at + most].split("\n", 1)[0]


def first_line(reply: str) -> str:
    """Its first line that is not blank, without what surrounds it."""
    return next((line.strip() for line in reply.splitlines() if line.strip()), "")
