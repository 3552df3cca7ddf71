from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from pydantic import field_validator

from annotate.models import Item, Member, Project
from annotate.web.access import project_page
from judging.boards.board import FIGURE_TOOLS, BoardPage
from judging.boards.branches.decisive_criteria import FEW, SourceCriteria, criteria
from judging.boards.branches.gain import Both, GainRow, gain
from judging.boards.branches.systems import System, SystemRanking, systems
from judging.boards.branches.tags import ranking_name
from judging.boards.options import PAGE, BoardOptions, address_without, chosen_judge, number_of, start_of
from judging.models import Answer
from judging.ratings.branch_pairs import (
    COUNTS,
    DIVISIONS,
    BranchPair,
    BranchReadings,
    Curve,
    Curves,
    Pieces,
    choices,
    curves,
    labels_of,
    pairs_behind,
    read_branch_pairs,
)
from judging.strategies.branches.criterion_scores import merged
from lib.charts.dot_plots import DifferenceDot, differences
from lib.charts.line_chart import LineDot, ShareLine, by_number
from lib.charts.marks import fitted
from lib.charts.scatter import ScatterDot, ScatterWords, scatter
from lib.stats.figures import Figure


class CurveOptions(BoardOptions):
    """judge: its number; the first one by default. by: a division of the items."""

    judge: str = ""
    by: str = DIVISIONS[0]

    @field_validator("by")
    @classmethod
    def _known_division(cls, by: str) -> str:
        if by not in DIVISIONS:
            raise ValueError(by)
        return by


def judge_curves(project: Project, options: CurveOptions) -> Curves:
    return curves(project, options.by, given=read_branch_pairs(project))


def branches_page(curve_set: Curves, options: CurveOptions, member: Member) -> BoardPage:
    """Steadiness of judges that go through criteria, by number of criteria."""
    with_ties = [curve for curve in curve_set.all if curve.ties]
    if not with_ties:
        return BoardPage({"part": "curves"}, "branches/empty.html")
    judge = chosen_judge(options.judge, [curve.judge for curve in with_ties])
    judge_curve, *rest = [curve for curve in curve_set.all if curve.judge == judge]
    context: dict[str, Any] = {
        "part": "curves",
        "rows": [(curve, labels_of(curve.judge)) for curve in with_ties],
        "judge": judge,
        "own": judge_curve,
        "decided": rest[0] if rest else None,
        "chart": chart(judge_curve),
        "groups": [curve for curve in curve_set.groups if curve.judge == judge],
        "by": options.by,
        "labelled": curve_set.labelled,
        "left_out": sum(sum(reasons.values()) for reasons in curve_set.left_out.values()),
    }
    return BoardPage(context)


def chart(curve: Curve) -> SafeString:
    names = (("consistency", _("Consistency")), ("agreement", _("Agreement")), ("accuracy", _("Accuracy, first order")))
    lines = [
        ShareLine(name, [_dot(point.branches, getattr(point.orders, figure)) for point in curve.points])
        for figure, name in names
        if getattr(curve.last.orders, figure).value is not None
    ]
    label = _("%(judge)s by number of criteria") % {"judge": curve.judge}
    return fitted(lambda wide: by_number(lines, label=label, below=_("criteria"), wide=wide))


def _dot(number: int, figure: Figure) -> LineDot:
    return LineDot(
        number, *(None if share is None else 100 * share for share in (figure.value, figure.low, figure.high))
    )


MOST = 100  # clusters on a page; rarer ones stand in the report


def branch_criteria(request: HttpRequest, member: Member) -> HttpResponse:
    """Criteria that decide and criteria that never do: ?of= a judge, or the trees that people have accepted."""
    sources = criteria(member.project)
    if not sources:
        return project_page(request, member, "branches/empty.html", {"part": "criteria"}, tab="branches")
    source_key = request.GET.get("of", "")
    source = (
        next((candidate for candidate in sources if candidate.key == source_key), None) if source_key else sources[0]
    )
    if source is None:
        raise Http404
    context: dict[str, Any] = {
        "part": "criteria",
        "figures": FIGURE_TOOLS,
        "sources": sources,
        "found": source,
        "clusters": source.clusters[:MOST],
        "more": max(len(source.clusters) - MOST, 0),
        "never": source.never,
        "few": FEW,
    }
    return project_page(request, member, "branches/criteria.html", context, tab="branches")


def branch_systems(request: HttpRequest, member: Member) -> HttpResponse:
    """Authors by mean single score, each ranking in a column: the chart compares ?left= with ?right=."""
    system_rankings = systems(member.project)
    left, right = _compared_rankings(request, system_rankings.rankings)
    context: dict[str, Any] = {
        "part": "systems",
        "figures": FIGURE_TOOLS,
        "found": system_rankings,
        "lines": _lines(system_rankings.rankings),
        "sides": [("left", _("x axis"), left), ("right", _("y axis"), right)],
        "chart": _ranking_chart(left, right) if left and right else None,
    }
    return project_page(request, member, "branches/systems.html", context, tab="branches")


def _compared_rankings(
    request: HttpRequest, rankings: Sequence[SystemRanking]
) -> tuple[SystemRanking | None, SystemRanking | None]:
    """The two rankings given by their index in the list; by default the first two."""
    ranking_by_index = {str(index): ranking for index, ranking in enumerate(rankings)}
    left = ranking_by_index.get(request.GET.get("left", "0")) or ranking_by_index.get("0")
    right = ranking_by_index.get(request.GET.get("right", "1")) or ranking_by_index.get("1")
    return left, right


def _lines(rankings: Sequence[SystemRanking]) -> list[tuple[str, list[tuple[int, System] | None]]]:
    """(author, what each ranking has of it), in the order of the first ranking that knows it."""
    placed = [{system.author: (rank, system) for rank, system in enumerate(ranking.systems, 1)} for ranking in rankings]
    authors = list(dict.fromkeys(system.author for ranking in rankings for system in ranking.systems))
    return [(author, [by_author.get(author) for by_author in placed]) for author in authors]


def _ranking_chart(left: SystemRanking, right: SystemRanking) -> SafeString | None:
    """None where fewer than two authors are on both sides."""
    left_means, right_means = left.means(), right.means()
    dots = [
        ScatterDot(name, 100 * left_means[name], 100 * right_means[name]) for name in left_means if name in right_means
    ]
    if len(dots) < 2:
        return None
    label = _("Mean score per model: %(left)s vs. %(right)s") % {"left": left.name, "right": right.name}
    words = ScatterWords(label, ranking_name(left.name), ranking_name(right.name))
    return fitted(lambda size: scatter(dots, words, size=size), square=True)


SIGNS = {"better": 1, "same": 0, "worse": -1}


def branch_gain(request: HttpRequest, member: Member) -> HttpResponse:
    """The gain of corrections according to each judge, author by author."""
    gains = gain(member.project)
    context: dict[str, Any] = {
        "part": "gain",
        "figures": FIGURE_TOOLS,
        "found": gains,
        "chart": _gain_chart(gains.rows),
    }
    return project_page(request, member, "branches/gain.html", context, tab="branches")


def _gain_chart(rows: Sequence[GainRow]) -> SafeString | None:
    bars = [
        DifferenceDot(f"{row.author} · {row.judge.name}", row.gain.value, row.gain.low, row.gain.high)
        for row in rows
        if row.gain.value is not None
    ]
    if not bars:
        return None
    label = _("Gain from corrections by model and judge; intervals: 95 %")
    return fitted(lambda wide: differences(bars, label=label, wide=wide))


def branch_corrections(request: HttpRequest, member: Member) -> HttpResponse:
    """The items behind one gain, each with what the correction changed: ?judge=, ?author= (whose corrections)."""
    rows = gain(member.project).rows
    row_key = (request.GET.get("judge", ""), request.GET.get("author", ""))
    row = next((candidate for candidate in rows if (str(candidate.judge.pk), candidate.corrected) == row_key), None)
    if row is None:
        raise Http404
    which = request.GET.get("which", "")
    pairs = [both for both in row.pairs if which not in SIGNS or _sign(both) == SIGNS[which]]
    pairs = sorted(pairs, key=lambda both: (both.gain, both.item, both.sample))
    start = start_of(request)
    page_pairs = pairs[start : start + PAGE]
    answers = Answer.objects.in_bulk([pk for both in page_pairs for pk in both.answers])
    items = Item.objects.in_bulk([both.item for both in page_pairs])
    opened = [
        (items[both.item], both, *(answers[pk] for pk in both.answers)) for both in page_pairs if both.item in items
    ]
    context: dict[str, Any] = {
        "part": "gain",
        "row": row,
        "opened": opened,
        "total": len(pairs),
        "which": which if which in SIGNS else "",
        "before": max(start - PAGE, 0) if start else None,
        "after": start + PAGE if start + PAGE < len(pairs) else None,
        "address": address_without(request, "start"),
        "address_of_all": address_without(request, "start", "which"),
    }
    return project_page(request, member, "branches/corrections.html", context, tab="branches")


def _sign(both: Both) -> int:
    return (both.gain > 0) - (both.gain < 0)


WHICH = ("yes", "no")


@dataclass(frozen=True)
class OpenedPair:
    """One pair with its item and answers. orders: (pieces, sums) of each order that the judge was asked in."""

    item: Item
    pair: BranchPair
    counts: bool
    said: Any
    names: Sequence[str]
    orders: Sequence[tuple[Pieces, Any]]


def branch_pairs(request: HttpRequest, member: Member) -> HttpResponse:
    """The pairs behind one number: ?judge=, ?of= a share and ?n= criteria, or ?place= or ?cluster= of criteria."""
    reading = read_branch_pairs(member.project)
    judges = [scores.judge for scores in reading.judges if scores.pairs]
    if not judges:
        raise Http404
    judge = chosen_judge(request.GET.get("judge", ""), judges)
    (judge_scores,) = [scores for scores in reading.judges if scores.judge == judge]
    number = number_of(request, judge_scores.branches)
    about, pairs = _about(request, member.project, reading, judge.pk, number)
    which = request.GET.get("which", "")
    listed_pairs = [row for row in pairs if which not in WHICH or row[1] == (which == "yes")]
    start = start_of(request)
    context: dict[str, Any] = {
        "part": "criteria" if about[0] in ("place", "cluster") else "curves",
        "judge": judge,
        "of": about[0],
        "called": about[1],
        "number": number,
        "opened": _opened(listed_pairs[start : start + PAGE], number),
        "total": len(listed_pairs),
        "which": which if which in WHICH else "",
        "before": max(start - PAGE, 0) if start else None,
        "after": start + PAGE if start + PAGE < len(listed_pairs) else None,
        "address": address_without(request, "start"),
        "address_of_all": address_without(request, "start", "which"),
    }
    return project_page(request, member, "branches/pairs.html", context, tab="branches")


PairsBehind = tuple[tuple[str, str], list[tuple[BranchPair, bool]]]


def _about(request: HttpRequest, project: Project, reading: BranchReadings, judge: int, number: int) -> PairsBehind:
    query = request.GET
    for word in ("place", "cluster"):
        if word in query:
            return (word, ""), _of_criterion(project, reading, judge, word, query[word])
    figure = query.get("of", "consistency")
    if figure not in COUNTS:
        raise Http404
    by, group = query.get("by", ""), query.get("group")
    curve_set = curves(project, by if by in DIVISIONS and group is not None else "", given=reading)
    ties = query.get("ties") != "no"
    among: Sequence[Curve] = curve_set.groups if group is not None and by in DIVISIONS else curve_set.all
    judge_curves = [curve for curve in among if curve.judge.pk == judge and curve.ties == ties and curve.group == group]
    if not judge_curves:
        raise Http404
    return (figure, group or ""), pairs_behind(judge_curves[0].pairs, figure, number)


def _of_criterion(
    project: Project, reading: BranchReadings, judge: int, word: str, key: str
) -> list[tuple[BranchPair, bool]]:
    """The pairs in which this criterion was asked about, each with whether the verdict hangs on it in any order."""
    judge_criteria: SourceCriteria | None = next(
        (candidate for candidate in criteria(project, given=reading, trees=False) if candidate.key == str(judge)), None
    )
    if judge_criteria is None:
        raise Http404
    decides: dict[int, bool] = {}
    for criterion, cluster in zip(judge_criteria.judged, judge_criteria.cluster_of, strict=True):
        if str(criterion.place if word == "place" else cluster) == key:
            decides[criterion.source] = decides.get(criterion.source, False) or criterion.decides
    (judge_scores,) = [scores for scores in reading.judges if scores.judge.pk == judge]
    pairs = [pair for pair in judge_scores.pairs if set(pair.sources) & decides.keys()]
    return [(pair, any(decides.get(source, False) for source in pair.sources)) for pair in pairs]


def _opened(pairs: Sequence[tuple[BranchPair, bool]], number: int) -> list[OpenedPair]:
    """Two queries."""
    items = Item.objects.in_bulk([pair.item for pair, _counts in pairs])
    answer_pks = [pk for pair, _counts in pairs for pk in pair.unit.answers]
    names = dict(Answer.objects.filter(pk__in=answer_pks).values_list("pk", "author__name"))
    return [
        OpenedPair(
            items[pair.item],
            pair,
            counts,
            choices(pair, number),
            [names.get(pk, "") for pk in pair.unit.answers],
            [(order[:number], merged(order, number)) for order in (pair.straight, pair.swapped) if order is not None],
        )
        for pair, counts in pairs
        if pair.item in items
    ]
