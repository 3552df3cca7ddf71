"""Prometheus and Prometheus 2: feedback, the mark [RESULT], then a score or a letter."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from judging.readers.reader import Mark, ReplyReader, Unread, decided, is_quoted, line_of
from judging.readers.scales import Scale

_RESULT = re.compile(r"\[{1,2}\s?(?:result|score)\s?\]{1,2}[\s*_:：]*", re.IGNORECASE)
_OPENING = r"[\s*_\"'“‘`:：\[(]*(?:(?:score|rating)\s*(?:of|is|[:：])?\s*[*_\"'“‘`\[(]*)?"
# Nothing after it may change the number: 1-5, 4 or 5, 4,5, 80 %.
_SCORE = re.compile(
    rf"{_OPENING}(?P<score>\d{{1,4}}(?:\.\d{{1,4}})?(?:\s*(?:/|out\s+of)\s*\d{{1,4}})?)"
    r"(?![\w%/]|[.,]\d|\s*(?:[-–—~～至到]\s*\d|(?:to|or|and)\b|/))",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"[\s*_\"'“‘`:：\[(]*(?:(?:response|assistant|answer)\s*)?(?P<letter>[AB])[\s*_\"'”’`.\])]*"
    r"(?:(?:is|was)\s+(?:the\s+)?better\b[^/]*|wins\b[^/]*)?",
    re.IGNORECASE,
)
# Text of the instructions in place of a verdict: (an integer number between 1 and 5), (Either "A" or "B").
_PLACEHOLDER = re.compile(r"[\s*_\"'“‘`:：]*[(<{\[]\s*(?:an?\s|either|the\s|your\s|score\b|integer)", re.IGNORECASE)


class Prometheus(ReplyReader):
    """`Feedback: … [RESULT] 4` of one answer, `[RESULT] A` or `B` of two; there are no ties.

    `[RESULT]: (4)`, `[RESULT] Score: 4` and `4/5` are read too, and, where no mark is there, a last line such as
    `Score: 4`, as version 2 does. Two marks that differ are unread; the published code takes the first.
    """

    slug = "prometheus"
    name = _("Prometheus")
    about = _("Feedback, then [RESULT] 4 for one answer, [RESULT] A or B for two.")
    example = "Covers both causes but misdates one. [RESULT] 3"
    source = "Prometheus 2 (arXiv 2405.01535), prometheus-eval/prometheus-eval parser.py"
    place = 10

    def score(self, reply: str, scale: Scale) -> float | Unread:
        marks = list(_scores(reply, scale))
        if not marks and not _RESULT.search(reply):
            last_line = reply.rstrip().rpartition("\n")[2][-300:]
            value = scale.read_text(last_line) if not scale.read(last_line) else None
            marks = [Mark(value)] if value is not None else []
        return decided(marks, "[RESULT] 4")

    def choice(self, reply: str) -> str | Unread:
        return decided(_choices(reply), "[RESULT] A")


def _scores(reply: str, scale: Scale) -> Iterator[Mark[float]]:
    for result_match in _RESULT.finditer(reply):
        line = line_of(reply, result_match.end())
        if not _PLACEHOLDER.match(line):
            score_match = _SCORE.match(line)
            yield Mark(scale.read(score_match["score"]) if score_match else None, _quoted(reply, result_match))


def _choices(reply: str) -> Iterator[Mark[str]]:
    for result_match in _RESULT.finditer(reply):
        line = line_of(reply, result_match.end()).rstrip()
        if not _PLACEHOLDER.match(line):
            letter_match = _LETTER.fullmatch(line)
            yield Mark(
                {"a": "first", "b": "second"}[letter_match["letter"].lower()] if letter_match else None,
                _quoted(reply, result_match),
            )


def _quoted(reply: str, mark: re.Match[str]) -> bool:
    return is_quoted(reply, mark.start(), mark.end())


READERS = [Prometheus()]
