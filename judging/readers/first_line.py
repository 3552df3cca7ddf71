"""Evaluators whose first line is the verdict: JudgeLM with its two numbers, PandaLM with 1, 2 or Tie."""

import re

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.readers.reader import ReplyReader, Unread, first_line
from judging.readers.scales import Scale

TEN = Scale(1, 10)
_NUMBER = r"\d{1,4}(?:\.\d{1,4})?"
_TWO = re.compile(rf"({_NUMBER})(?:\s*[,，]\s*|\s+)({_NUMBER})")
_ONE = re.compile(_NUMBER)
_FIRST_ONLY = gettext_lazy("The first line is not just the verdict, such as %(line)s.")


class JudgeLm(ReplyReader):
    """Two numbers from 1 to 10 in the first line, first answer first; the larger one wins, equal ones are a tie.

    For a single answer the first line is its number. If a known answer precedes it and that one's number was given as
    the beginning of the reply, the line has two numbers, and the second counts; without such a prefix two are unread.
    """

    slug = "judgelm"
    name = gettext_lazy("JudgeLM")
    about = gettext_lazy("Two numbers in the first line, such as 8 6: the larger one wins.")
    example = "8 6\nThe first answer gives its sources."
    source = "JudgeLM (arXiv 2310.17631), baaivision/JudgeLM judgelm/llm_judge"
    place = 40

    def read(self, reply: str, scale: Scale | None, prefix: str = "") -> float | str | Unread:
        pair = _TWO.fullmatch(first_line(reply))
        if scale is not None and pair and pair[1] == prefix:
            return self.score(pair[2], scale)
        return super().read(reply, scale, prefix)

    def score(self, reply: str, scale: Scale) -> float | Unread:
        line = first_line(reply)
        value = scale.read(line) if _ONE.fullmatch(line) else None
        return _unread("7") if value is None else value

    def choice(self, reply: str) -> str | Unread:
        pairs = [_TWO.fullmatch(line.strip()) for line in reply.splitlines() if line.strip()]
        if not pairs or pairs[0] is None:
            return _unread("8 6")
        scores = {(TEN.read(pair[1]), TEN.read(pair[2])) for pair in pairs if pair}
        if len(scores) > 1:
            return Unread(_("Several lines contain two numbers, and they differ."))
        first, second = scores.pop()
        if first is None or second is None:
            return Unread(_("A number in the first line is not between 1 and 10."))
        return "tie" if first == second else "first" if first > second else "second"


class PandaLmReader(ReplyReader):
    """1, 2 or Tie in the first line, then a reason. The published code counts anything else as a tie; here it is
    unread."""

    slug = "pandalm"
    name = gettext_lazy("PandaLM")
    about = gettext_lazy("1, 2 or Tie in the first line.")
    example = "2\n### Reason: Only the second is on topic."
    source = "PandaLM (arXiv 2306.05087), WeOpenML/PandaLM pandalm/utils/pandalm_inference.py"
    place = 45
    scores = False
    choices = {"1": "first", "2": "second", "tie": "tie"}

    def choice(self, reply: str) -> str | Unread:
        line = first_line(reply).strip(" .*_\"'“”`").lower()
        return self.choices.get(line) or _unread("2")


def _unread(example: str) -> Unread:
    return Unread(str(_FIRST_ONLY) % {"line": example})


READERS = [JudgeLm(), PandaLmReader()]
