"""Gain of corrections: a judge's scores of answers and of their corrections on the same items, and the report."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

from annotate.models import Project
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, table
from judging.models import Answer, Author, Judge
from judging.ratings.raters import ProjectRatings, ratings
from judging.ratings.units import SCORE, Rating
from lib.stats.averages import Floats
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.figures import NO_UNITS, Figure, drawn_figure, drawn_means, mean_figure, undefined

NOT_JUDGED, BEFORE_ALONE, UNREAD, GONE = "correction not judged", "answer not judged", "not readable", "no answer"


@dataclass(frozen=True)
class Both:
    """One item with the judge's scores before and after. answers, verdicts: (of the answer, of its correction)."""

    item: int
    sample: int
    answers: tuple[int, int]
    before: float
    after: float
    verdicts: tuple[int, int]

    @property
    def gain(self) -> float:
        return self.after - self.before


@dataclass(frozen=True)
class GainRow:
    """One author as one judge sees it. gain: mean difference with its paired bootstrap interval over items."""

    judge: Judge
    author: str
    corrected: str
    pairs: Sequence[Both]
    before: Figure
    after: Figure
    gain: Figure
    left_out: Mapping[str, int]

    def count(self, sign: int) -> int:
        """Number of items that became better (1), stayed equal (0) or became worse (-1)."""
        return sum(int(np.sign(both.gain)) == sign for both in self.pairs)

    @property
    def better(self) -> int:
        return self.count(1)

    @property
    def same(self) -> int:
        return self.count(0)

    @property
    def worse(self) -> int:
        return self.count(-1)


@dataclass(frozen=True)
class Gain:
    """rows: by judge, then author. corrections: how many exist. left_out: counts of verdicts that are not ratings."""

    rows: Sequence[GainRow]
    corrections: int
    left_out: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def gain(project: Project, *, given: ProjectRatings | None = None) -> Gain:
    """The gain for every judge that scored single answers and every author whose answers were corrected.

    given: the project's scores if the caller has them already. Scores stay on the judge's own scale.
    """
    pairs = _corrected(project)
    if not pairs:
        return Gain([], 0)
    scores = ratings(project, SCORE) if given is None else given
    ratings_by_judge = _by_judge(scores)
    judges = {
        judge.pk: judge for judge in Judge.objects.filter(pk__in=ratings_by_judge).order_by("name", "strategy", "pk")
    }
    rows = [
        row
        for pk, judge in judges.items()
        for (author, corrected), corrections in sorted(pairs.items())
        if (row := _row(judge, author, corrected, corrections, ratings_by_judge[pk])) is not None
    ]
    return Gain(rows, sum(map(len, pairs.values())), scores.left_out)


SampleKey = tuple[int, int]  # item, sample
Corrected = dict[SampleKey, tuple[int | None, int]]  # (the answer, None where it is not known; its correction)


def _corrected(project: Project) -> dict[tuple[str, str], Corrected]:
    """(author, corrector) -> the answers of today that have a correction. Two queries."""
    authors = list(Author.objects.filter(project=project, corrects__isnull=False).select_related("corrects"))
    if not authors:
        return {}
    author_pks = {author.pk for author in authors} | {author.corrects_id for author in authors}
    rows = Answer.objects.current().filter(author__in=author_pks, known=True)
    columns = rows.values_list("author_id", "item_id", "sample", "pk")
    answer_pks = {(author, item, sample): pk for author, item, sample, pk in columns}
    corrections_by_author: dict[tuple[str, str], Corrected] = {}
    for author in authors:
        assert author.corrects is not None
        corrected_pks = {(item, sample): pk for (who, item, sample), pk in answer_pks.items() if who == author.pk}
        if corrected_pks:
            corrections_by_author[author.corrects.name, author.name] = {
                key: (answer_pks.get((author.corrects.pk, *key)), pk) for key, pk in corrected_pks.items()
            }
    return corrections_by_author


RatingsByAnswer = Mapping[int, Sequence[Rating]]  # answer -> what the judge said of it as a whole


def _by_judge(scores: ProjectRatings) -> dict[int, RatingsByAnswer]:
    ratings_by_judge: dict[int, dict[int, list[Rating]]] = defaultdict(lambda: defaultdict(list))
    for rating in scores:
        if rating.rater.sort == "judge" and rating.rater.pk and not rating.axis:
            (answer,) = rating.unit.answers
            ratings_by_judge[rating.rater.pk][answer].append(rating)
    return {pk: dict(by_answer) for pk, by_answer in ratings_by_judge.items()}


def _row(
    judge: Judge, author: str, corrected: str, corrections: Corrected, ratings_by_answer: RatingsByAnswer
) -> GainRow | None:
    """None if the judge has read no correction of this author's answers."""
    if not any(after in ratings_by_answer for _before, after in corrections.values()):
        return None
    pairs, count_by_reason = [], Counter[str]()
    for (item, sample), (before, after) in sorted(corrections.items()):
        why = _why_not(before, after, ratings_by_answer)
        if why:
            count_by_reason[why] += 1
            continue
        assert before is not None
        before_ratings, after_ratings = ratings_by_answer[before], ratings_by_answer[after]
        sources = (before_ratings[-1].source, after_ratings[-1].source)
        pairs.append(Both(item, sample, (before, after), _mean(before_ratings), _mean(after_ratings), sources))
    values = np.array([[both.before, both.after] for both in pairs], dtype=float).reshape(-1, 2)
    return GainRow(
        judge,
        author,
        corrected,
        pairs,
        mean_figure(values[:, 0]),
        mean_figure(values[:, 1]),
        _difference(values[:, 1] - values[:, 0]),
        dict(count_by_reason),
    )


def _why_not(before: int | None, after: int, ratings_by_answer: RatingsByAnswer) -> str:
    if before is None:
        return GONE
    if after not in ratings_by_answer:
        return NOT_JUDGED
    if before not in ratings_by_answer:
        return BEFORE_ALONE
    return "" if _read_scores(ratings_by_answer[before]) and _read_scores(ratings_by_answer[after]) else UNREAD


def _read_scores(answer_ratings: Sequence[Rating]) -> list[float]:
    return [float(rating.value) for rating in answer_ratings if rating.value is not None]


def _mean(answer_ratings: Sequence[Rating]) -> float:
    """Over repeats."""
    return fmean(_read_scores(answer_ratings))


def _difference(values: Floats) -> Figure:
    if not values.size:
        return undefined(NO_UNITS)
    return drawn_figure(float(values.mean()), int(values.size), drawn_means([values])[0])


# Report: scores before and after on the same items.


HEADER = ["judge", "author", "n", "before", "after", "gain", "interval", "better", "same", "worse", "left out"]
DIGITS = 4
NOTE = "Scores stay on each judge's own scale. Intervals are over items: another judge may say another thing."


class GainReport(Report):
    slug = "gain"
    about = "what corrections gained, author by author: a judge's scores before and after, on the same items"

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        gains = gain(project)
        rows = [row for row in gains.rows if options.judge in ("", row.judge.name, str(row.judge))]
        if not rows:
            raise Refused(_why(gains))
        value: dict[str, Any] = {
            "rows": [row_of(row) for row in rows],
            "corrections": gains.corrections,
            "resamples": DRAWS,
            "seed": SEED,
            "left_out": {side: dict(reasons) for side, reasons in gains.left_out.items()},
            "notes": [NOTE],
        }
        return ReportOutput(value, f"{table(HEADER, [_cells(row) for row in rows], left=2)}\n\n{NOTE}")


def _why(gains: Gain) -> str:
    if not gains.corrections:
        return "Nobody has corrected an answer here: run `correct` first, or accept corrections of a branching project."
    return "No judge has scored a correction and what it was made from one at a time, such as by branching-single."


def row_of(row: GainRow) -> dict[str, Any]:
    return {
        "judge": str(row.judge),
        "model": row.judge.name,
        "strategy": row.judge.strategy,
        "simulated": row.judge.simulated,
        "author": row.author,
        "corrected": row.corrected,
        "n": row.gain.n,
        "before": _number(row.before),
        "after": _number(row.after),
        "gain": _number(row.gain),
        "interval": interval(row.gain),
        "better": row.better,
        "same": row.same,
        "worse": row.worse,
        "left_out": dict(row.left_out),
    }


def _number(figure: Figure) -> float | None:
    return None if figure.value is None else round(figure.value, DIGITS)


def interval(figure: Figure) -> list[float] | None:
    if figure.low is None or figure.high is None:
        return None
    return [round(figure.low, DIGITS), round(figure.high, DIGITS)]


def _cells(row: GainRow) -> list[str]:
    means = [_number(figure) for figure in (row.before, row.after, row.gain)]
    bounds = interval(row.gain)
    mean_cells = ["" if mean is None else f"{mean:.2f}" for mean in means]
    spread = "" if bounds is None else f"{bounds[0]:.2f} to {bounds[1]:.2f}"
    counts = [str(count) for count in (row.better, row.same, row.worse, sum(row.left_out.values()))]
    return [str(row.judge), row.author, str(row.gain.n), *mean_cells, spread, *counts]


REPORT = GainReport()
