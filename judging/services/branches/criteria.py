"""Which criteria decide, which never do, and which come again and again in other words."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from annotate.kinds.branching.shapes import Branch, BranchingDraft
from annotate.kinds.values import BadShape
from annotate.models import Project
from judging.models import Judge
from judging.services.branches.reading import Pair, Pieces, Read, read
from judging.services.cases import decided
from judging.strategies.base import Piece
from judging.strategies.branches.merging import merged
from lib.stats.figures import Figure, share_figure
from lib.stats.likeness import clusters, named

FEW = 5  # judgements below which nothing is said about never deciding
TREES = "trees"


@dataclass(frozen=True, slots=True)
class Judged:
    """One criterion in one judgement of a pair. pair: of the source's judgements; item: which it is about.

    tells: the two scores differ. for_winner: and the winner has the higher one. decides: without it another verdict.
    """

    name: str
    place: int
    item: int
    source: int
    tells: bool
    for_winner: bool
    decides: bool


@dataclass(frozen=True)
class Row:
    """Criteria counted together. called: the name of most of them; names: how many different ones; places: how often
    it stood first, second, … Shares are over `n` judgements."""

    key: str
    called: str
    n: int
    queries: int
    names: Sequence[tuple[str, int]]
    tells: Figure
    for_winner: Figure
    decides: Figure

    @property
    def never(self) -> bool:
        """Whether it was asked often enough to say that it never decides."""
        return self.n >= FEW and self.decides.value == 0


@dataclass(frozen=True)
class Criteria:
    """Of one source: a judge, or the trees that people have accepted (judge is None). judged: what it stands on."""

    key: str
    judge: Judge | None
    places: Sequence[Row]
    clusters: Sequence[Row]
    judged: Sequence[Judged] = field(default_factory=list)
    cluster_of: Sequence[int] = field(default_factory=list)

    @property
    def never(self) -> Sequence[Row]:
        return [row for row in self.clusters if row.never]


def criteria(project: Project, *, given: Read | None = None, trees: bool = True) -> list[Criteria]:
    """Of every judge that compared pairs by criteria, then of people's trees. Single answers decide nothing."""
    found = read(project) if given is None else given
    sources: list[tuple[str, Judge | None, list[Judged]]] = [
        (str(one.judge.pk), one.judge, list(_of_pairs(one.pairs))) for one in found.judges if not one.single
    ]
    sources += [(TREES, None, list(_of_trees(project)))] if trees else []
    return [_counted(key, judge, judged) for key, judge, judged in sources if judged]


def _of_pairs(pairs: Sequence[Pair]) -> Iterator[Judged]:
    """Both orders of every pair, each a judgement of its own."""
    for pair in pairs:
        for order, source in zip((pair.straight, pair.swapped), pair.sources, strict=False):
            if order is not None:
                yield from judged(order, pair.item, source)


def judged(pieces: Pieces, item: int = 0, source: int = 0) -> Iterator[Judged]:
    """Each criterion of one judgement: what it says, and whether the verdict hangs on it."""
    choice = merged(pieces).choice
    if not choice:
        return
    for at, one in enumerate(pieces):
        others = [*pieces[:at], *pieces[at + 1 :]]
        first, second = one.score_first or 0.0, one.score_second or 0.0
        ahead = "tie" if first == second else "first" if first > second else "second"
        without = merged(others).choice if others else ""
        yield Judged(
            one.label or one.axis,
            at + 1,
            item,
            source,
            tells=ahead != "tie",
            for_winner=ahead != "tie" and ahead == choice,
            decides=without != choice,
        )


def _of_trees(project: Project) -> Iterator[Judged]:
    """Accepted branching drafts about two responses."""
    kind = project.kind
    if kind.draft is not BranchingDraft:
        return
    columns = ("pk", "base__draft", "base__schema", "base_id")
    for pk, draft, schema, base in decided(project).order_by("pk").values_list(*columns).iterator(1000):
        try:
            branches = kind.read_draft(kind.upgrade(draft, schema)).branches
        except BadShape:
            continue
        yield from judged([_piece(at, one) for at, one in enumerate(branches, 1)], pk, base)


def _piece(at: int, one: Branch) -> Piece:
    said = one.judgement
    return Piece(str(at), one.name, said.score_first, said.score_second, one.weight)


def _counted(key: str, judge: Judge | None, said: Sequence[Judged]) -> Criteria:
    cluster_of = clusters([one.name for one in said])
    by_place: dict[int, list[Judged]] = defaultdict(list)
    by_cluster: dict[int, list[Judged]] = defaultdict(list)
    for one, cluster in zip(said, cluster_of, strict=True):
        by_place[one.place].append(one)
        by_cluster[cluster].append(one)
    return Criteria(
        key,
        judge,
        [_row(str(place), there) for place, there in sorted(by_place.items())],
        [_row(str(cluster), there) for cluster, there in sorted(by_cluster.items())],
        said,
        cluster_of,
    )


def _row(key: str, said: Sequence[Judged]) -> Row:
    n, counted = len(said), Counter(one.name for one in said)
    return Row(
        key,
        named([one.name for one in said]),
        n,
        len({one.item for one in said}),
        sorted(counted.items(), key=lambda each: (-each[1], each[0])),
        tells=share_figure(sum(one.tells for one in said), n),
        for_winner=share_figure(sum(one.for_winner for one in said), n),
        decides=share_figure(sum(one.decides for one in said), n),
    )
