from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate.models import Item, Project
from annotate.views.pages import project_page
from judging.models import Answer
from judging.services.branches.criteria import Criteria, criteria
from judging.services.branches.curves import COUNTS, DIVISIONS, Curve, behind, choices, curves
from judging.services.branches.reading import Pair, Pieces, Read, read
from judging.strategies.branches.merging import merged
from judging.views.branches.access import branches_member
from judging.views.branches.asked import PAGE, address_without, chosen, number_of, start_of

WHICH = ("yes", "no")


@dataclass(frozen=True)
class Opened:
    """One pair with its item and answers. orders: (pieces, sums) of each order that the judge was asked in."""

    item: Item
    pair: Pair
    counts: bool
    said: Any
    names: Sequence[str]
    orders: Sequence[tuple[Pieces, Any]]


@require_safe
@login_required
def branch_pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """The pairs behind one number: ?judge=, ?of= a share and ?n= criteria, or ?place= or ?cluster= of criteria."""
    member = branches_member(request, slug)
    reading = read(member.project)
    judges = [scores.judge for scores in reading.judges if scores.pairs]
    if not judges:
        raise Http404
    judge = chosen(request, judges)
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
    return project_page(request, member, "branches/pairs.html", context, tab="judging")


Told = tuple[tuple[str, str], list[tuple[Pair, bool]]]


def _about(request: HttpRequest, project: Project, reading: Read, judge: int, number: int) -> Told:
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
    return (figure, group or ""), behind(judge_curves[0].pairs, figure, number)


def _of_criterion(project: Project, reading: Read, judge: int, word: str, key: str) -> list[tuple[Pair, bool]]:
    """The pairs in which this criterion was asked about, each with whether the verdict hangs on it in any order."""
    judge_criteria: Criteria | None = next(
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


def _opened(pairs: Sequence[tuple[Pair, bool]], number: int) -> list[Opened]:
    """Two queries."""
    items = Item.objects.in_bulk([pair.item for pair, _counts in pairs])
    answers = {pk: _answers(pair) for pk, (pair, _counts) in enumerate(pairs)}
    names = dict(
        Answer.objects.filter(pk__in=[pk for both in answers.values() for pk in both]).values_list("pk", "author__name")
    )
    return [
        Opened(
            items[pair.item],
            pair,
            counts,
            choices(pair, number),
            [names.get(pk, "") for pk in answers[index]],
            [(order[:number], merged(order, number)) for order in (pair.straight, pair.swapped) if order is not None],
        )
        for index, (pair, counts) in enumerate(pairs)
        if pair.item in items
    ]


def _answers(pair: Pair) -> list[int]:
    """Of `pair/12/13`."""
    return [int(pk) for pk in pair.unit.split("/")[1:]]
