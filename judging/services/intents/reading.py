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


def read(project: Project, judge_scores: Scores) -> Reading:
    """The same of scores that are at hand, in one query."""
    languages = _languages(project, judge_scores)
    by_case: dict[tuple[str, int], list[Scored]] = {}
    unread: dict[str, int] = {}
    for row in judge_scores.rows:
        if row.failed:
            unread[row.author] = unread.get(row.author, 0) + 1
        elif row.labels.get(LABEL):
            by_case.setdefault((row.author, row.item_id), []).append(row)
    case_means = [_said(rows, languages, judge_scores.judge) for rows in by_case.values()]
    return Reading(judge_scores.judge, case_means, unread, judge_scores.outdated, judge_scores.unjudged)


def _said(rows: Sequence[Scored], languages: Mapping[int, str], judge: Judge) -> Said:
    first_row = rows[0]
    language = next(iter(first_row.labels.get("language", ())), "") or languages.get(first_row.item_id, "") or UNKNOWN
    share = sum(row.score for row in rows) / len(rows)
    score, *scale = (on_scale(fraction, judge.variant) for fraction in (share, 0.0, 1.0))
    return Said(first_row.author, first_row.item_id, first_row.labels[LABEL][0], language, score, (scale[0], scale[1]))


def on_scale(share: float, variant: str) -> float:
    """A score of 0..1 on the scale that the judge used; unchanged where its variant names none."""
    scale_match = SCALED.search(variant)
    if scale_match is None:
        return share
    scale = Scale.named(scale_match[1])
    return round(scale.low + (scale.top - scale.low) * share, 9)  # 7 stays 7


def _languages(project: Project, judge_scores: Scores) -> Mapping[int, str]:
    """item -> its language, of those that do not say it themselves."""
    silent = {row.item_id for row in judge_scores.rows if not row.labels.get("language")}
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
        intent_mask = np.array([answer_intent == intent for answer_intent in self.intents], dtype=bool)
        scores = self.scores[:, intent_mask]
        used = [index for index, row in enumerate(scores) if not np.isnan(row).all()]
        return Criteria(
            [self.axes[index] for index in used],
            scores[used],
            [intent] * int(intent_mask.sum()),
            self.cases[intent_mask],
        )


def criteria(judge_scores: Scores) -> Criteria:
    """In one query; the newest verdict of each answer that could be read."""
    row_by_verdict = {row.verdict_id: row for row in judge_scores.rows if row.verdict_id is not None and not row.failed}
    newest = {verdict: index for index, verdict in enumerate(row_by_verdict)}
    parts = Part.objects.filter(verdict__judge=judge_scores.judge, verdict__second=None, score_first__isnull=False)
    rows = [row for row in parts.values_list("axis", "verdict_id", "score_first").iterator(5000) if row[1] in newest]
    axes = sorted({axis for axis, _verdict, _score in rows})
    table, index_by_axis = np.full((len(axes), len(newest)), np.nan), {axis: index for index, axis in enumerate(axes)}
    for axis, verdict, score in rows:
        table[index_by_axis[axis], newest[verdict]] = score
    intents = [next(iter(row.labels.get(LABEL, ())), "") for row in row_by_verdict.values()]
    return Criteria(axes, table, intents, np.array([row.item_id for row in row_by_verdict.values()], dtype=np.intp))
