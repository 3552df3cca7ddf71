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
    reading = read(project) if given is None else given
    sources: list[tuple[str, Judge | None, list[Judged]]] = [
        (str(judge_scores.judge.pk), judge_scores.judge, list(_of_pairs(judge_scores.pairs)))
        for judge_scores in reading.judges
        if not judge_scores.single
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
    for index, piece in enumerate(pieces):
        other_pieces = [*pieces[:index], *pieces[index + 1 :]]
        first, second = piece.score_first or 0.0, piece.score_second or 0.0
        ahead = "tie" if first == second else "first" if first > second else "second"
        without = merged(other_pieces).choice if other_pieces else ""
        yield Judged(
            piece.label or piece.axis,
            index + 1,
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
        yield from judged([_piece(number, branch) for number, branch in enumerate(branches, 1)], pk, base)


def _piece(number: int, branch: Branch) -> Piece:
    judgement = branch.judgement
    return Piece(str(number), branch.name, judgement.score_first, judgement.score_second, branch.weight)


def _counted(key: str, judge: Judge | None, judgements: Sequence[Judged]) -> Criteria:
    cluster_of = clusters([judgement.name for judgement in judgements])
    by_place: dict[int, list[Judged]] = defaultdict(list)
    by_cluster: dict[int, list[Judged]] = defaultdict(list)
    for judgement, cluster in zip(judgements, cluster_of, strict=True):
        by_place[judgement.place].append(judgement)
        by_cluster[cluster].append(judgement)
    return Criteria(
        key,
        judge,
        [_row(str(position), group) for position, group in sorted(by_place.items())],
        [_row(str(cluster), group) for cluster, group in sorted(by_cluster.items())],
        judgements,
        cluster_of,
    )


def _row(key: str, judgements: Sequence[Judged]) -> Row:
    n, counted = len(judgements), Counter(judgement.name for judgement in judgements)
    return Row(
        key,
        named([judgement.name for judgement in judgements]),
        n,
        len({judgement.item for judgement in judgements}),
        sorted(counted.items(), key=lambda name_count: (-name_count[1], name_count[0])),
        tells=share_figure(sum(judgement.tells for judgement in judgements), n),
        for_winner=share_figure(sum(judgement.for_winner for judgement in judgements), n),
        decides=share_figure(sum(judgement.decides for judgement in judgements), n),
    )
