"""Scores of one judge by author, case, intent and language: what every table of intents is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotate.kinds.use_case.intents import side_of
from annotate.models import Item, Project
from judging.models import Judge, Part
from judging.services.scores import Scored, Scores, scores
from judging.strategies.scales import SCALED, Scale
from lib.stats.averages import Floats, Places

ALL = "all"
UNKNOWN = "unknown"
LABEL = "intent"  # the field of a draft, and the division of an item, that says what its user wanted


@dataclass(frozen=True)
class Said:
    """The mean of what a judge said of an author's answers to one case, on its own scale.

    language: as the case says it, else of its text. scale: its ends.
    """

    author: str
    item_id: int
    intent: str
    language: str
    score: float
    scale: tuple[float, float]

    @property
    def side(self) -> str:
        return side_of(self.intent)


@dataclass(frozen=True)
class Reading:
    """said: one for each author and case that has a score. unread: author -> answers that could not be read, or failed.

    outdated, unjudged: as of Scores.
    """

    judge: Judge
    said: Sequence[Said]
    unread: Mapping[str, int]
    outdated: int = 0
    unjudged: int = 0


def has_intents(project: Project) -> bool:
    """Whether what the users of its cases wanted is known of them."""
    return project.kind.judges_answers and LABEL in project.kind.label_fields


def reading(project: Project, judge: Judge) -> Reading:
    """Six queries. An answer that could not be read has no score, and is counted."""
    return read(project, scores(project, judge))


def read(project: Project, found: Scores) -> Reading:
    """The same of scores that are at hand, in one query."""
    languages = _languages(project, found)
    by_case: dict[tuple[str, int], list[Scored]] = {}
    unread: dict[str, int] = {}
    for row in found.rows:
        if row.failed:
            unread[row.author] = unread.get(row.author, 0) + 1
        elif row.labels.get(LABEL):
            by_case.setdefault((row.author, row.item_id), []).append(row)
    said = [_said(rows, languages, found.judge) for rows in by_case.values()]
    return Reading(found.judge, said, unread, found.outdated, found.unjudged)


def _said(rows: Sequence[Scored], languages: Mapping[int, str], judge: Judge) -> Said:
    one = rows[0]
    language = next(iter(one.labels.get("language", ())), "") or languages.get(one.item_id, "") or UNKNOWN
    share = sum(row.score for row in rows) / len(rows)
    score, *scale = (on_scale(each, judge.variant) for each in (share, 0.0, 1.0))
    return Said(one.author, one.item_id, one.labels[LABEL][0], language, score, (scale[0], scale[1]))


def on_scale(share: float, variant: str) -> float:
    """A score of 0..1 on the scale that the judge used; unchanged where its variant names none."""
    found = SCALED.search(variant)
    if found is None:
        return share
    scale = Scale.named(found[1])
    return round(scale.low + (scale.top - scale.low) * share, 9)  # 7 stays 7


def _languages(project: Project, found: Scores) -> Mapping[int, str]:
    """item -> its language, of those that do not say it themselves."""
    silent = {row.item_id for row in found.rows if not row.labels.get("language")}
    rows = Item.objects.filter(project=project).exclude(language="").values_list("pk", "language") if silent else ()
    return {pk: language for pk, language in rows if pk in silent}


@dataclass(frozen=True)
class Criteria:
    """Scores of criteria by answer: (axes, answers), NaN where an answer has none. intents, cases: of each answer."""

    axes: Sequence[str]
    scores: Floats
    intents: Sequence[str]
    cases: Places

    def of(self, intent: str) -> "Criteria":
        """Only answers to cases of this intent, and criteria that they were scored by."""
        mine = np.array([each == intent for each in self.intents], dtype=bool)
        scores = self.scores[:, mine]
        used = [place for place, row in enumerate(scores) if not np.isnan(row).all()]
        return Criteria(
            [self.axes[place] for place in used], scores[used], [intent] * int(mine.sum()), self.cases[mine]
        )


def criteria(found: Scores) -> Criteria:
    """In one query; the newest verdict of each answer that could be read."""
    read = {row.verdict_id: row for row in found.rows if row.verdict_id is not None and not row.failed}
    newest = {verdict: place for place, verdict in enumerate(read)}
    parts = Part.objects.filter(verdict__judge=found.judge, verdict__second=None, score_first__isnull=False)
    rows = [row for row in parts.values_list("axis", "verdict_id", "score_first").iterator(5000) if row[1] in newest]
    axes = sorted({axis for axis, _verdict, _score in rows})
    table, places = np.full((len(axes), len(newest)), np.nan), {axis: place for place, axis in enumerate(axes)}
    for axis, verdict, score in rows:
        table[places[axis], newest[verdict]] = score
    intents = [next(iter(row.labels.get(LABEL, ())), "") for row in read.values()]
    return Criteria(axes, table, intents, np.array([row.item_id for row in read.values()], dtype=np.intp))
