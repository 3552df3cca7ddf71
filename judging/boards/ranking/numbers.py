"""Rankings by people and by each judge, whole and by division; style control; rankings side by side; pasted scores."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import log1p

import numpy as np
from django.utils.translation import gettext as _

from annotate.models import Project
from judging.cache import cached
from judging.models import Answer
from judging.ratings.consistency import groups_of
from judging.ratings.preferences import BattleSide, Fight, battles_of, sides
from lib.stats.bootstrap import DRAWS, resampled
from lib.stats.figures import Figure
from lib.stats.ranking.battles import WINNERS, Battles, groups
from lib.stats.ranking.report import RankingComparison, Separation, beside, scores, separation
from lib.stats.ranking.standings import ModelRanking, RankedModel, ranking, standings
from lib.stats.ranking.strengths import NotSettled
from lib.stats.ranking.style import Fought, Styled, style_controlled

DIVISIONS = ("group", "language")


@dataclass(frozen=True)
class Ranked:
    """side: whose preferences they are. group: None for all items. people: the correlation of this ranking with that of
    people in the same group; None for people themselves and if they rank nobody. fights: those of the group."""

    side: BattleSide
    group: str | None
    ranking: ModelRanking
    people: RankingComparison | None = None
    fights: Sequence[Fight] = ()


def rankings(
    project: Project,
    by: str = "",
    *,
    given: Sequence[BattleSide] | None = None,
    davidson: bool = False,
    count: int = DRAWS,
) -> list[Ranked]:
    """People first, then judges. by: one of DIVISIONS, or "" for all items in one ranking. davidson: ties are an
    outcome of their own."""
    groups = groups_of(project, by)
    ranked_sides = [
        Ranked(
            side,
            group,
            _cached_ranking(battles_of(side, fights), count, davidson=davidson),
            fights=side.fights if fights is None else fights,
        )
        for side in (sides(project) if given is None else given)
        for group, fights in _divided(side, groups).items()
    ]
    peoples = {ranked.group: ranked.ranking for ranked in ranked_sides if ranked.side.rater is None}
    return [_beside_people(ranked, peoples.get(ranked.group)) for ranked in ranked_sides]


def without_recognised(
    ranked: Ranked, *, davidson: bool = False, count: int = DRAWS
) -> tuple[int, ModelRanking] | None:
    """How many votes come from people who think they recognised a model, and the ranking without them; None if there
    are no such votes."""
    blind = [fight for fight in ranked.fights if not fight.recognised]
    if len(blind) == len(ranked.fights):
        return None
    return len(ranked.fights) - len(blind), _cached_ranking(battles_of(ranked.side, blind), count, davidson=davidson)


def _divided(side: BattleSide, groups: Mapping[int, str] | None) -> Mapping[str | None, Sequence[Fight] | None]:
    if groups is None:
        return {None: None}
    fights_by_group: dict[str, list[Fight]] = defaultdict(list)
    for fight in side.fights:
        fights_by_group[groups[fight.item]].append(fight)
    return {group: fights_by_group[group] for group in sorted(fights_by_group)}


def _cached_ranking(battles: Battles, count: int, *, davidson: bool) -> ModelRanking:
    """The ranking, cached, so that the same battles are not resampled for every view of a page."""
    key_parts = [
        battles.names,
        battles.left_won,
        battles.right_won,
        battles.unordered,
        sorted(battles.skipped.items()),
        count,
        davidson,
    ]
    state = sha256(repr(key_parts).encode("utf-8", "surrogatepass") + battles.wins.tobytes() + battles.ties.tobytes())
    if battles.alike is not None:
        for column in (battles.alike.item, battles.alike.left, battles.alike.right, battles.alike.outcome):
            state.update(column.tobytes())
    return cached("ranking", state.hexdigest(), lambda: ranking(battles, davidson=davidson, count=count))


def _beside_people(ranked: Ranked, people: ModelRanking | None) -> Ranked:
    if ranked.side.rater is None or people is None or people.fit is None:
        return ranked
    return replace(ranked, people=beside(ranked.ranking, scores(people)))


# Style control: a side's ranking with the length and the formatting of answers held constant.


FEATURES = ("length", "formatting")
# Headings, list items, tables, fences, bold.
MARKS = re.compile(r"^\s{0,3}(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|\||```)|\*\*[^*\n]+\*\*", re.MULTILINE)
AT_ONCE = 500


def styled(side: BattleSide, fights: Sequence[Fight] | None = None) -> tuple[Styled, list[RankedModel]] | None:
    """The ranking of these fights, or of all fights of the side, adjusted for style. None if nobody is ranked, no text
    is known, style never differs, or style alone predicts every winner.

    Features: length, the logarithm of the characters; formatting, the logarithm of the marks of Markdown. Only battles
    of two known texts between ranked authors count.
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
    """The features of the answers whose text is known."""
    answer_pks, style_by_answer = sorted(answers), {}
    for start in range(0, len(answer_pks), AT_ONCE):
        rows = Answer.objects.filter(pk__in=answer_pks[start : start + AT_ONCE], known=True).exclude(text="")
        for pk, text in rows.values_list("pk", "text"):
            style_by_answer[pk] = log1p(len(text)), log1p(len(MARKS.findall(text)))
    return style_by_answer


# Side by side: several rankings of the same authors in one table.


@dataclass(frozen=True)
class RankedAuthor:
    """One author in each ranking; None if that ranking has no battle of them."""

    name: str
    standings: Sequence[RankedModel | None]


def side_by_side(rankings: Sequence[Ranked]) -> list[RankedAuthor]:
    """In the order of the first ranking; authors missing there follow in the order of the next."""
    by_name = [{standing.name: standing for standing in ranked.ranking.standings} for ranked in rankings]
    names = list(dict.fromkeys(name for standings in by_name for name in standings))
    return [RankedAuthor(name, [standings.get(name) for standings in by_name]) for name in names]


# Pasted scores: another leaderboard read from lines that a person pastes.


LINE = re.compile(r"\s*(?P<name>.*\S)\s*[\t,;:：，；\s]\s*(?P<score>[-+]?[0-9]+(?:\.[0-9]+)?)\s*%?\s*")
MOST, LONGEST = 200, 300  # lines; characters of one


class BadLines(ValueError):
    """Lines from which no leaderboard can be read; the message names the first bad line and what to do."""


def pasted_scores(text: str) -> Mapping[str, float]:
    """Name -> score, higher is better; a line is a name, then a comma, a tab or a blank, then a number. Blank lines are
    skipped. Raises BadLines."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > MOST:
        raise BadLines(_("More than %(most)d lines. Keep only models that are ranked here.") % {"most": MOST})
    score_by_name: dict[str, float] = {}
    for number, line in lines:
        match = LINE.fullmatch(line) if len(line) <= LONGEST else None
        if match is None or not math.isfinite(float(match["score"])):
            raise BadLines(_("Line %(number)d: write a name, a comma and a number.") % {"number": number})
        name = match["name"].rstrip(",;:：，； \t")
        if name in score_by_name:
            values = {"number": number, "name": name}
            raise BadLines(_("Line %(number)d: “%(name)s” appears twice.") % values)
        score_by_name[name] = float(match["score"])
    return score_by_name


# Two models compared directly: the battles between them, item by item, and the difference of their Elo.


@dataclass(frozen=True)
class HeadToHead:
    """The first of two models against the second, by people or by a judge.

    items: those with a battle between them; won, tied, lost: battles. rate: share of the battles that the first won,
    0..1, a tie being a half; its interval resamples items. elo: the first one's Elo less the second's, from all battles
    of the side; None where one of them has no strength.
    """

    side: BattleSide
    items: int
    won: int
    tied: int
    lost: int
    rate: Figure
    elo: Separation | None

    @property
    def n(self) -> int:
        return self.won + self.tied + self.lost

    @property
    def ahead(self) -> str:
        """Who is certainly preferred: `first`, `second`, or "" where the interval holds one half or there is none."""
        if self.rate.low is None or self.rate.high is None:
            return ""
        return "first" if self.rate.low > 0.5 else "second" if self.rate.high < 0.5 else ""


def compared_pair(wanted: Sequence[str], names: Sequence[str]) -> tuple[str, str] | None:
    """The first two known names of `wanted`, filled up in the order of `names`; None with fewer than two names."""
    chosen_names = [name for name in dict.fromkeys(wanted) if name in names]
    first, second, *_more = [*chosen_names, *(name for name in names if name not in chosen_names), "", ""]
    return (first, second) if second else None


def head_to_head(ranked: Ranked, first: str, second: str) -> HeadToHead:
    fights = [fight for fight in ranked.side.fights if {*fight.authors} == {first, second}]
    points = [_points(fight, first) for fight in fights]
    return HeadToHead(
        ranked.side,
        len({fight.item for fight in fights}),
        points.count(1.0),
        points.count(0.5),
        points.count(0.0),
        _rate(fights, points),
        separation(ranked.ranking, first, second),
    )


def _points(fight: Fight, first: str) -> float:
    """1 where the first won, one half for a tie."""
    if fight.winner == "tie":
        return 0.5
    return float(fight.authors[0 if fight.winner == "left" else 1] == first)


def _rate(fights: Sequence[Fight], points: Sequence[float]) -> Figure:
    items = {item: row for row, item in enumerate(dict.fromkeys(fight.item for fight in fights))}
    sums, counts = np.zeros((len(items), 1)), np.zeros((len(items), 1))
    for fight, won in zip(fights, points, strict=True):
        sums[items[fight.item]] += won
        counts[items[fight.item]] += 1
    ratio = resampled(sums, counts)
    low, high = ratio.interval(0) or (None, None)
    return Figure(ratio.value(0), len(fights), low, high)
