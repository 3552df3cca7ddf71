"""Rating bias of judges (URS): how far above or below 8 they score answers that are as good as their references.

Each author's second answers are scored beside the author's own first answers as references, which are worth 8.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.db.models import F
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.models import Member, Project
from judging.access import has_intents
from judging.boards.board import Board, BoardPage, Place
from judging.boards.needs import ANSWERS, VERDICTS
from judging.boards.options import BoardOptions
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, table
from judging.models import Answer, Judge, Verdict
from judging.verdicts import verdict_scores
from lib.charts.dot_plots import Leaning, leanings
from lib.charts.marks import fitted
from lib.stats.averages import Floats
from lib.stats.figures import FEW, Figure, mean_figure, shifted
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
    """gap: mean score of this author's second answers minus 8, over cases."""

    author: str
    gap: Figure


@dataclass(frozen=True)
class BiasRow:
    """One judge. bias: mean over authors of their gaps; its n: answers. unread: answers without a readable score.

    outdated: verdicts about an older answer, reference or case. cases: how many the authors have together.
    """

    judge: Judge
    bias: Figure
    authors: Sequence[OfAuthor] = ()
    cases: int = 0
    unread: int = 0
    outdated: int = 0


@dataclass
class _BiasVerdicts:
    """scores: (author, item) -> repeat -> the newest score; None where it could not be read."""

    scores: dict[tuple[str, int], dict[int, float | None]] = field(default_factory=dict)
    outdated: int = 0


def rating_biases(project: Project) -> list[BiasRow]:
    """Each judge that has scored a second answer beside its author's first one; always four queries."""
    subjects = verdict_scores.read_scored_items(project)
    current = set(Answer.objects.current().filter(author__project=project).values_list("pk", flat=True))
    gathered: dict[int, _BiasVerdicts] = {}
    for judge, item, answer, author, reference, repeat, sha, score in _verdicts(project):
        judge_scores = gathered.setdefault(judge, _BiasVerdicts())
        if item not in subjects or sha != subjects[item].sha256 or not {answer, reference} <= current:
            judge_scores.outdated += 1
        else:
            judge_scores.scores.setdefault((author, item), {})[repeat] = score
    judges = Judge.objects.in_bulk(gathered)
    return sorted(
        (_row(judges[pk], judge_scores) for pk, judge_scores in gathered.items()), key=lambda row: str(row.judge)
    )


def _verdicts(project: Project) -> Iterator[tuple[int, int, int, str, int, int, str, float | None]]:
    """Oldest first, so that the newest of each repeat overwrites the others."""
    verdicts = Verdict.objects.single().filter(
        judge__project=project,
        first__sample=SECOND,
        reference__sample=FIRST,
        reference__author=F("first__author"),
    )
    return verdicts.order_by("pk").values_list(*COLUMNS).iterator(2000)


def _row(judge: Judge, judge_scores: _BiasVerdicts) -> BiasRow:
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
    """(authors, their scores by case), NaN if an author has none."""
    authors, items = sorted({author for author, _item in scores}), sorted({item for _author, item in scores})
    rows = {author: index for index, author in enumerate(authors)}
    columns = {item: index for index, item in enumerate(items)}
    table = np.full((len(authors), len(items)), np.nan)
    for (author, item), score in scores.items():
        table[rows[author], columns[item]] = score
    return authors, table


def _of_author(author: str, row: Floats) -> OfAuthor:
    return OfAuthor(author, shifted(mean_figure(row[~np.isnan(row)]), -REFERENCE_SCORE))


# Report: the bias of each judge and the gaps of its authors.


HEADER = ["judge", "author", "bias", "95 %", "n"]
ABOUT = (
    "Bias: the judge's mean score for second answers, averaged over authors, with each author's first answer as the "
    "reference worth 8, minus 8. 0: no bias."
)
NOTES = [ABOUT, "Assumes that second answers are as good as first ones. Intervals are over cases."]


class RatingBiasReport(Report):
    slug = "rating_bias"
    about = "how far each judge is from its scale, from second answers compared with the authors' own first ones"

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        rows = [row for row in rating_biases(project) if options.judge in ("", row.judge.name, str(row.judge))]
        if not rows:
            raise Refused(_nothing(options))
        value = {"rows": [as_json(row) for row in rows], "notes": NOTES}
        return ReportOutput(value, _text(rows))


def _nothing(options: ReportOptions) -> str:
    if options.judge:
        return f"No judge “{options.judge}” has scored second answers with their authors' own first ones as references."
    return (
        "No judge has scored second answers with first answers as references. Let candidates answer twice "
        "(answer --samples 2), then judge with --strategy intent --own-reference."
    )


def as_json(row: BiasRow) -> dict[str, Any]:
    """One judge, with its authors."""
    return {
        "judge": row.judge.name,
        "strategy": row.judge.strategy,
        "simulated": row.judge.simulated,
        **_figure(row.bias, "bias"),
        "cases": row.cases,
        "authors": [{"author": author_row.author, **_figure(author_row.gap, "bias")} for author_row in row.authors],
        "unread": row.unread,
        "outdated": row.outdated,
    }


def _figure(figure: Figure, name: str) -> dict[str, Any]:
    interval = None if figure.low is None or figure.high is None else [figure.low, figure.high]
    row = {name: figure.value, "interval": interval, "n": figure.n}
    return row | ({"note": figure.note} if figure.note else {})


def _text(rows: list[BiasRow]) -> str:
    lines = []
    for row in rows:
        lines.append([row.judge.name, "mean of authors", *_cells(row.bias)])
        lines += [[row.judge.name, author_row.author, *_cells(author_row.gap)] for author_row in row.authors]
    skip_notes = [
        f"{row.judge.name}: left out {row.unread} answers that could not be read and {row.outdated} outdated verdicts."
        for row in rows
        if row.unread or row.outdated
    ]
    return "\n".join([table(HEADER, lines, left=2), "", *NOTES, *skip_notes])


def _cells(figure: Figure) -> list[str]:
    interval = "" if figure.low is None or figure.high is None else f"{figure.low:+.2f} to {figure.high:+.2f}"
    return ["" if figure.value is None else f"{figure.value:+.2f}", interval, str(figure.n)]


# The page.


def judge_biases(project: Project, options: BoardOptions) -> Sequence[BiasRow]:
    return rating_biases(project)


def rating_bias_page(rows: Sequence[BiasRow], options: BoardOptions, member: Member) -> BoardPage:
    """How far each judge deviates from the scale in its prompt; every number links to its answers."""
    items_address = reverse("leaderboard_items", args=[member.project.slug])
    context: dict[str, Any] = {
        "rows": [(row, f"{items_address}?judge={row.judge.pk}", _authors(row, items_address)) for row in rows],
        "charts": _charts(rows),
        "few": FEW,
        "simulated": any(row.judge.simulated for row in rows),
    }
    return BoardPage(context)


def _authors(row: BiasRow, items_address: str) -> list[tuple[OfAuthor, str]]:
    """Each with the address of its answers."""
    author_rows = [
        (author_bias, urlencode({"judge": row.judge.pk, "author": author_bias.author})) for author_bias in row.authors
    ]
    return [(author_bias, f"{items_address}?{words}") for author_bias, words in author_rows]


def _charts(rows: Sequence[BiasRow]) -> SafeString | None:
    if not rows:
        return None
    bars = [Leaning(row.judge.name, row.bias.value, row.bias.low, row.bias.high, thin=row.bias.n < FEW) for row in rows]
    label = gettext("Rating bias by judge; intervals: 95 %")
    return fitted(lambda wide: leanings(bars, label=label, wide=wide))


BOARD = Board(
    slug="rating_bias",
    name=_("Rating bias"),
    suits=has_intents,
    place=Place(120, asks=_("How far does each judge deviate from its scale?"), needs=(ANSWERS, VERDICTS), aside=True),
    Options=BoardOptions,
    numbers=judge_biases,
    page=rating_bias_page,
    template="rating_bias/rating_bias.html",
    formats=(),
    saves_views=False,
    reports=(RatingBiasReport(),),
)
