"""Somebody's leaderboard out of lines that a person pastes."""

import math
import re
from collections.abc import Mapping

from django.utils.translation import gettext as _

LINE = re.compile(r"\s*(?P<name>.*\S)\s*[\t,;:：，；\s]\s*(?P<score>[-+]?[0-9]+(?:\.[0-9]+)?)\s*%?\s*")
MOST, LONGEST = 200, 300  # lines; characters of one


class BadLines(ValueError):
    """Lines that no leaderboard can be read from; the text names the first and the remedy."""


def pasted_scores(text: str) -> Mapping[str, float]:
    """Name -> score, higher being better; a line is a name, then a comma, a tab or a blank, then a number. Blank lines
    say nothing. Raises BadLines."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > MOST:
        raise BadLines(_("More than %(most)d lines: take those that are ranked here.") % {"most": MOST})
    score_by_name: dict[str, float] = {}
    for number, line in lines:
        match = LINE.fullmatch(line) if len(line) <= LONGEST else None
        if match is None or not math.isfinite(float(match["score"])):
            raise BadLines(_("Line %(number)d: write a name, a comma and a number.") % {"number": number})
        name = match["name"].rstrip(",;:：，； \t")
        if name in score_by_name:
            values = {"number": number, "name": name}
            raise BadLines(_("Line %(number)d: “%(name)s” stands there twice.") % values)
        score_by_name[name] = float(match["score"])
    return score_by_name
