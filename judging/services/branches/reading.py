"""Pairs of answers as judges scored them criterion by criterion, from what is stored: nothing is asked again."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotate.models import Project
from judging.models import Judge, Part, Verdict
from judging.services.branches.low import branch_judges
from judging.services.ratings import PREFERENCE, SCORE, Rating, Today, ratings
from judging.services.ratings.judges import of_judges
from judging.services.ratings.labels import majorities
from judging.services.ratings.orders import NO_MAJORITY, UNREADABLE, why_not
from judging.strategies import strategies
from judging.strategies.base import Piece
from judging.strategies.branches.merging import numbered

Pieces = Sequence[Piece]
Labels = Mapping[str, str | None]
NOT_BOTH = "only one answer judged"


@dataclass(frozen=True)
class Pair:
    """One pair of answers. label: people's; None where there is none. sources: the verdicts.

    straight, swapped: the criteria in their order, with the scores of the unit's first and second answer; swapped is
    None where the judge saw one order only, or the answers one at a time.
    """

    unit: str
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
class Scored:
    """All that one judge said of pairs. single: it saw answers one at a time; its pairs are those that people compared.

    left_out: why -> pairs.
    """

    judge: Judge
    single: bool
    pairs: Sequence[Pair]
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def branches(self) -> int:
        return max((pair.branches for pair in self.pairs), default=0)


@dataclass(frozen=True)
class Read:
    """judges: by name. labelled: whether people have said of any pair which is better. left_out: votes, verdicts."""

    judges: Sequence[Scored]
    labelled: bool = False
    left_out: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def read(project: Project) -> Read:
    """A number of queries that does not depend on how many verdicts there are."""
    judges = {judge.pk: judge for judge in branch_judges(project)}
    if not judges:
        return Read([])
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
    return Read(all_scores, bool(labels), preferences.left_out)


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
    pieces_by_verdict: dict[int, list[Piece]] = defaultdict(list)
    columns = ("verdict_id", "axis", "label", "score_first", "score_second", "weight")
    rows = Part.objects.filter(verdict__judge__in=judges)
    for verdict, *piece in rows.values_list(*columns).iterator(5000):
        pieces_by_verdict[verdict].append(Piece(*piece))
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
) -> Scored:
    by_unit: dict[str, dict[bool, Rating]] = defaultdict(dict)
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
        pairs.append(Pair(unit, some.item, orders[0], orders[1] if twice else None, labels.get(unit), sources))
    return Scored(judge, single=False, pairs=pairs, left_out=dict(count_by_reason))


def _as_unit(unit: str, pieces: Pieces, first_answer: int) -> Pieces:
    """The scores as the unit calls its answers, whichever the verdict calls first."""
    return pieces if unit.startswith(f"pair/{first_answer}/") else [_turned(piece) for piece in pieces]


def _turned(piece: Piece) -> Piece:
    return replace(piece, score_first=piece.score_second, score_second=piece.score_first)


# --- judges that saw answers one at a time ----------------------------------------------------------------------------
def _alone(judge: Judge, judge_ratings: Sequence[Rating], labels: Labels, parts: Mapping[int, Pieces]) -> Scored:
    """Pairs that people have compared, each out of two verdicts."""
    by_answer = {rating.unit.removeprefix("answer/"): rating for rating in judge_ratings}
    pairs, count_by_reason = [], Counter[str]()
    for unit, label in labels.items():
        both = [by_answer[pk] for pk in unit.split("/")[1:] if pk in by_answer]
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
        pairs.append(Pair(unit, first_rating.item, pieces, None, label, [first_rating.source, second_rating.source]))
    return Scored(judge, single=True, pairs=pairs, left_out=dict(count_by_reason))


def _why_not_alone(both: Sequence[Rating], label: str | None, parts: Mapping[int, Pieces]) -> str:
    if label is None:
        return NO_MAJORITY
    if len(both) < 2:
        return NOT_BOTH
    return UNREADABLE if any(rating.value is None or not parts.get(rating.source) for rating in both) else ""
