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
    all_fights = side.fights if fights is None else fights
    all_battles = battles_of(side, fights)
    names = [all_battles.names[index] for index in groups(all_battles).ranked]
    style_by_answer = _styles({answer for fight in all_fights for answer in fight.answers})
    fights = [
        fight for fight in all_fights if {*fight.authors} <= {*names} and {*fight.answers} <= style_by_answer.keys()
    ]
    counted = battles_of(side, fights)
    names = [counted.names[index] for index in groups(counted).ranked]
    if not names:
        return None
    fought = _fought(names, fights, style_by_answer)
    if not (fought.features.std(axis=0) > 0).any():
        return None
    try:
        style_result = style_controlled(fought, FEATURES)
    except NotSettled:
        return None
    return style_result, standings(counted, style_result.fit)


def _fought(names: list[str], fights: Iterable[Fight], style_by_answer: dict[int, tuple[float, float]]) -> Fought:
    index_by_name = {name: number for number, name in enumerate(names)}
    rows = [fight for fight in fights if {*fight.authors} <= index_by_name.keys()]
    left, right = (np.array([index_by_name[fight.authors[side]] for fight in rows], dtype=np.intp) for side in (0, 1))
    styles = [np.subtract(style_by_answer[fight.answers[0]], style_by_answer[fight.answers[1]]) for fight in rows]
    outcome = np.array([WINNERS[fight.winner] for fight in rows], dtype=np.intp)
    return Fought(tuple(names), left, right, outcome, np.array(styles, dtype=float))


def _styles(answers: Iterable[int]) -> dict[int, tuple[float, float]]:
    """Of the answers whose text is there."""
    answer_pks, style_by_answer = sorted(answers), {}
    for start in range(0, len(answer_pks), AT_ONCE):
        rows = Answer.objects.filter(pk__in=answer_pks[start : start + AT_ONCE], known=True).exclude(text="")
        for pk, text in rows.values_list("pk", "text"):
            style_by_answer[pk] = log1p(len(text)), log1p(len(MARKS.findall(text)))
    return style_by_answer
