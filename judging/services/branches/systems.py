"""Systems ranked by their mean score where answers are judged one at a time, beside how others rank them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean

import numpy as np

from annotate.models import Project
from judging.models import Answer, Judge
from judging.services.ratings import PREFERENCE, SCORE, Rating, Today, ratings
from judging.services.ratings.labels import majorities
from judging.strategies.scales import SCALED, Scale
from lib.stats.correlation import Correlation, kendall, pearson, spearman
from lib.stats.figures import Figure, drawn_means, mean_figure
from lib.stats.ranked_alike import intervals

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
class Ranking:
    """How one judge, or people, rank the authors; the best first. scale: (lowest, highest) score; named: whether the
    judge's options say it, rather than the scores that occur. values: item -> author -> score."""

    name: str
    judge: Judge | None
    systems: Sequence[System]
    scale: tuple[float, float]
    named: bool
    values: Mapping[int, Mapping[str, float]] = field(default_factory=dict)

    def means(self) -> dict[str, float]:
        return {system.author: system.scaled for system in self.systems}


@dataclass(frozen=True)
class Beside:
    """Two rankings of the authors that both have, all on one scale. intervals: over items, None where there is none."""

    left: str
    right: str
    n: int
    coefficients: Mapping[str, Correlation]
    intervals: Mapping[str, tuple[float, float] | None]


@dataclass(frozen=True)
class Systems:
    rankings: Sequence[Ranking]
    beside: Sequence[Beside]
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
        comparison for left, right in combinations(rankings, 2) if (comparison := _beside(left, right)) is not None
    ]
    return Systems(rankings, comparisons, scores.left_out)


Values = dict[int, dict[str, list[float]]]  # item -> author -> scores


def _by_judges(scores: Sequence[Rating], authors: Mapping[int, str]) -> Iterator[Ranking]:
    """What was said of the whole answer; of a judge that scored criteria alone their mean."""
    ratings_by_judge: dict[int, list[Rating]] = defaultdict(list)
    for rating in scores:
        if rating.rater.sort == "judge" and rating.rater.pk:
            ratings_by_judge[rating.rater.pk].append(rating)
    judges = Judge.objects.filter(pk__in=ratings_by_judge).order_by("name", "strategy", "pk")
    for judge in judges:
        whole = [rating for rating in ratings_by_judge[judge.pk] if not rating.axis] or ratings_by_judge[judge.pk]
        scale_match = SCALED.search(judge.variant)
        scale = Scale.named(scale_match[1]) if scale_match else None
        yield _ranking(str(judge), judge, _values(whole, authors), (scale.low, scale.top) if scale else None)


def _by_people(scores: Sequence[Rating], authors: Mapping[int, str]) -> Iterator[Ranking]:
    person_scores = [rating for rating in scores if rating.rater.sort == "person"]
    if person_scores:
        yield _ranking(PEOPLE_SCORES, None, _values(person_scores, authors), None)


def _by_pairs(preferences: Sequence[Rating], authors: Mapping[int, str]) -> Iterator[Ranking]:
    """Shares of the comparisons that an author won, by what most people say; equal is half."""
    values: Values = defaultdict(lambda: defaultdict(list))
    items = {rating.unit: rating.item for rating in preferences}
    for unit, label in majorities(preferences, PREFERENCE).items():
        first, second = (authors.get(int(pk), "") for pk in unit.split("/")[1:])
        if label is not None and first and second:
            for author, won in zip((first, second), WON.get(label, (0.5, 0.5)), strict=True):
                values[items[unit]][author].append(won)
    if values:
        yield _ranking(PEOPLE_PAIRS, None, values, (0.0, 1.0))


def _values(scores: Sequence[Rating], authors: Mapping[int, str]) -> Values:
    values: Values = defaultdict(lambda: defaultdict(list))
    for rating in scores:
        author = authors.get(int(rating.unit.split("/")[1]))
        if author is not None and rating.value is not None:
            values[rating.item][author].append(float(rating.value))
    return values


def _ranking(name: str, judge: Judge | None, values: Values, scale: tuple[float, float] | None) -> Ranking:
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
    return Ranking(name, judge, ordered, (low, top), scale is not None, means)


def _mean(scores: Sequence[float], scale: tuple[float, float] | None) -> Figure:
    return mean_figure(np.array(scores), within=scale) if scale else mean_figure(np.array(scores))


def _beside(left: Ranking, right: Ranking) -> Beside | None:
    """Over the authors that both rank; None below two."""
    left_means, right_means = left.means(), right.means()
    both = sorted(left_means.keys() & right_means.keys())
    if len(both) < 2:
        return None
    values = [left_means[name] for name in both], [right_means[name] for name in both]
    coefficients = {name: how(*values) for name, how in COEFFICIENTS.items()}
    return Beside(left.name, right.name, len(both), coefficients, _intervals(left, right, both))


def _intervals(left: Ranking, right: Ranking, both: Sequence[str]) -> Mapping[str, tuple[float, float] | None]:
    """Items drawn again, the same ones on both sides: those on which both have every one of these authors."""
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
