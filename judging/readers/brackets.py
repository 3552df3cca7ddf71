"""Verdicts in double brackets: MT-Bench's for scores and pairs, Auto-J's for scores."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from judging.readers.base import Mark, ReplyReader, Unread, decided, is_quoted
from judging.readers.scales import Scale

# The brackets of a matrix, [[1, 2], [3, 4]], do not hold a single number.
_BRACKETS = re.compile(
    r"(?P<named>(?:\brating|\bscore|评分)[\s*_]{0,4}[:：][\s*_]{0,4})?"
    r"\[\[[ \t*]{0,4}(?P<value>[^\[\]\n]{1,24}?)[ \t*]{0,4}\]\]",
    re.IGNORECASE,
)
_STARTS_AS_NUMBER = re.compile(r"[-−]?\d")
CHOICES = {"a": "first", "b": "second", "c": "tie"}


def scores_in_brackets(reply: str, scale: Scale, *, named_only: bool = False) -> Iterator[Mark[float]]:
    """`[[7]]` and `Rating: [[7]]`; where one is named, only named ones are looked at. `[[rating]]` is no mark."""
    matches = [match for match in _BRACKETS.finditer(reply) if _STARTS_AS_NUMBER.match(match["value"])]
    named_matches = [match for match in matches if match["named"]]
    for match in named_matches if named_matches or named_only else matches:
        yield Mark(scale.read(match["value"]), is_quoted(reply, match.start(), match.end()))


class BracketReader(ReplyReader):
    """`[[A]]`, `[[B]]`, `[[C]]` for a tie; `[[7]]` or `Rating: [[7]]`. The published code takes the first mark; this
    one reads nothing where marks differ."""

    slug = "mt-bench"
    name = _("MT-Bench")
    about = _("[[A]], [[B]] or [[C]] for a tie; [[7]] or Rating: [[7]] for one answer.")
    example = "B explains the step that A skips. [[B]]"
    source = "MT-Bench (arXiv 2306.05685), lm-sys/FastChat fastchat/llm_judge"
    place = 20

    def score(self, reply: str, scale: Scale) -> float | Unread:
        return decided(scores_in_brackets(reply, scale), "[[7]]")

    def choice(self, reply: str) -> str | Unread:
        choice_matches = ((CHOICES.get(match["value"].lower()), match) for match in _BRACKETS.finditer(reply))
        marks = (Mark(value, is_quoted(reply, match.start(), match.end())) for value, match in choice_matches if value)
        return decided(marks, "[[A]]")


READERS = [BracketReader()]
