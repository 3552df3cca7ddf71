"""Judges on their own scale: what each gave authors' second answers beside their own first ones, worth 8."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from django.db.models import F

from annotate.models import Project
from judging.models import Answer, Judge, Verdict
from judging.services import scoring
from lib.stats.averages import Floats
from lib.stats.figures import Figure, mean_figure, shifted
from lib.stats.intents import REFERENCE_SCORE, rating_bias

FIRST, SECOND = 1, 2  # samples: what the reference is, and what is judged
COLUMNS = (
    "judge_id",
    "item_id",
    "first_id",
    "first__author__name",
    "reference_id",
    "repeat",
    "case_sha",
    "score_first",
)


@dataclass(frozen=True)
class OfAuthor:
    """gap: mean score of this author's second answers less 8, over cases."""

    author: str
    gap: Figure


@dataclass(frozen=True)
class BiasRow:
    """One judge. bias: mean over authors of their gaps; n: answers. unread: answers without a score that can be read.

    outdated: verdicts about an older answer, reference or case. cases: how many the authors have together.
    """

    judge: Judge
    bias: Figure
    authors: Sequence[OfAuthor] = ()
    cases: int = 0
    unread: int = 0
    outdated: int = 0


@dataclass
class _Gathered:
    """scores: (author, item) -> repeat -> the newest score; None where it could not be read."""

    scores: dict[tuple[str, int], dict[int, float | None]] = field(default_factory=dict)
    outdated: int = 0


def rating_biases(project: Project) -> list[BiasRow]:
    """Each judge that has scored a second answer beside its author's first one; four queries however many."""
    subjects = scoring.subjects(project)
    current = set(Answer.objects.current().filter(author__project=project).values_list("pk", flat=True))
    gathered: dict[int, _Gathered] = {}
    for judge, item, answer, author, reference, repeat, sha, score in _verdicts(project):
        judge_scores = gathered.setdefault(judge, _Gathered())
        if item not in subjects or sha != subjects[item].sha256 or not {answer, reference} <= current:
            judge_scores.outdated += 1
        else:
            judge_scores.scores.setdefault((author, item), {})[repeat] = score
    judges = Judge.objects.in_bulk(gathered)
    return sorted(
        (_row(judges[pk], judge_scores) for pk, judge_scores in gathered.items()), key=lambda row: str(row.judge)
    )


def _verdicts(project: Project) -> Iterator[tuple[int, int, int, str, int, int, str, float | None]]:
    """Oldest first, so that the newest of each repeat stays."""
    verdicts = Verdict.objects.single().filter(
        judge__project=project,
        first__sample=SECOND,
        reference__sample=FIRST,
        reference__author=F("first__author"),
    )
    return verdicts.order_by("pk").values_list(*COLUMNS).iterator(2000)


def _row(judge: Judge, judge_scores: _Gathered) -> BiasRow:
    means = {case: _mean(repeats) for case, repeats in judge_scores.scores.items()}
    readable = {case: score for case, score in means.items() if score is not None}
    authors, table = _table(readable)
    return BiasRow(
        judge,
        rating_bias(table),
        [_of_author(author, row) for author, row in zip(authors, table, strict=True)],
        cases=table.shape[1],
        unread=len(means) - len(readable),
        outdated=judge_scores.outdated,
    )


def _mean(repeats: Mapping[int, float | None]) -> float | None:
    readable = [score for score in repeats.values() if score is not None]
    return sum(readable) / len(readable) if readable else None


def _table(scores: Mapping[tuple[str, int], float]) -> tuple[list[str], Floats]:
    """(authors, their scores by case), NaN where an author has none."""
    authors, items = sorted({author for author, _item in scores}), sorted({item for _author, item in scores})
    rows = {author: index for index, author in enumerate(authors)}
    columns = {item: index for index, item in enumerate(items)}
    table = np.full((len(authors), len(items)), np.nan)
    for (author, item), score in scores.items():
        table[rows[author], columns[item]] = score
    return authors, table


def _of_author(author: str, row: Floats) -> OfAuthor:
    return OfAuthor(author, shifted(mean_figure(row[~np.isnan(row)]), -REFERENCE_SCORE))
