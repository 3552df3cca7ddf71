"""A side's ranking with the length and the formatting of answers held constant."""

import re
from collections.abc import Iterable, Sequence
from math import log1p

import numpy as np

from judging.models import Answer
from judging.services.rankings.fights import Fight, Side, battles_of
from lib.stats.ranking.battles import WINNERS
from lib.stats.ranking.groups import groups
from lib.stats.ranking.standings import Standing, standings
from lib.stats.ranking.strengths import NotSettled
from lib.stats.ranking.style import Fought, Styled, style_controlled

FEATURES = ("length", "formatting")
# Headings, list items, tables, fences, bold.
MARKS = re.compile(r"^\s{0,3}(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|\||```)|\*\*[^*\n]+\*\*", re.MULTILINE)
AT_ONCE = 500


def styled(side: Side, fights: Sequence[Fight] | None = None) -> tuple[Styled, list[Standing]] | None:
    """Of these fights, or all of the side. None where nobody is ranked, no text is known or style never differs, or
    where it tells every winner.

    length: logarithm of the characters; formatting: logarithm of the marks of Markdown. Only battles of two known texts
    between ranked authors count.
    """
    wanted = side.fights if fights is None else fights
    given = battles_of(side, fights)
    names = [given.names[place] for place in groups(given).ranked]
    known = _styles({answer for one in wanted for answer in one.answers})
    fights = [one for one in wanted if {*one.authors} <= {*names} and {*one.answers} <= known.keys()]
    counted = battles_of(side, fights)
    names = [counted.names[place] for place in groups(counted).ranked]
    if not names:
        return None
    fought = _fought(names, fights, known)
    if not (fought.features.std(axis=0) > 0).any():
        return None
    try:
        found = style_controlled(fought, FEATURES)
    except NotSettled:
        return None
    return found, standings(counted, found.fit)


def _fought(names: list[str], fights: Iterable[Fight], known: dict[int, tuple[float, float]]) -> Fought:
    place = {name: number for number, name in enumerate(names)}
    rows = [one for one in fights if {*one.authors} <= place.keys()]
    left, right = (np.array([place[one.authors[side]] for one in rows], dtype=np.intp) for side in (0, 1))
    styles = [np.subtract(known[one.answers[0]], known[one.answers[1]]) for one in rows]
    outcome = np.array([WINNERS[one.winner] for one in rows], dtype=np.intp)
    return Fought(tuple(names), left, right, outcome, np.array(styles, dtype=float))


def _styles(answers: Iterable[int]) -> dict[int, tuple[float, float]]:
    """Of the answers whose text is there."""
    wanted, found = sorted(answers), {}
    for start in range(0, len(wanted), AT_ONCE):
        rows = Answer.objects.filter(pk__in=wanted[start : start + AT_ONCE], known=True).exclude(text="")
        for pk, text in rows.values_list("pk", "text"):
            found[pk] = log1p(len(text)), log1p(len(MARKS.findall(text)))
    return found
