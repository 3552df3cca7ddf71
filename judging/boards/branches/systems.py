"""Systems ranked by their mean score for single answers, compared with the rankings by other judges and people."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np

from annotate.models import Project
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, table
from judging.models import Answer, Judge
from judging.ratings.raters import ratings
from judging.ratings.units import PREFERENCE, SCORE, Rating, Today, majorities
from judging.readers.scales import Scale
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.correlation import Correlation, intervals, kendall, pearson, spearman
from lib.stats.figures import Figure, drawn_means, mean_figure

PEOPLE_SCORES, PEOPLE_PAIRS = "people, scores", "people, pairs"
WON = {"first": (1.0, 0.0), "second": (0.0, 1.0)}  # anything else is half for each
FEWEST, FEWEST_AUTHORS = 2, 3  # items that both have, and authors, for intervals
COEFFICIENTS = {"kendall": kendall, "spearman": spearman, "pearson": pearson}


@dataclass(frozen=True)
class System:
    """One author: mean score as it was given, and the same from 0 to 1 on the scale of whoever gave it."""

    author: str
    mean: Figure
    scaled: float


@dataclass(frozen=True)
class SystemRanking:
    """The authors ranked by one judge or by people, best first. scale: (lowest, highest) score; named: whether the
    judge's options give the scale, rather than the scores that occur. values: item -> author -> score."""

    name: str
    judge: Judge | None
    systems: Sequence[System]
    scale: tuple[float, float]
    named: bool
    values: Mapping[int, Mapping[str, float]] = field(default_factory=dict)

    def means(self) -> dict[str, float]:
        return {system.author: system.scaled for system in self.systems}


@dataclass(frozen=True)
class SystemComparison:
    """Two rankings of their common authors, on one scale. intervals: by resampling items, None if undefined."""

    left: str
    right: str
    n: int
    coefficients: Mapping[str, Correlation]
    intervals: Mapping[str, tuple[float, float] | None]


@dataclass(frozen=True)
class Systems:
    rankings: Sequence[SystemRanking]
    beside: Sequence[SystemComparison]
    left_out: Mapping[str, Mapping[str, int]]


def systems(project: Project) -> Systems:
    """Judges that scored single answers, by name; then people, by their scores and by the pairs that they compared."""
    today = Today(project)
    scores = ratings(project, SCORE, today=today)
    preferences = ratings(project, PREFERENCE, today=today)
    authors = dict(Answer.objects.filter(author__project=project).values_list("pk", "author__name"))
    rankings = [*_by_judges(scores, authors), *_by_people(scores, authors), *_by_pairs(preferences, authors)]
    rankings = [ranking for ranking in rankings if len(ranking.systems) > 1]
    comparisons = [
        comparison
        for left, right in combinations(rankings, 2)
        if (comparison := _compare_rankings(left, right)) is not None
    ]
    return Systems(rankings, comparisons, scores.left_out)


Values = dict[int, dict[str, list[float]]]  # item -> author -> scores


def _by_judges(scores: Sequence[Rating], authors: Mapping[int, str]) -> Iterator[SystemRanking]:
    """Rankings by the score of the whole answer; for judges that scored only criteria, by the mean of those."""
    ratings_by_judge: dict[int, list[Rating]] = defaultdict(list)
    for rating in scores:
        if rating.rater.sort == "judge" and rating.rater.pk:
            ratings_by_judge[rating.rater.pk].append(rating)
    judges = Judge.objects.filter(pk__in=ratings_by_judge).order_by("name", "strategy", "pk")
    for judge in judges:
        whole = [rating for rating in ratings_by_judge[judge.pk] if not rating.axis] or ratings_by_judge[judge.pk]
        scale = Scale.of(judge)
        yield _ranking(str(judge), judge, _values(whole, authors), (scale.low, scale.top) if scale else None)


def _by_people(scores: Sequence[Rating], authors: Mapping[int, str]) -> Iterator[SystemRanking]:
    person_scores = [rating for rating in scores if rating.rater.sort == "person"]
    if person_scores:
        yield _ranking(PEOPLE_SCORES, None, _values(person_scores, authors), None)


def _by_pairs(preferences: Sequence[Rating], authors: Mapping[int, str]) -> Iterator[SystemRanking]:
    """Ranking by the share of comparisons that an author won by the majority of people; equal counts half."""
    values: Values = defaultdict(lambda: defaultdict(list))
    items = {rating.unit: rating.item for rating in preferences}
    for unit, label in majorities(preferences, PREFERENCE).items():
        first, second = (authors.get(pk, "") for pk in unit.answers)
        if label is not None and first and second:
            for author, won in zip((first, second), WON.get(label, (0.5, 0.5)), strict=True):
                values[items[unit]][author].append(won)
    if values:
        yield _ranking(PEOPLE_PAIRS, None, values, (0.0, 1.0))


def _values(scores: Sequence[Rating], authors: Mapping[int, str]) -> Values:
    values: Values = defaultdict(lambda: defaultdict(list))
    for rating in scores:
        author = authors.get(rating.unit.answers[0])
        if author is not None and rating.value is not None:
            values[rating.item][author].append(float(rating.value))
    return values


def _ranking(name: str, judge: Judge | None, values: Values, scale: tuple[float, float] | None) -> SystemRanking:
    means = {
        item: {author: fmean(item_scores) for author, item_scores in author_scores.items()}
        for item, author_scores in values.items()
    }
    by_author: dict[str, list[float]] = defaultdict(list)
    for author_means in means.values():
        for author, value in author_means.items():
            by_author[author].append(value)
    all_means = [value for author_values in by_author.values() for value in author_values]
    low, top = scale or (min(all_means, default=0.0), max(all_means, default=1.0))
    ranked = [
        System(author, _mean(author_values, scale), (fmean(author_values) - low) / (top - low) if top > low else 0.0)
        for author, author_values in by_author.items()
    ]
    ordered = sorted(ranked, key=lambda system: (-system.scaled, system.author))
    return SystemRanking(name, judge, ordered, (low, top), scale is not None, means)


def _mean(scores: Sequence[float], scale: tuple[float, float] | None) -> Figure:
    return mean_figure(np.array(scores), within=scale) if scale else mean_figure(np.array(scores))


def _compare_rankings(left: SystemRanking, right: SystemRanking) -> SystemComparison | None:
    """Over the authors that both rank; None below two."""
    left_means, right_means = left.means(), right.means()
    both = sorted(left_means.keys() & right_means.keys())
    if len(both) < 2:
        return None
    values = [left_means[name] for name in both], [right_means[name] for name in both]
    coefficients = {name: how(*values) for name, how in COEFFICIENTS.items()}
    return SystemComparison(left.name, right.name, len(both), coefficients, _intervals(left, right, both))


def _intervals(
    left: SystemRanking, right: SystemRanking, both: Sequence[str]
) -> Mapping[str, tuple[float, float] | None]:
    """Intervals by resampling items, the same ones on both sides: items where both have all of these authors."""
    whole = [
        {item for item, by_author in ranking.values.items() if set(both) <= by_author.keys()}
        for ranking in (left, right)
    ]
    items = sorted(whole[0] & whole[1])
    if len(items) < FEWEST or len(both) < FEWEST_AUTHORS:
        return dict.fromkeys(COEFFICIENTS)
    table = [[ranking.values[item][name] for item in items] for ranking in (left, right) for name in both]
    resampled_means = drawn_means([np.array(row) for row in table])
    return intervals(resampled_means[: len(both)].T, resampled_means[len(both) :].T)


# Report: the rankings and their correlations.


DIGITS = 4
NOTE = "Coefficients are over authors, n of them; their intervals over items, the same ones on both sides."


class SystemsReport(Report):
    slug = "systems"
    about = "authors by their mean single score, on one scale beside other judges' and people's rankings, correlated"

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        system_report = systems(project)
        rankings = [
            ranking
            for ranking in system_report.rankings
            if options.judge in ("", ranking.name, ranking.judge and ranking.judge.name)
        ]
        if not rankings:
            raise Refused("Nobody has scored answers of two authors one at a time: judge with branching-single first.")
        names = {ranking.name for ranking in rankings}
        comparisons = [
            comparison
            for comparison in system_report.beside
            if not options.judge or {comparison.left, comparison.right} & names
        ]
        value = {
            "rows": [_ranking_as_json(ranking) for ranking in (rankings if options.judge else system_report.rankings)],
            "beside": [beside_row(comparison) for comparison in comparisons],
            "resamples": DRAWS,
            "seed": SEED,
            "left_out": {side: dict(reasons) for side, reasons in system_report.left_out.items()},
            "notes": [NOTE],
        }
        return ReportOutput(value, _text(rankings, comparisons))


def _ranking_as_json(ranking: SystemRanking) -> dict[str, Any]:
    """scaled: 0..1 on the scale of whoever scored; scale_from: `options` where the judge names it, else `scores`."""
    return {
        "raters": ranking.name,
        "judge": ranking.judge.name if ranking.judge else None,
        "simulated": bool(ranking.judge and ranking.judge.simulated),
        "scale": list(ranking.scale),
        "scale_from": "options" if ranking.named else "scores",
        "systems": [
            {
                "rank": rank,
                "author": system.author,
                "n": system.mean.n,
                "mean": round(system.mean.value or 0.0, DIGITS),
                "interval": _bounds(system.mean.low, system.mean.high),
                "scaled": round(system.scaled, DIGITS),
            }
            for rank, system in enumerate(ranking.systems, start=1)
        ],
    }


def beside_row(comparison: SystemComparison) -> dict[str, Any]:
    """A coefficient is null where all authors are equal on one side."""
    values = {name: comparison.coefficients[name].value for name in COEFFICIENTS}
    return {
        "raters": [comparison.left, comparison.right],
        "n": comparison.n,
        **{name: None if value is None else round(value, DIGITS) for name, value in values.items()},
        "interval": {name: _bounds(*(comparison.intervals[name] or (None, None))) for name in COEFFICIENTS},
    }


def _bounds(low: float | None, high: float | None) -> list[float] | None:
    return None if low is None or high is None else [round(low, DIGITS), round(high, DIGITS)]


def _text(rankings: list[SystemRanking], comparisons: list[SystemComparison]) -> str:
    parts = []
    for ranking in rankings:
        cells = [
            [str(rank), system.author, str(system.mean.n), f"{system.mean.value or 0:.2f}", f"{system.scaled:.3f}"]
            for rank, system in enumerate(ranking.systems, start=1)
        ]
        parts += [f"By {ranking.name}", "", table(["rank", "author", "n", "mean", "scaled"], cells, left=2), ""]
    if comparisons:
        rows = [
            [f"{comparison.left} – {comparison.right}", str(comparison.n), *_coefficients(comparison)]
            for comparison in comparisons
        ]
        parts += [table(["rankings", "n", *COEFFICIENTS], rows), "", NOTE]
    return "\n".join(parts).rstrip()


def _coefficients(comparison: SystemComparison) -> list[str]:
    values = [comparison.coefficients[name].value for name in COEFFICIENTS]
    return ["" if value is None else f"{value:.4f}" for value in values]


REPORT = SystemsReport()
