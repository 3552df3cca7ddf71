"""Criteria that decide verdicts, that never do, and that recur in other words: numbers and report."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.kinds.trees import ScoredCriterion
from annotate.kinds.values import BadShape
from annotate.models import Project
from judging.answers.cases import decided
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, figure_value, hundredths, table
from judging.models import Judge
from judging.ratings.branch_pairs import BranchPair, BranchReadings, Pieces, read_branch_pairs
from judging.strategies.branches.criterion_scores import merged
from judging.strategies.strategy import OpinionPart
from lib.stats.figures import Figure, share_figure
from lib.stats.phrase_clusters import clusters, named

FEW = 5  # judgements below which nothing is said about never deciding
TREES = "trees"


@dataclass(frozen=True, slots=True)
class JudgedCriterion:
    """One criterion in one judgement of a pair. place: its position, from 1; source: its verdict or draft.

    tells: the two scores differ. for_winner: the winner has the higher one. decides: without it the verdict changes.
    """

    name: str
    place: int
    item: int
    source: int
    tells: bool
    for_winner: bool
    decides: bool


@dataclass(frozen=True)
class CriterionRow:
    """Criteria counted together. called: the most frequent name; names: (name, count) of all; queries: how many items.

    Shares are over `n` judgements.
    """

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
class SourceCriteria:
    """Criteria of one source: a judge, or the trees that people accepted (judge is None). judged: the judgements."""

    key: str
    judge: Judge | None
    places: Sequence[CriterionRow]
    clusters: Sequence[CriterionRow]
    judged: Sequence[JudgedCriterion] = field(default_factory=list)
    cluster_of: Sequence[int] = field(default_factory=list)

    @property
    def never(self) -> Sequence[CriterionRow]:
        return [row for row in self.clusters if row.never]


def criteria(project: Project, *, given: BranchReadings | None = None, trees: bool = True) -> list[SourceCriteria]:
    """Criteria of every judge that compared pairs, then of people's trees. Single answers decide nothing."""
    reading = read_branch_pairs(project) if given is None else given
    sources: list[tuple[str, Judge | None, list[JudgedCriterion]]] = [
        (str(judge_scores.judge.pk), judge_scores.judge, list(_of_pairs(judge_scores.pairs)))
        for judge_scores in reading.judges
        if not judge_scores.single
    ]
    sources += [(TREES, None, list(_of_trees(project)))] if trees else []
    return [_count_criteria(key, judge, judged) for key, judge, judged in sources if judged]


def _of_pairs(pairs: Sequence[BranchPair]) -> Iterator[JudgedCriterion]:
    """Both orders of every pair, each a judgement of its own."""
    for pair in pairs:
        for order, source in zip((pair.straight, pair.swapped), pair.sources, strict=False):
            if order is not None:
                yield from judged(order, pair.item, source)


def judged(pieces: Pieces, item: int = 0, source: int = 0) -> Iterator[JudgedCriterion]:
    """Each criterion of one judgement: what it says, and whether the verdict depends on it."""
    choice = merged(pieces).choice
    if not choice:
        return
    for index, piece in enumerate(pieces):
        other_pieces = [*pieces[:index], *pieces[index + 1 :]]
        first, second = piece.score_first or 0.0, piece.score_second or 0.0
        ahead = "tie" if first == second else "first" if first > second else "second"
        without = merged(other_pieces).choice if other_pieces else ""
        yield JudgedCriterion(
            piece.label or piece.axis,
            index + 1,
            item,
            source,
            tells=ahead != "tie",
            for_winner=ahead != "tie" and ahead == choice,
            decides=without != choice,
        )


def _of_trees(project: Project) -> Iterator[JudgedCriterion]:
    """Accepted branching drafts about two responses."""
    kind = project.kind
    if not kind.holds_trees:
        return
    columns = ("pk", "base__draft", "base__schema", "base_id")
    for pk, draft, schema, base in decided(project).order_by("pk").values_list(*columns).iterator(1000):
        try:
            scored = kind.scored_criteria(kind.read_draft(kind.upgrade(draft, schema)))
        except BadShape:
            continue
        yield from judged([_piece(number, criterion) for number, criterion in enumerate(scored, 1)], pk, base)


def _piece(number: int, criterion: ScoredCriterion) -> OpinionPart:
    return OpinionPart(str(number), criterion.name, criterion.score_first, criterion.score_second, criterion.weight)


def _count_criteria(key: str, judge: Judge | None, judgements: Sequence[JudgedCriterion]) -> SourceCriteria:
    cluster_of = clusters([judgement.name for judgement in judgements])
    by_place: dict[int, list[JudgedCriterion]] = defaultdict(list)
    by_cluster: dict[int, list[JudgedCriterion]] = defaultdict(list)
    for judgement, cluster in zip(judgements, cluster_of, strict=True):
        by_place[judgement.place].append(judgement)
        by_cluster[cluster].append(judgement)
    return SourceCriteria(
        key,
        judge,
        [_row(str(position), group) for position, group in sorted(by_place.items())],
        [_row(str(cluster), group) for cluster, group in sorted(by_cluster.items())],
        judgements,
        cluster_of,
    )


def _row(key: str, judgements: Sequence[JudgedCriterion]) -> CriterionRow:
    n, counted = len(judgements), Counter(judgement.name for judgement in judgements)
    return CriterionRow(
        key,
        named([judgement.name for judgement in judgements]),
        n,
        len({judgement.item for judgement in judgements}),
        sorted(counted.items(), key=lambda name_count: (-name_count[1], name_count[0])),
        tells=share_figure(sum(judgement.tells for judgement in judgements), n),
        for_winner=share_figure(sum(judgement.for_winner for judgement in judgements), n),
        decides=share_figure(sum(judgement.decides for judgement in judgements), n),
    )


# Report: the same as JSON and as text.


SHARES = ("tells", "for_winner", "decides")
HEADER = ["criterion", "judgements", "queries", "tells apart", "for the winner", "decides"]
MOST_NAMES = 10


class CriteriaReport(Report):
    slug = "criteria"
    about = "which criteria of branching judges and of people's trees decide, which never do, and which are alike"

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        all_criteria = [
            judge_criteria
            for judge_criteria in criteria(project)
            if options.judge in ("", source_name(judge_criteria), judge_criteria.judge and judge_criteria.judge.name)
        ]
        if not all_criteria:
            raise Refused("Nobody has compared answers by criteria here: judge with --strategy branching first.")
        return ReportOutput(
            {"rows": [_source_as_json(judge_criteria) for judge_criteria in all_criteria], "least": FEW},
            "\n\n".join(map(_text, all_criteria)),
        )


def source_name(judge_criteria: SourceCriteria) -> str:
    """The judge's name, or `trees` for what people have accepted."""
    return str(judge_criteria.judge) if judge_criteria.judge else judge_criteria.key


def _source_as_json(judge_criteria: SourceCriteria) -> dict[str, Any]:
    return {
        "judge": source_name(judge_criteria),
        "simulated": bool(judge_criteria.judge and judge_criteria.judge.simulated),
        "judgements": len({(judgement.item, judgement.source) for judgement in judge_criteria.judged}),
        "places": [{"place": int(row.key)} | _text_row(row) for row in judge_criteria.places],
        "clusters": [{"cluster": int(row.key)} | _text_row(row) for row in judge_criteria.clusters],
        "never_decide": [row.called for row in judge_criteria.never],
    }


def _text_row(row: CriterionRow) -> dict[str, Any]:
    shares = {name: getattr(row, name) for name in SHARES}
    return {
        "called": row.called,
        "names": [{"name": name, "n": n} for name, n in row.names[:MOST_NAMES]],
        "different_names": len(row.names),
        "n": row.n,
        "queries": row.queries,
        **{name: figure_value(figure) for name, figure in shares.items()},
        "interval": {
            name: None if figure.low is None else [hundredths(figure.low), hundredths(figure.high or 0.0)]
            for name, figure in shares.items()
        },
        "never": row.never,
    }


def _text(judge_criteria: SourceCriteria) -> str:
    place_table = table(["place", *HEADER[1:]], [[row.key, *_cells(row)] for row in judge_criteria.places])
    clusters = table(HEADER, [[row.called, *_cells(row)] for row in judge_criteria.clusters])
    never = ", ".join(row.called for row in judge_criteria.never) or "none"
    lines = [f"Criteria of {source_name(judge_criteria)}", "", place_table, "", clusters, ""]
    return "\n".join([*lines, f"Never decide (of {FEW} judgements or more): {never}."])


def _cells(row: CriterionRow) -> list[str]:
    return [str(row.n), str(row.queries), *(f"{figure_value(getattr(row, name)) or 0:.2f}" for name in SHARES)]


REPORT = CriteriaReport()
