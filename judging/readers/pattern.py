"""A regular expression of the lead's own: compiled when it is saved, bounded in length and time when it is used."""

from collections.abc import Callable, Iterator
from functools import lru_cache

import regex
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.readers.base import BadReader, Reader, Unread, Value
from judging.strategies.scales import Scale

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
# Where a careless pattern takes for ever.
PROBES = ("a" * 3000, "1" * 3000, " " * 3000, "ab " * 1000, "[" * 3000, "(1 " * 1000)


class OwnPattern(Reader):
    """The group `verdict`, `score` or `choice` where there is one, else the first group. Of a score the group holds a
    number on the scale; of a choice A, 1, first, or B, 2, second, or C, 0, tie. All matches have to say the same.

    Not looked at: replies of more than 20,000 characters; given up after a quarter of a second. Raises BadReader where
    the expression cannot be used.
    """

    slug = "regex"
    name = gettext_lazy("Regular expression")
    about = gettext_lazy("The group verdict, or the first group: a number, or A, B, C for a tie.")
    example = r"\bGrade:\s*(?P<verdict>\d+)"
    place = 80

    def __init__(self, pattern: str, *, probe: bool = False) -> None:
        """probe: put it to awkward texts too, as is done once, when it is saved."""
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
            return Unread(
                _("The reply is longer than %(most)d characters; nothing was read.") % {"most": LONGEST_REPLY}
            )
        try:
            groups = list(self._groups(reply))
        except TimeoutError:
            return Unread(_("The regular expression took too long on this reply. Write it without nested repeats."))
        if not groups:
            return Unread(_("The regular expression matches nothing in the reply."))
        values = {read_group(text) for text in groups}
        if len(values) > 1:
            return Unread(_("The regular expression matches several places, and they differ."))
        value = values.pop()
        return (
            Unread(_("What the regular expression found is no verdict that is possible here."))
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
        raise BadReader(_(r"Write the regular expression, such as %(example)s.") % {"example": OwnPattern.example})
    if len(pattern) > LONGEST_PATTERN or "\n" in pattern:
        raise BadReader(
            _("Write the regular expression in one line of at most %(most)d characters.") % {"most": LONGEST_PATTERN}
        )
    try:
        expression = regex.compile(pattern, regex.V0)
    except regex.error as fault:
        raise BadReader(_at_fault(pattern, fault)) from fault
    except (RecursionError, OverflowError, ValueError, MemoryError) as fault:
        raise BadReader(_("The regular expression is too involved. Write a shorter one.")) from fault
    if expression.groups == 0:
        raise BadReader(
            _("The regular expression has no group. Put brackets around what names the verdict: (…) or (?P<verdict>…).")
        )
    return expression


def _at_fault(pattern: str, fault: "regex.error") -> str:
    position, message = (getattr(fault, "pos", None) or 0) + 1, getattr(fault, "msg", str(fault))
    excerpt = pattern[max(0, position - 1) :][:20] or _("the end")
    return _(
        "The regular expression is wrong at character %(place)d (%(there)s): %(fault)s. Correct it there, or write "
        "\\ before a sign that is meant as such."
    ) % {"place": position, "there": excerpt, "fault": message}


def _refuse_slow(pattern: "regex.Pattern[str]") -> None:
    for probe in PROBES:
        try:
            for _found in zip(pattern.finditer(probe, timeout=SECONDS), range(MOST), strict=False):
                pass
        except TimeoutError as slow:
            raise BadReader(
                _("The regular expression takes too long on some texts. Write it without a repeat inside a repeat.")
            ) from slow
