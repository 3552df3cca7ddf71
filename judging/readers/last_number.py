"""The last number of a reply, for evaluators without a format of their own."""

import re
import unicodedata

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.readers.reader import ReplyReader, Unread
from judging.readers.scales import Scale

_NUMBER = r"\d{1,6}(?:[.,]\d{1,6})*"
# Ranges do not count as numbers: 1-10, 1 to 10, from 1 up to 5. A fraction counts, with its numerator.
_TOKEN = re.compile(
    rf"(?P<range>{_NUMBER}\s*(?:[-–—~～至到]|(?:up\s+)?to\b)\s*{_NUMBER})"
    rf"|(?P<number>(?<![\w.]){_NUMBER}(?:\s*(?:/|out\s+of|of)\s*{_NUMBER})?)(?P<behind>[%\w])?",
    re.IGNORECASE,
)
_SIGN = re.compile(r"(?:^|[\s(])[-−]$")


class LastNumber(ReplyReader):
    """The last number of the reply, where it lies on the scale; `8/10` and `8 out of 10` are one number on a scale up
    to 10, ranges such as `1-10` are none. A last number off the scale is unread, whatever stands before it."""

    slug = "last-number"
    name = gettext_lazy("Last number")
    about = gettext_lazy("The last number in the reply, if it is on the scale.")
    example = "A little long, but right. 8"
    place = 70
    chooses = False

    def score(self, reply: str, scale: Scale) -> float | Unread:
        text = unicodedata.normalize("NFKC", reply)
        matches = [match for match in _TOKEN.finditer(text) if not match["range"]]
        if not matches:
            return Unread(_("There is no number in the reply."))
        last_match = matches[-1]
        negative = _SIGN.search(text[max(0, last_match.start() - 2) : last_match.start()])
        odd = last_match["behind"] and last_match["behind"] not in "分点"
        value = None if negative or odd else scale.read(last_match["number"])
        return Unread(_("The last number in the reply is not on the scale.")) if value is None else value


READERS = [LastNumber()]
