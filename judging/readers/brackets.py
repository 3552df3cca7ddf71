"""Verdicts in double brackets: MT-Bench's for scores and pairs, Auto-J's for scores. Auto-J decides pairs in words."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from judging.readers.reader import Mark, ReplyReader, Unread, decided, is_quoted, line_of
from judging.readers.scales import Scale

# The brackets of a matrix, [[1, 2], [3, 4]], do not hold a single number.
_BRACKETS = re.compile(
    r"(?P<named>(?:\brating|\bscore|评分)[\s*_]{0,4}[:：][\s*_]{0,4})?"
    r"\[\[[ \t*]{0,4}(?P<value>[^\[\]\n]{1,24}?)[ \t*]{0,4}\]\]",
    re.IGNORECASE,
)
_STARTS_AS_NUMBER = re.compile(r"[-−]?\d")
_DECISION = re.compile(
    r"\bfinal\s+decision\s*(?:is\b|:)\s*|最终(?:的)?(?:决定|判断|结论)\s*(?:是|为|：|:)\s*", re.IGNORECASE
)
_VALUE = re.compile(
    r"[\s*_\"'“‘`:：\[(]*(?:a\s+|that\s+)?"
    r"(?:(?:response|answer|回应|回复|回答)\s*(?P<number>[12])|(?P<tie>tie\b|平局|打平|平手))"
    r"(?P<rest>.*)",
    re.IGNORECASE,
)
# After the decision: another one, a condition, or a digit that would change the number.
_ANOTHER = re.compile(
    r"[\s*_\"'”’`\])]*(?:\d|if\b|如果|(?:/|,|，|、|or\b|and\b|或)\s*[*_\"'“‘`\[(]*(?:response|answer|tie\b|[12]|回|平))",
    re.IGNORECASE,
)
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


class AutoJReader(ReplyReader):
    """Pairs: the last `final decision is Response 1`, `Response 2` or `Tie`, as the answers stood in the prompt; also
    in Chinese. Scores: `Rating: [[5]]`, decimals possible. The published code counts a missing rating as 0; here it is
    unread."""

    slug = "auto-j"
    name = _("Auto-J")
    about = _("So, the final decision is Response 1, Response 2 or Tie; Rating: [[5]] for one answer.")
    example = "1. Key factors: … 2. So, the final decision is Response 2."
    source = "Auto-J (arXiv 2310.05470), GAIR-NLP/auto-j codes/usage"
    place = 30

    def score(self, reply: str, scale: Scale) -> float | Unread:
        return decided(scores_in_brackets(reply, scale, named_only=True), "Rating: [[5]]")

    def choice(self, reply: str) -> str | Unread:
        return decided(_decisions(reply), "the final decision is Response 1")


def _decisions(reply: str) -> Iterator[Mark[str]]:
    for match in _DECISION.finditer(reply):
        yield Mark(_choice_in_line(line_of(reply, match.end())), is_quoted(reply, match.start(), match.end()))


def _choice_in_line(line: str) -> str | None:
    """None if it names none, or several."""
    match = _VALUE.match(line)
    if match is None or _ANOTHER.match(match["rest"]):
        return None
    return "tie" if match["tie"] else {"1": "first", "2": "second"}[match["number"]]


READERS = [BracketReader(), AutoJReader()]
