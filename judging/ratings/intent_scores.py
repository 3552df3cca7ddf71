"""Scores of one judge by author, case, intent and language, and the means of all tables of intents."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotate.kinds.intents import in_order, side_of
from annotate.models import Item, Project
from judging.access import INTENT
from judging.models import Judge, Part
from judging.readers.scales import Scale
from judging.verdicts.verdict_scores import JudgeScores, ScoredAnswer, scores
from lib.stats.averages import Floats, Places
from lib.stats.figures import Figure, mean_figure

ALL = "all"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class CaseScore:
    """The mean of a judge's scores for an author's answers to one case, on the judge's own scale.

    language: the one that the case names, else that of its text. scale: its ends.
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
class IntentReading:
    """said: one for each author and case that has a score. unread: author -> answers that could not be read, or failed.

    outdated, unjudged: as of Scores.
    """

    judge: Judge
    said: Sequence[CaseScore]
    unread: Mapping[str, int]
    outdated: int = 0
    unjudged: int = 0


def reading(project: Project, judge: Judge) -> IntentReading:
    """Six queries. Answers with unreadable verdicts have no score and are counted."""
    return read_intents(project, scores(project, judge))


def read_intents(project: Project, judge_scores: JudgeScores) -> IntentReading:
    """The same from given scores, in one query."""
    languages = _languages(project, judge_scores)
    by_case: dict[tuple[str, int], list[ScoredAnswer]] = {}
    unread: dict[str, int] = {}
    for row in judge_scores.rows:
        if row.failed:
            unread[row.author] = unread.get(row.author, 0) + 1
        elif row.labels.get(INTENT):
            by_case.setdefault((row.author, row.item_id), []).append(row)
    case_means = [_case_score(rows, languages, judge_scores.judge) for rows in by_case.values()]
    return IntentReading(judge_scores.judge, case_means, unread, judge_scores.outdated, judge_scores.unjudged)


def _case_score(rows: Sequence[ScoredAnswer], languages: Mapping[int, str], judge: Judge) -> CaseScore:
    first_row = rows[0]
    language = next(iter(first_row.labels.get("language", ())), "") or languages.get(first_row.item_id, "") or UNKNOWN
    share = sum(row.score for row in rows) / len(rows)
    scale = Scale.of(judge)
    score, low, top = (on_scale(fraction, scale) for fraction in (share, 0.0, 1.0))
    return CaseScore(first_row.author, first_row.item_id, first_row.labels[INTENT][0], language, score, (low, top))


def on_scale(share: float, scale: Scale | None) -> float:
    """A score of 0..1 on the scale that the judge used; unchanged if its strategy names none."""
    return share if scale is None else round(scale.low + scale.width * share, 9)  # 7 stays 7


def _languages(project: Project, judge_scores: JudgeScores) -> Mapping[int, str]:
    """item -> its language, for cases that do not name it."""
    silent = {row.item_id for row in judge_scores.rows if not row.labels.get("language")}
    rows = Item.objects.filter(project=project).exclude(language="").values_list("pk", "language") if silent else ()
    return {pk: language for pk, language in rows if pk in silent}


@dataclass(frozen=True)
class IntentCriteriaScores:
    """Scores of criteria by answer: (axes, answers), NaN if an answer has none. intents, cases: of each answer."""

    axes: Sequence[str]
    scores: Floats
    intents: Sequence[str]
    cases: Places

    def of(self, intent: str) -> "IntentCriteriaScores":
        """Only answers to cases of this intent, and criteria that they were scored by."""
        intent_mask = np.array([answer_intent == intent for answer_intent in self.intents], dtype=bool)
        scores = self.scores[:, intent_mask]
        used = [index for index, row in enumerate(scores) if not np.isnan(row).all()]
        return IntentCriteriaScores(
            [self.axes[index] for index in used],
            scores[used],
            [intent] * int(intent_mask.sum()),
            self.cases[intent_mask],
        )


def criteria(judge_scores: JudgeScores) -> IntentCriteriaScores:
    """Scores by criterion, in one query; from the newest readable verdict of each answer."""
    row_by_verdict = {row.verdict_id: row for row in judge_scores.rows if row.verdict_id is not None and not row.failed}
    newest = {verdict: index for index, verdict in enumerate(row_by_verdict)}
    parts = Part.objects.filter(verdict__judge=judge_scores.judge, verdict__second=None, score_first__isnull=False)
    rows = [row for row in parts.values_list("axis", "verdict_id", "score_first").iterator(5000) if row[1] in newest]
    axes = sorted({axis for axis, _verdict, _score in rows})
    table, index_by_axis = np.full((len(axes), len(newest)), np.nan), {axis: index for index, axis in enumerate(axes)}
    for axis, verdict, score in rows:
        table[index_by_axis[axis], newest[verdict]] = score
    intents = [next(iter(row.labels.get(INTENT, ())), "") for row in row_by_verdict.values()]
    return IntentCriteriaScores(
        axes, table, intents, np.array([row.item_id for row in row_by_verdict.values()], dtype=np.intp)
    )


# Means of authors by intent, language and side, each with its interval, computed over cases.


SIDES = ("objective", "subjective")


@dataclass(frozen=True)
class IntentMean:
    """One author's mean. group: an intent, a side, or ALL; language: one, or ALL. figure.n: cases."""

    author: str
    group: str
    language: str
    figure: Figure


def by_intent(case_means: Sequence[CaseScore]) -> list[IntentMean]:
    """Means of one judge: each author over all cases, then by language; then the same for each intent.

    Only groups with cases. The mean over all cases is that of the intents weighted by their cases.
    """
    return list(_rows(case_means, [ALL, *intents(case_means)], lambda case_mean: case_mean.intent))


def by_side(case_means: Sequence[CaseScore]) -> list[IntentMean]:
    """The same of intents whose answers are right or wrong (objective), and of those that are a matter of taste."""
    return list(_rows(case_means, SIDES, lambda case_mean: case_mean.side))


def intents(case_means: Iterable[CaseScore]) -> list[str]:
    """The intents that occur, in the order of the paper; a project's own ones after them."""
    return in_order(case_mean.intent for case_mean in case_means)


def languages(case_means: Iterable[CaseScore]) -> list[str]:
    return sorted({case_mean.language for case_mean in case_means})


def _rows(
    case_means: Sequence[CaseScore], groups: Sequence[str], group_of: Callable[[CaseScore], str]
) -> Iterable[IntentMean]:
    cells: dict[tuple[str, str, str], list[float]] = {}
    for case_mean in case_means:
        for group in {ALL, group_of(case_mean)}:
            for language in (ALL, case_mean.language):
                cells.setdefault((case_mean.author, group, language), []).append(case_mean.score)
    for author in sorted({case_mean.author for case_mean in case_means}):
        for group in groups:
            for language in (ALL, *languages(case_means)):
                if values := cells.get((author, group, language)):
                    yield IntentMean(author, group, language, mean_figure(np.array(values), within=case_means[0].scale))


def means(rows: Iterable[IntentMean], group: str, language: str = ALL) -> Mapping[str, float | None]:
    """author -> mean."""
    return {row.author: row.figure.value for row in rows if (row.group, row.language) == (group, language)}
