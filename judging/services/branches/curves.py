"""Agreement, consistency and accuracy by the first one, two, … criteria, out of the scores that are stored."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotate.models import Project
from judging.models import Judge
from judging.services.branches.reading import Pair, Read, Scored, read
from judging.services.ratings.labels import TIE
from judging.services.ratings.orders import groups_of
from judging.strategies import strategies
from judging.strategies.branches.merging import merged
from lib.stats.consistency import Orders, orders
from lib.stats.consistency import Pair as Choices

DIVISIONS = ("group", "language")
FEWER = "fewer criteria"


@dataclass(frozen=True)
class Point:
    """Judging by the first so many criteria. fewer: pairs that have not so many. weighted: where weights count."""

    branches: int
    orders: Orders
    fewer: int


@dataclass(frozen=True)
class Curve:
    """One judge in one group; group is None for all. ties: whether pairs on which people say "equal" are among them.

    left_out: why -> pairs, the same for every point; of groups nothing is said there.
    """

    judge: Judge
    group: str | None
    ties: bool
    points: Sequence[Point]
    pairs: Sequence[Pair]
    left_out: Mapping[str, int]

    @property
    def last(self) -> Point:
        return self.points[-1]


@dataclass(frozen=True)
class Curves:
    """all: by judge, with ties and then without; groups: with ties, where a division was asked for."""

    all: Sequence[Curve]
    groups: Sequence[Curve]
    labelled: bool
    left_out: Mapping[str, Mapping[str, int]]


def curves(project: Project, by: str = "", *, given: Read | None = None) -> Curves:
    """by: one of DIVISIONS, or "" for none. given: what was read, where somebody has it at hand.

    Judges that saw answers one at a time have accuracy alone, on pairs that people compared.
    """
    reading = read(project) if given is None else given
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


def _with_and_without_ties(judge_scores: Scored, *, labelled: bool) -> Iterator[Curve]:
    if not judge_scores.pairs:
        return
    yield _curve(judge_scores, None, judge_scores.pairs, ties=True)
    decided = [pair for pair in judge_scores.pairs if pair.label != TIE]
    if labelled and decided:
        yield _curve(judge_scores, None, decided, ties=False)


def _by_group(judge_scores: Scored, groups: Mapping[int, str]) -> Iterator[Curve]:
    divided: dict[str, list[Pair]] = defaultdict(list)
    for pair in judge_scores.pairs:
        divided[groups.get(pair.item, "")].append(pair)
    yield from (_curve(judge_scores, group, pairs, ties=True) for group, pairs in sorted(divided.items()))


def _curve(judge_scores: Scored, group: str | None, pairs: Sequence[Pair], *, ties: bool) -> Curve:
    most = max(pair.branches for pair in pairs)
    points = [_point(pairs, n) for n in range(1, most + 1)]
    return Curve(judge_scores.judge, group, ties, points, pairs, dict(judge_scores.left_out) if group is None else {})


def _point(pairs: Sequence[Pair], n: int) -> Point:
    able = [pair for pair in pairs if pair.branches >= n]
    return Point(n, orders([choices(pair, n) for pair in able]), len(pairs) - len(able))


def choices(pair: Pair, n: int | None = None) -> Choices:
    """What the judge would have said by the first n criteria, in each order."""
    swapped = None if pair.swapped is None else merged(pair.swapped, n).choice
    return Choices(merged(pair.straight, n).choice, swapped, pair.label)


Test = Callable[[Choices], bool]
# What stands behind a share: the pairs that count for it.
COUNTS: Mapping[str, Test] = {
    "agreement": lambda pair_choices: pair_choices.consistent and pair_choices.straight == pair_choices.label,
    "consistency": lambda pair_choices: pair_choices.consistent,
    "accuracy": lambda pair_choices: pair_choices.straight == pair_choices.label,
    "agreement_of_consistent": lambda pair_choices: (
        pair_choices.consistent and pair_choices.straight == pair_choices.label
    ),
}


def behind(pairs: Sequence[Pair], figure: str, n: int) -> list[tuple[Pair, bool]]:
    """The pairs below the line of a share by the first n criteria, each with whether it counts above it too."""
    able = [(pair, choices(pair, n)) for pair in pairs if pair.branches >= n]
    if figure == "agreement_of_consistent":
        able = [(pair, pair_choices) for pair, pair_choices in able if pair_choices.consistent]
    return [(pair, COUNTS[figure](pair_choices)) for pair, pair_choices in able]


def labels_of(judge: Judge) -> str:
    """Of pairs in both orders: `kept` or `exchanged`; "" of a judge of others, or of single answers."""
    strategy = strategies().get(judge.strategy)
    if strategy is None or not strategy.pairwise:
        return ""
    return "kept" if "labels=kept" in judge.variant.split() else "exchanged"
