"""How steady the judges of a project are in both orders of a pair, held against what most people said."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotate.models import Item, Project
from judging.services.ratings import PREFERENCE, Found, Rater, Rating, ratings
from judging.services.ratings.labels import TIE, counted_as_ties, majorities
from lib.stats.consistency import Orders, Pair, orders

NO_VOTES, NO_MAJORITY, ONE_ORDER, UNREADABLE = "no votes", "no majority", "one order", "unreadable"
DIVISIONS = ("group", "language")
Straight, Swapped = False, True


@dataclass(frozen=True)
class Seen:
    """One pair as a judge and people have it. sources: the judge's verdicts about it."""

    unit: str
    item: int
    pair: Pair
    sources: Sequence[int]


@dataclass(frozen=True)
class Row:
    """One judge in one group; group is None for all of them. left_out: why -> how many pairs."""

    judge: Rater
    group: str | None
    seen: Sequence[Seen]
    orders: Orders
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Steadiness:
    """rows: by judge and group. ties: judge -> unreadable verdicts that count as ties, as their published figures do.

    left_out: of votes and verdicts that are no rating, as `ratings` says.
    """

    rows: Sequence[Row]
    ties: Mapping[str, int]
    left_out: Mapping[str, Mapping[str, int]]


def steadiness(project: Project, by: str = "", *, given: Found | None = None) -> Steadiness:
    """by: one of DIVISIONS, or "" for all in one. given: the project's preferences where somebody has them at hand.

    Where people have voted, only pairs count on which most of them said one thing; where a judge was asked in both
    orders of some pairs, only those count. What is left out is counted.
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
    """The same without pairs on which most people say "equal"; nothing where there are none, or nobody has voted."""
    rows = []
    for row in original.rows:
        decided = [sighting for sighting in row.seen if sighting.pair.label not in (TIE, None)]
        if decided and len(decided) < len(row.seen):
            rows.append(
                Row(row.judge, row.group, decided, orders([sighting.pair for sighting in decided]), row.left_out)
            )
    return Steadiness(rows, original.ties, original.left_out)


def groups_of(project: Project, by: str) -> Mapping[int, str] | None:
    """item -> its group; None where nothing is divided."""
    return dict(Item.objects.filter(project=project).values_list("pk", by)) if by else None


def _rows(
    judge: Rater,
    judge_ratings: Sequence[Rating],
    labels: Mapping[str, str | None],
    groups: Mapping[int, str] | None,
    *,
    is_tie: bool,
) -> Iterator[Row]:
    divided: dict[str | None, list[Rating]] = defaultdict(list)
    for rating in judge_ratings:
        divided[None if groups is None else groups[rating.item]].append(rating)
    twice = any(rating.swapped for rating in judge_ratings) and any(not rating.swapped for rating in judge_ratings)
    for group, ratings_of_it in divided.items():
        skip_counts: Counter[str] = Counter()
        sightings = list(_seen(ratings_of_it, labels, skip_counts, twice=twice, is_tie=is_tie))
        yield Row(judge, group, sightings, orders([sighting.pair for sighting in sightings]), skip_counts)


def _seen(
    judge_ratings: Sequence[Rating],
    labels: Mapping[str, str | None],
    skip_counts: Counter[str],
    *,
    twice: bool,
    is_tie: bool,
) -> Iterator[Seen]:
    by_unit: dict[str, dict[bool, Rating]] = defaultdict(dict)
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
        pair = Pair(first, second if twice else None, labels.get(unit))
        yield Seen(unit, next(iter(rating_by_order.values())).item, pair, sources)


def why_not(
    unit: str,
    rating_by_order: Mapping[bool, Rating],
    labels: Mapping[str, str | None],
    *,
    twice: bool,
    is_readable: Callable[[Rating], bool],
) -> str:
    """Why a pair does not count; "" where it does. Where nobody has voted, judges are only held to themselves."""
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
