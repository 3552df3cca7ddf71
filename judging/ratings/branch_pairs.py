"""Pairs of answers scored criterion by criterion, and curves over the number of criteria.

Curves give agreement, consistency and accuracy by the first one, two, … criteria. Everything is computed from stored
verdicts; no judge is asked again.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotate.models import Project
from judging.models import Judge, Part, Verdict
from judging.ratings.consistency import NO_MAJORITY, UNREADABLE, groups_of, why_not
from judging.ratings.judge_ratings import of_judges
from judging.ratings.raters import ratings
from judging.ratings.units import PREFERENCE, SCORE, TIE, Rating, Today, Unit, majorities
from judging.strategies.branches.criterion_scores import merged, numbered
from judging.strategies.strategy import OpinionPart, strategies
from judging.verdicts.low_scores import branch_judges
from lib.stats.consistency import OrderCounts, orders
from lib.stats.consistency import OrderPair as Choices

Pieces = Sequence[OpinionPart]
Labels = Mapping[Unit, str | None]
NOT_BOTH = "only one answer judged"


@dataclass(frozen=True)
class BranchPair:
    """One pair of answers. label: people's; None if there is none. sources: the verdicts.

    straight, swapped: the criteria in their order, with the scores of the unit's first and second answer; swapped is
    None if the judge saw one order only, or the answers one at a time.
    """

    unit: Unit
    item: int
    straight: Pieces
    swapped: Pieces | None
    label: str | None
    sources: Sequence[int]

    @property
    def branches(self) -> int:
        """How many criteria every order has."""
        return min(len(order) for order in (self.straight, self.swapped) if order is not None)


@dataclass(frozen=True)
class JudgePairs:
    """One judge's pairs. single: it saw answers one at a time; its pairs are those that people compared.

    left_out: why -> pairs.
    """

    judge: Judge
    single: bool
    pairs: Sequence[BranchPair]
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def branches(self) -> int:
        return max((pair.branches for pair in self.pairs), default=0)


@dataclass(frozen=True)
class BranchReadings:
    """judges: by name. labelled: whether people have compared any pair. left_out: votes, verdicts."""

    judges: Sequence[JudgePairs]
    labelled: bool = False
    left_out: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def read_branch_pairs(project: Project) -> BranchReadings:
    """All of it, in a fixed number of queries."""
    judges = {judge.pk: judge for judge in branch_judges(project)}
    if not judges:
        return BranchReadings([])
    today = Today(project)
    preferences = ratings(project, PREFERENCE, today=today)
    labels = majorities(preferences, PREFERENCE)
    in_pairs = _of_judges(preferences, judges)
    has_singles = any(not _is_pairwise(judge) for judge in judges.values())
    alone = _of_judges(of_judges(project, SCORE, today=today) if has_singles else (), judges)
    parts, firsts = _pieces(judges), _firsts(judges)
    all_scores = [
        _paired(judge, in_pairs.get(pk, []), labels, parts, firsts)
        if _is_pairwise(judge)
        else _alone(judge, alone.get(pk, []), labels, parts)
        for pk, judge in judges.items()
    ]
    return BranchReadings(all_scores, bool(labels), preferences.left_out)


def _is_pairwise(judge: Judge) -> bool:
    return strategies()[judge.strategy].pairwise


def _of_judges(all_ratings: Iterable[Rating], judges: Mapping[int, Judge]) -> dict[int, list[Rating]]:
    """judge -> what it said the first time, as a whole."""
    ratings_by_judge: dict[int, list[Rating]] = defaultdict(list)
    for rating in all_ratings:
        pk = rating.rater.pk or 0
        if rating.rater.sort == "judge" and pk in judges and rating.repeat == 1 and not rating.axis:
            ratings_by_judge[pk].append(rating)
    return ratings_by_judge


def _pieces(judges: Mapping[int, Judge]) -> dict[int, Pieces]:
    """verdict -> its criteria in order, as the verdict calls its answers."""
    pieces_by_verdict: dict[int, list[OpinionPart]] = defaultdict(list)
    columns = ("verdict_id", "axis", "label", "score_first", "score_second", "weight")
    rows = Part.objects.filter(verdict__judge__in=judges)
    for verdict, *piece in rows.values_list(*columns).iterator(5000):
        pieces_by_verdict[verdict].append(OpinionPart(*piece))
    return {verdict: numbered(pieces) for verdict, pieces in pieces_by_verdict.items()}


def _firsts(judges: Mapping[int, Judge]) -> dict[int, int]:
    """verdict on a pair -> the answer that it calls first."""
    return dict(Verdict.objects.pairwise().filter(judge__in=judges).values_list("pk", "first_id"))


# --- judges that saw pairs --------------------------------------------------------------------------------------------
def _paired(
    judge: Judge,
    judge_ratings: Sequence[Rating],
    labels: Labels,
    parts: Mapping[int, Pieces],
    firsts: Mapping[int, int],
) -> JudgePairs:
    by_unit: dict[Unit, dict[bool, Rating]] = defaultdict(dict)
    for rating in judge_ratings:
        by_unit[rating.unit][rating.swapped] = rating
    twice = any(rating.swapped for rating in judge_ratings)
    pairs, count_by_reason = [], Counter[str]()
    is_readable = lambda rating: rating.value is not None and bool(parts.get(rating.source))  # noqa: E731 - used once, below
    for unit, by_order in by_unit.items():
        why = why_not(unit, by_order, labels, twice=twice, is_readable=is_readable)
        if why:
            count_by_reason[why] += 1
            continue
        orders = [
            _as_unit(unit, parts[by_order[is_swapped].source], firsts[by_order[is_swapped].source])
            for is_swapped in sorted(by_order)
        ]
        some = next(iter(by_order.values()))
        sources = [by_order[is_swapped].source for is_swapped in sorted(by_order)]
        pairs.append(BranchPair(unit, some.item, orders[0], orders[1] if twice else None, labels.get(unit), sources))
    return JudgePairs(judge, single=False, pairs=pairs, left_out=dict(count_by_reason))


def _as_unit(unit: Unit, pieces: Pieces, first_answer: int) -> Pieces:
    """The scores as the unit calls its answers, whichever the verdict calls first."""
    return pieces if unit.answers[0] == first_answer else [_turned(piece) for piece in pieces]


def _turned(piece: OpinionPart) -> OpinionPart:
    return replace(piece, score_first=piece.score_second, score_second=piece.score_first)


# --- judges that saw answers one at a time ----------------------------------------------------------------------------
def _alone(judge: Judge, judge_ratings: Sequence[Rating], labels: Labels, parts: Mapping[int, Pieces]) -> JudgePairs:
    """Pairs that people have compared, each out of two verdicts."""
    by_answer = {rating.unit.answers[0]: rating for rating in judge_ratings}
    pairs, count_by_reason = [], Counter[str]()
    for unit, label in labels.items():
        both = [by_answer[pk] for pk in unit.answers if pk in by_answer]
        if not both:
            continue
        why = _why_not_alone(both, label, parts)
        if why:
            count_by_reason[why] += 1
            continue
        first_rating, second_rating = both
        pieces = [
            replace(left, score_second=right.score_first)
            for left, right in zip(parts[first_rating.source], parts[second_rating.source], strict=False)
        ]
        pairs.append(
            BranchPair(unit, first_rating.item, pieces, None, label, [first_rating.source, second_rating.source])
        )
    return JudgePairs(judge, single=True, pairs=pairs, left_out=dict(count_by_reason))


def _why_not_alone(both: Sequence[Rating], label: str | None, parts: Mapping[int, Pieces]) -> str:
    if label is None:
        return NO_MAJORITY
    if len(both) < 2:
        return NOT_BOTH
    return UNREADABLE if any(rating.value is None or not parts.get(rating.source) for rating in both) else ""


# --- curves -----------------------------------------------------------------------------------------------------------


DIVISIONS = ("group", "language")
FEWER = "fewer criteria"


@dataclass(frozen=True)
class BranchCurvePoint:
    """Judging by the first `branches` criteria. fewer: pairs with fewer criteria."""

    branches: int
    orders: OrderCounts
    fewer: int


@dataclass(frozen=True)
class Curve:
    """One judge in one group; group is None for all. ties: whether pairs on which people say "equal" are among them.

    left_out: reason -> pairs, the same for every point; empty for groups.
    """

    judge: Judge
    group: str | None
    ties: bool
    points: Sequence[BranchCurvePoint]
    pairs: Sequence[BranchPair]
    left_out: Mapping[str, int]

    @property
    def last(self) -> BranchCurvePoint:
        return self.points[-1]


@dataclass(frozen=True)
class Curves:
    """all: by judge, with ties and then without; groups: with ties, where a division was asked for."""

    all: Sequence[Curve]
    groups: Sequence[Curve]
    labelled: bool
    left_out: Mapping[str, Mapping[str, int]]


def curves(project: Project, by: str = "", *, given: BranchReadings | None = None) -> Curves:
    """by: one of DIVISIONS, or "" for none. given: the readings, if the caller has them already.

    Judges that saw answers one at a time have accuracy alone, on pairs that people compared.
    """
    reading = read_branch_pairs(project) if given is None else given
    groups = groups_of(project, by)
    whole = [
        curve
        for judge_scores in reading.judges
        for curve in _with_and_without_ties(judge_scores, labelled=reading.labelled)
    ]
    divided = (
        [curve for judge_scores in reading.judges for curve in _by_group(judge_scores, groups)]
        if groups is not None
        else []
    )
    return Curves(whole, divided, reading.labelled, reading.left_out)


def _with_and_without_ties(judge_scores: JudgePairs, *, labelled: bool) -> Iterator[Curve]:
    if not judge_scores.pairs:
        return
    yield _curve(judge_scores, None, judge_scores.pairs, ties=True)
    decided = [pair for pair in judge_scores.pairs if pair.label != TIE]
    if labelled and decided:
        yield _curve(judge_scores, None, decided, ties=False)


def _by_group(judge_scores: JudgePairs, groups: Mapping[int, str]) -> Iterator[Curve]:
    divided: dict[str, list[BranchPair]] = defaultdict(list)
    for pair in judge_scores.pairs:
        divided[groups.get(pair.item, "")].append(pair)
    yield from (_curve(judge_scores, group, pairs, ties=True) for group, pairs in sorted(divided.items()))


def _curve(judge_scores: JudgePairs, group: str | None, pairs: Sequence[BranchPair], *, ties: bool) -> Curve:
    most = max(pair.branches for pair in pairs)
    points = [_point(pairs, n) for n in range(1, most + 1)]
    return Curve(judge_scores.judge, group, ties, points, pairs, dict(judge_scores.left_out) if group is None else {})


def _point(pairs: Sequence[BranchPair], n: int) -> BranchCurvePoint:
    able = [pair for pair in pairs if pair.branches >= n]
    return BranchCurvePoint(n, orders([choices(pair, n) for pair in able]), len(pairs) - len(able))


def choices(pair: BranchPair, n: int | None = None) -> Choices:
    """What the judge would have said by the first n criteria, in each order."""
    swapped = None if pair.swapped is None else merged(pair.swapped, n).choice
    return Choices(merged(pair.straight, n).choice, swapped, pair.label)


Test = Callable[[Choices], bool]
# Share -> the test of the pairs that count for it.
COUNTS: Mapping[str, Test] = {
    "agreement": lambda pair_choices: pair_choices.consistent and pair_choices.straight == pair_choices.label,
    "consistency": lambda pair_choices: pair_choices.consistent,
    "accuracy": lambda pair_choices: pair_choices.straight == pair_choices.label,
    "agreement_of_consistent": lambda pair_choices: (
        pair_choices.consistent and pair_choices.straight == pair_choices.label
    ),
}


def pairs_behind(pairs: Sequence[BranchPair], figure: str, n: int) -> list[tuple[BranchPair, bool]]:
    """Pairs in the denominator of a share by the first n criteria, each with whether it is in the numerator too."""
    able = [(pair, choices(pair, n)) for pair in pairs if pair.branches >= n]
    if figure == "agreement_of_consistent":
        able = [(pair, pair_choices) for pair, pair_choices in able if pair_choices.consistent]
    return [(pair, COUNTS[figure](pair_choices)) for pair, pair_choices in able]


def labels_of(judge: Judge) -> str:
    """For pairs in both orders: `kept` or `exchanged`; "" for imported judges, and for single answers."""
    strategy = strategies().get(judge.strategy)
    if strategy is None or not strategy.pairwise:
        return ""
    return "kept" if "labels=kept" in judge.variant.split() else "exchanged"
