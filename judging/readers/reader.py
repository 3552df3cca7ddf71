"""Readers: they find the verdict in the plain text of an evaluator that answers in its own words.

A module of this folder lists its instances in `READERS`. A reader never guesses: a reply without a verdict, or with two
different ones, is Unread with the reason, and never a zero or a tie.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Generic, TypeVar

import regex
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.readers.scales import Scale
from lib.discovery import discover

Value = TypeVar("Value", float, str)
LONGEST = 100_000  # characters of a reply that are looked at
_QUOTES = "\"'“”‘’`「」"
# A mark that only explains how to answer: “for example: [[5]]”, “the format "[[A]]"”, “"[[A]]" if A is better”.
_EXAMPLE = re.compile(r"(?:for example|for instance|e\.\s?g\.|such as|例如|比如)[\s:：,，(（\"'“‘`「]*$", re.IGNORECASE)
_FORMAT = re.compile(r"\b(?:format|strictly|output|template|write)\b|格式|按照|输出", re.IGNORECASE)
_CONDITION = re.compile(rf"[{_QUOTES}]?[\s,，]*(?:if\b|when\b|for a tie\b|表示|如果|代表)", re.IGNORECASE)


class BadReader(ValueError):
    """A reader that cannot be used; the message says what is wrong, where, and what to write instead."""


@dataclass(frozen=True)
class Unread:
    """No verdict could be read. reason: one sentence for people."""

    reason: str


class ReplyReader:
    """One way of reading. Pure: it maps a text to a value and never raises.

    scores, chooses: whether it reads scores of one answer, and choices between two. place: its position in lists.
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
        return Unread(_("The reader “%(name)s” cannot read scores.") % {"name": self.name})

    def choice(self, reply: str) -> str | Unread:
        """first, second or tie, by the places in which the evaluator saw the answers."""
        return Unread(_("The reader “%(name)s” cannot read choices.") % {"name": self.name})


@dataclass(frozen=True)
class Mark(Generic[Value]):
    """One place with a verdict. value: None if it is not a possible verdict. quoted: it only explains the format."""

    value: Value | None
    quoted: bool = False


def decided(marks: Iterable[Mark[Value]], example: str) -> Value | Unread:
    """The value of the last mark, unless another mark contradicts it. example: of a mark, for the reason."""
    all_marks = list(marks)
    if not all_marks:
        return Unread(_("The reply has no marker such as %(mark)s.") % {"mark": example})
    values = {mark.value for mark in all_marks}
    if len(values) > 1:
        return Unread(_("The reply has several different markers such as %(mark)s.") % {"mark": example})
    value = values.pop()
    if value is None:
        return Unread(_("The marker does not contain a verdict that is possible here."))
    if all_marks[-1].quoted:
        return Unread(_("The last marker only repeats the answer format."))
    return value


def is_quoted(text: str, start: int, end: int) -> bool:
    """Whether the mark from start to end is part of an explanation of how to answer."""
    before = text[max(0, start - 120) : start].rpartition("\n")[2]
    after = text[end : end + 40]
    in_quotes = before[-1:] in _QUOTES and before != ""
    return bool(_EXAMPLE.search(before) or _CONDITION.match(after) or (in_quotes and _FORMAT.search(before)))


def line_of(text: str, at: int, most: int = 200) -> str:
    """The text from index `at` to the end of its line, at most `most` characters."""
    return text[at : at + most].split("\n", 1)[0]


def first_line(reply: str) -> str:
    """The first line that is not blank, without surrounding signs."""
    return next((line.strip() for line in reply.splitlines() if line.strip()), "")


# Own pattern: a lead's regular expression, compiled when it is saved, limited in length and time when it is used.


LONGEST_PATTERN = 500  # characters
LONGEST_REPLY = 20_000  # characters; about ten times what an evaluator writes
SECONDS = 0.25
MOST = 200  # matches that are compared
GROUPS = ("verdict", "score", "choice")
WORDS = {
    "first": ("a", "1", "first", "response 1", "response a", "assistant a", "answer a", "answer 1", "回答a", "回答1"),
    "second": ("b", "2", "second", "response 2", "response b", "assistant b", "answer b", "answer 2", "回答b", "回答2"),
    "tie": ("c", "0", "tie", "draw", "equal", "both", "平局"),
}
# Texts on which a careless pattern takes very long.
PROBES = ("a" * 3000, "1" * 3000, " " * 3000, "ab " * 1000, "[" * 3000, "(1 " * 1000)


class OwnPattern(ReplyReader):
    """The group `verdict`, `score` or `choice` if there is one, else the first group. For a score the group holds a
    number on the scale; for a choice A, 1, first, or B, 2, second, or C, 0, tie. All matches have to agree.

    Limits: replies of more than 20,000 characters are unread, and matching stops after a quarter of a second. Raises
    BadReader if the expression cannot be used.
    """

    slug = "regex"
    name = gettext_lazy("Regular expression")
    about = gettext_lazy("The group named verdict, or else the first group: a number, or A, B, or C for a tie.")
    example = r"\bGrade:\s*(?P<verdict>\d+)"
    place = 80

    def __init__(self, pattern: str, *, probe: bool = False) -> None:
        """probe: also test the pattern on difficult texts, which is done once, when it is saved."""
        self.pattern = _compiled(pattern)
        if probe:
            _refuse_slow(self.pattern)
        self.group = next((name for name in GROUPS if name in self.pattern.groupindex), 1)

    def score(self, reply: str, scale: Scale) -> float | Unread:
        return self._agreed(reply, lambda text: scale.read(text))

    def choice(self, reply: str) -> str | Unread:
        return self._agreed(reply, choice_of)

    def _agreed(self, reply: str, read_group: Callable[[str], Value | None]) -> Value | Unread:
        if len(reply) > LONGEST_REPLY:
            return Unread(_("The reply is longer than %(most)d characters and was not read.") % {"most": LONGEST_REPLY})
        try:
            groups = list(self._groups(reply))
        except TimeoutError:
            return Unread(_("The regular expression took too long on this reply. Avoid nested repeats."))
        if not groups:
            return Unread(_("The regular expression matches nothing in the reply."))
        values = {read_group(text) for text in groups}
        if len(values) > 1:
            return Unread(_("The regular expression matches several places with different results."))
        value = values.pop()
        return (
            Unread(_("The match of the regular expression is not a verdict that is possible here."))
            if value is None
            else value
        )

    def _groups(self, reply: str) -> Iterator[str]:
        """Raises TimeoutError."""
        for index, match in enumerate(self.pattern.finditer(reply, timeout=SECONDS)):
            if index == MOST:
                return
            yield match[self.group] or ""


def choice_of(text: str) -> str | None:
    plain = " ".join(text.strip(" \t\r\n.*_\"'“”`()[]").casefold().split())
    return next((choice for choice, words in WORDS.items() if plain in words), None)


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    """Raises BadReader, with the place and what to do."""
    if not pattern.strip():
        raise BadReader(_("Enter a regular expression, such as %(example)s.") % {"example": OwnPattern.example})
    if len(pattern) > LONGEST_PATTERN or "\n" in pattern:
        raise BadReader(
            _("Enter the regular expression as one line of at most %(most)d characters.") % {"most": LONGEST_PATTERN}
        )
    try:
        expression = regex.compile(pattern, regex.V0)
    except regex.error as fault:
        raise BadReader(_at_fault(pattern, fault)) from fault
    except (RecursionError, OverflowError, ValueError, MemoryError) as fault:
        raise BadReader(_("The regular expression is too complex. Use a shorter one.")) from fault
    if expression.groups == 0:
        raise BadReader(
            _("The regular expression has no group. Put parentheses around the verdict: (…) or (?P<verdict>…).")
        )
    return expression


def _at_fault(pattern: str, fault: "regex.error") -> str:
    position, message = (getattr(fault, "pos", None) or 0) + 1, getattr(fault, "msg", str(fault))
    excerpt = pattern[max(0, position - 1) :][:20] or _("the end")
    return _(
        "The regular expression has an error at character %(place)d (%(there)s): %(fault)s. Correct it, or "
        "put \\ before a character that is meant literally."
    ) % {"place": position, "there": excerpt, "fault": message}


def _refuse_slow(pattern: "regex.Pattern[str]") -> None:
    for probe in PROBES:
        try:
            for _found in zip(pattern.finditer(probe, timeout=SECONDS), range(MOST), strict=False):
                pass
        except TimeoutError as slow:
            raise BadReader(_("The regular expression takes too long on some texts. Avoid nested repeats.")) from slow


# Registry and reading.


@dataclass(frozen=True)
class ReaderTarget:
    """What to find in a reply: a choice between two answers, or a score of one on its scale.

    scale: of the score; None for a choice. prefix: the given beginning of the evaluator's reply.
    """

    scale: Scale | None
    prefix: str = ""


@cache
def readers() -> Mapping[str, ReplyReader]:
    """slug -> reader, of the `READERS` of every module here, in the order of their places."""
    all_readers = [reader for module_readers in discover("judging.readers", "READERS") for reader in module_readers]
    return {reader.slug: reader for reader in sorted(all_readers, key=lambda reader: reader.place)}


def reader_named(slug: str, pattern: str = "", *, probe: bool = False) -> ReplyReader:
    """The reader with this slug; `regex` is made of its pattern. Raises BadReader, which says what to write instead.

    probe: also refuse a pattern that is slow on difficult texts.
    """
    if slug == OwnPattern.slug:
        return OwnPattern(pattern, probe=probe)
    if slug not in readers():
        there_are = ", ".join([*readers(), OwnPattern.slug])
        raise BadReader(_("There is no reader “%(slug)s”. Readers: %(all)s.") % {"slug": slug, "all": there_are})
    if pattern:
        raise BadReader(_("Only the reader “regex” uses a pattern. Remove the pattern, or choose that reader."))
    return readers()[slug]


def read_reply(reader: ReplyReader, reply: str, target: ReaderTarget) -> float | str | Unread:
    """The score, or the choice: `first`, `second` or `tie` (of JSON also `both_good`, `both_bad`). Never raises.

    reply: the text that came back, with or without the prefix: services differ in whether they repeat it. If both
    readings are possible and differ, the reply is Unread.
    """
    if len(reply) > LONGEST:
        return Unread(_("The reply is longer than %(most)d characters and was not read.") % {"most": LONGEST})
    prefix = target.prefix.strip()
    joined_value = reader.read(_joined(prefix, reply), target.scale, prefix)
    if not prefix or not reply.lstrip().startswith(prefix):
        return joined_value
    alone = reader.read(reply, target.scale, prefix)
    values = {value for value in (joined_value, alone) if not isinstance(value, Unread)}
    if len(values) > 1:
        return Unread(
            _("The reply begins like its prefix, and gives a different verdict with the prefix than without it.")
        )
    return values.pop() if values else alone


def _joined(prefix: str, reply: str) -> str:
    """Prefix and reply, joined so that a number at the end of the prefix remains a separate number."""
    apart = prefix[-1:].isalnum() and reply[:1].isalnum()
    return f"{prefix} {reply}" if apart else prefix + reply
