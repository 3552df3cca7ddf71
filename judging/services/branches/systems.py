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
        return {one.author: one.scaled for one in self.systems}


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
    found = [*_by_judges(scores, authors), *_by_people(scores, authors), *_by_pairs(preferences, authors)]
    found = [one for one in found if len(one.systems) > 1]
    beside = [one for left, right in combinations(found, 2) if (one := _beside(left, right)) is not None]
    return Systems(found, beside, scores.left_out)


Values = dict[int, dict[str, list[float]]]  # item -> author -> scores


def _by_judges(scores: Sequence[Rating], authors: Mapping[int, str]) -> Iterator[Ranking]:
    """What was said of the whole answer; of a judge that scored criteria alone their mean."""
    said: dict[int, list[Rating]] = defaultdict(list)
    for one in scores:
        if one.rater.sort == "judge" and one.rater.pk:
            said[one.rater.pk].append(one)
    judges = Judge.objects.filter(pk__in=said).order_by("name", "strategy", "pk")
    for judge in judges:
        whole = [one for one in said[judge.pk] if not one.axis] or said[judge.pk]
        found = SCALED.search(judge.variant)
        scale = Scale.named(found[1]) if found else None
        yield _ranking(str(judge), judge, _values(whole, authors), (scale.low, scale.top) if scale else None)


def _by_people(scores: Sequence[Rating], authors: Mapping[int, str]) -> Iterator[Ranking]:
    said = [one for one in scores if one.rater.sort == "person"]
    if said:
        yield _ranking(PEOPLE_SCORES, None, _values(said, authors), None)


def _by_pairs(preferences: Sequence[Rating], authors: Mapping[int, str]) -> Iterator[Ranking]:
    """Shares of the comparisons that an author won, by what most people say; equal is half."""
    values: Values = defaultdict(lambda: defaultdict(list))
    items = {one.unit: one.item for one in preferences}
    for unit, label in majorities(preferences, PREFERENCE).items():
        first, second = (authors.get(int(pk), "") for pk in unit.split("/")[1:])
        if label is not None and first and second:
            for author, won in zip((first, second), WON.get(label, (0.5, 0.5)), strict=True):
                values[items[unit]][author].append(won)
    if values:
        yield _ranking(PEOPLE_PAIRS, None, values, (0.0, 1.0))


def _values(said: Sequence[Rating], authors: Mapping[int, str]) -> Values:
    values: Values = defaultdict(lambda: defaultdict(list))
    for one in said:
        author = authors.get(int(one.unit.split("/")[1]))
        if author is not None and one.value is not None:
            values[one.item][author].append(float(one.value))
    return values


def _ranking(name: str, judge: Judge | None, values: Values, scale: tuple[float, float] | None) -> Ranking:
    means = {item: {author: fmean(given) for author, given in there.items()} for item, there in values.items()}
    by_author: dict[str, list[float]] = defaultdict(list)
    for there in means.values():
        for author, value in there.items():
            by_author[author].append(value)
    said = [value for given in by_author.values() for value in given]
    low, top = scale or (min(said, default=0.0), max(said, default=1.0))
    ranked = [
        System(author, _mean(given, scale), (fmean(given) - low) / (top - low) if top > low else 0.0)
        for author, given in by_author.items()
    ]
    ordered = sorted(ranked, key=lambda one: (-one.scaled, one.author))
    return Ranking(name, judge, ordered, (low, top), scale is not None, means)


def _mean(given: Sequence[float], scale: tuple[float, float] | None) -> Figure:
    return mean_figure(np.array(given), within=scale) if scale else mean_figure(np.array(given))


def _beside(left: Ranking, right: Ranking) -> Beside | None:
    """Over the authors that both rank; None below two."""
    one, other = left.means(), right.means()
    both = sorted(one.keys() & other.keys())
    if len(both) < 2:
        return None
    values = [one[name] for name in both], [other[name] for name in both]
    coefficients = {name: how(*values) for name, how in COEFFICIENTS.items()}
    return Beside(left.name, right.name, len(both), coefficients, _intervals(left, right, both))


def _intervals(left: Ranking, right: Ranking, both: Sequence[str]) -> Mapping[str, tuple[float, float] | None]:
    """Items drawn again, the same ones on both sides: those on which both have every one of these authors."""
    whole = [{item for item, there in one.values.items() if set(both) <= there.keys()} for one in (left, right)]
    items = sorted(whole[0] & whole[1])
    if len(items) < FEWEST or len(both) < FEWEST_AUTHORS:
        return dict.fromkeys(COEFFICIENTS)
    table = [[one.values[item][name] for item in items] for one in (left, right) for name in both]
    drawn = drawn_means([np.array(row) for row in table])
    return intervals(drawn[: len(both)].T, drawn[len(both) :].T)
