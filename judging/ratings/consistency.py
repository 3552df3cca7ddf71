"""Consistency of judges: in both orders of a pair, and FB-Bench's consistency rate on checklists, against people."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotate.models import Item, Project
from judging.models import Answer
from judging.ratings.raters import ProjectRatings, ratings
from judging.ratings.units import CHECKLIST, PREFERENCE, TIE, Rater, Rating, Unit, counted_as_ties, majorities
from judging.ratings.units import first_ratings as first_ratings_of
from lib.stats.consistency import OrderCounts, OrderPair, Place, Rate, consistency_rate, orders
from lib.stats.labels import majority

NO_VOTES, NO_MAJORITY, ONE_ORDER, UNREADABLE = "no votes", "no majority", "one order", "unreadable"
DIVISIONS = ("group", "language")
Straight, Swapped = False, True


@dataclass(frozen=True)
class BothOrdersPair:
    """One pair with the judge's choices and people's label. sources: the judge's verdicts about it."""

    unit: Unit
    item: int
    pair: OrderPair
    sources: Sequence[int]


@dataclass(frozen=True)
class SteadinessRow:
    """One judge in one group; group is None for all of them. left_out: why -> how many pairs."""

    judge: Rater
    group: str | None
    seen: Sequence[BothOrdersPair]
    orders: OrderCounts
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Steadiness:
    """rows: by judge and group. ties: judge -> unreadable verdicts that count as ties, as in their published figures.

    left_out: votes and verdicts that are not ratings, as in `ratings`.
    """

    rows: Sequence[SteadinessRow]
    ties: Mapping[str, int]
    left_out: Mapping[str, Mapping[str, int]]


def steadiness(project: Project, by: str = "", *, given: ProjectRatings | None = None) -> Steadiness:
    """by: one of DIVISIONS, or "" for all in one. given: the project's preferences if the caller has them already.

    If people have voted, only pairs with a majority count; if a judge was asked in both orders of some pairs, only
    those count. What is left out is counted.
    """
    pair_ratings = ratings(project, PREFERENCE) if given is None else given
    by_judge: dict[Rater, list[Rating]] = defaultdict(list)
    for rating in pair_ratings:
        if rating.rater.sort == "judge" and rating.repeat == 1:
            by_judge[rating.rater].append(rating)
    ties, groups = counted_as_ties(by_judge), groups_of(project, by)
    labels = majorities(pair_ratings, PREFERENCE)
    rows = [
        row
        for judge, judge_ratings in sorted(by_judge.items(), key=lambda entry: entry[0].name)
        for row in _rows(judge, judge_ratings, labels, groups, is_tie=judge.pk in ties)
    ]
    counted = {
        judge.name: sum(rating.value is None for rating in judge_ratings)
        for judge, judge_ratings in by_judge.items()
        if judge.pk in ties
    }
    return Steadiness(rows, {judge: count for judge, count in counted.items() if count}, pair_ratings.left_out)


def without_ties(original: Steadiness) -> Steadiness:
    """The same without pairs on which most people say "equal"; empty if there are none, or nobody has voted."""
    rows = []
    for row in original.rows:
        decided = [sighting for sighting in row.seen if sighting.pair.label not in (TIE, None)]
        if decided and len(decided) < len(row.seen):
            rows.append(
                SteadinessRow(
                    row.judge, row.group, decided, orders([sighting.pair for sighting in decided]), row.left_out
                )
            )
    return Steadiness(rows, original.ties, original.left_out)


def groups_of(project: Project, by: str) -> Mapping[int, str] | None:
    """item -> its group; None without a division."""
    return dict(Item.objects.filter(project=project).values_list("pk", by)) if by else None


def _rows(
    judge: Rater,
    judge_ratings: Sequence[Rating],
    labels: Mapping[Unit, str | None],
    groups: Mapping[int, str] | None,
    *,
    is_tie: bool,
) -> Iterator[SteadinessRow]:
    divided: dict[str | None, list[Rating]] = defaultdict(list)
    for rating in judge_ratings:
        divided[None if groups is None else groups[rating.item]].append(rating)
    twice = any(rating.swapped for rating in judge_ratings) and any(not rating.swapped for rating in judge_ratings)
    for group, ratings_of_it in divided.items():
        skip_counts: Counter[str] = Counter()
        sightings = list(_both_orders_pairs(ratings_of_it, labels, skip_counts, twice=twice, is_tie=is_tie))
        yield SteadinessRow(judge, group, sightings, orders([sighting.pair for sighting in sightings]), skip_counts)


def _both_orders_pairs(
    judge_ratings: Sequence[Rating],
    labels: Mapping[Unit, str | None],
    skip_counts: Counter[str],
    *,
    twice: bool,
    is_tie: bool,
) -> Iterator[BothOrdersPair]:
    by_unit: dict[Unit, dict[bool, Rating]] = defaultdict(dict)
    for rating in judge_ratings:
        by_unit[rating.unit][rating.swapped] = rating
    is_readable = lambda rating: _choice(rating, is_tie=is_tie) is not None  # noqa: E731 - used once, below
    for unit, rating_by_order in by_unit.items():
        why = why_not(unit, rating_by_order, labels, twice=twice, is_readable=is_readable)
        if why:
            skip_counts[why] += 1
            continue
        straight, swapped = (_choice(rating_by_order.get(order), is_tie=is_tie) for order in (Straight, Swapped))
        first, second = (straight, swapped) if straight is not None else (swapped, None)
        assert first is not None
        sources = [rating.source for rating in rating_by_order.values()]
        pair = OrderPair(first, second if twice else None, labels.get(unit))
        yield BothOrdersPair(unit, next(iter(rating_by_order.values())).item, pair, sources)


def why_not(
    unit: Unit,
    rating_by_order: Mapping[bool, Rating],
    labels: Mapping[Unit, str | None],
    *,
    twice: bool,
    is_readable: Callable[[Rating], bool],
) -> str:
    """Why a pair does not count; "" if it does. If nobody has voted, judges are compared only with themselves."""
    if labels and unit not in labels:
        return NO_VOTES
    if labels and labels[unit] is None:
        return NO_MAJORITY
    if twice and len(rating_by_order) < 2:
        return ONE_ORDER
    if not all(map(is_readable, rating_by_order.values())):
        return UNREADABLE
    return ""


def _choice(rating: Rating | None, *, is_tie: bool) -> str | None:
    if rating is None:
        return None
    return str(rating.value) if rating.value is not None else TIE if is_tie else None


# Consistency rate of FB-Bench: people and judges on the questions of checklists, by author.


@dataclass(frozen=True)
class JudgeRate:
    """One judge against what most people said of each question. split: questions on which people have no majority."""

    judge: Rater
    rate: Rate
    split: int


def consistency_rates(project: Project, *, given: ProjectRatings | None = None) -> list[JudgeRate]:
    """Rates by judge; none if nobody has voted on checklists. given: the project's checklist ratings, if at hand."""
    first_ratings = first_ratings_of(ratings(project, CHECKLIST) if given is None else given)
    authors = _authors(project)
    people: dict[Place, list[str]] = defaultdict(list)
    judges: dict[Rater, dict[Place, bool | None]] = defaultdict(dict)
    for (rater, unit), rating in first_ratings.items():
        question_key = _place(unit, authors)
        if rater.sort == "judge":
            judges[rater][question_key] = None if rating.value is None else bool(rating.value)
        elif rating.value is not None:
            people[question_key].append("met" if rating.value else "not met")
    if not people:
        return []
    settled = {question_key: _settled(given_there) for question_key, given_there in people.items()}
    split = sum(value is None for value in settled.values())
    return [
        JudgeRate(judge, consistency_rate(settled, _where(values, settled)), split)
        for judge, values in sorted(judges.items(), key=lambda entry: entry[0].name)
    ]


def _settled(votes: Sequence[str]) -> bool | None:
    most = majority(votes)
    return None if most is None else most == "met"


def _where(judged: Mapping[Place, bool | None], settled: Mapping[Place, bool | None]) -> dict[Place, bool | None]:
    """Only questions that people have voted on too: a study is a sample of what a judge has seen."""
    return {question_key: value for question_key, value in judged.items() if question_key in settled}


def _authors(project: Project) -> dict[int, str]:
    """answer -> who wrote it."""
    answers = Answer.objects.filter(author__project=project)
    return dict(answers.values_list("pk", "author__name"))


def _place(unit: Unit, authors: Mapping[int, str]) -> Place:
    """(author, answer, question) of one question about an answer."""
    (answer,) = unit.answers
    return authors[answer], str(answer), unit.axis
