from collections.abc import Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotate.views.pages import project_page
from judging.services.branches.curves import DIVISIONS, Curve, curves, labels_of
from judging.services.branches.reading import read
from judging.views.branches.access import branches_member
from judging.views.branches.asked import chosen
from lib.charts.by_number import Dot, Line, by_number
from lib.stats.figures import Figure

WIDE, PHONE = 640, 340


@require_safe
@login_required
def branches_page(request: HttpRequest, slug: str) -> HttpResponse:
    """How steady judges are that go through criteria, by how many: ?judge=, ?by= group or language."""
    member = branches_member(request, slug)
    by = request.GET.get("by", "")
    by = by if by in DIVISIONS else DIVISIONS[0]
    curve_set = curves(member.project, by, given=read(member.project))
    with_ties = [curve for curve in curve_set.all if curve.ties]
    if not with_ties:
        return project_page(request, member, "branches/empty.html", {"part": "curves"}, tab="judging")
    judge = chosen(request, [curve.judge for curve in with_ties])
    judge_curve, *rest = [curve for curve in curve_set.all if curve.judge == judge]
    context: dict[str, Any] = {
        "part": "curves",
        "rows": [(curve, labels_of(curve.judge)) for curve in with_ties],
        "judge": judge,
        "own": judge_curve,
        "decided": rest[0] if rest else None,
        "chart": charts(judge_curve),
        "groups": [curve for curve in curve_set.groups if curve.judge == judge],
        "by": by,
        "labelled": curve_set.labelled,
        "left_out": sum(sum(reasons.values()) for reasons in curve_set.left_out.values()),
    }
    return project_page(request, member, "branches/curves.html", context, tab="judging")


def charts(curve: Curve) -> tuple[SafeString, SafeString]:
    """For wide and for narrow screens."""
    names = (("consistency", _("Consistency")), ("agreement", _("Agreement")), ("accuracy", _("First order right")))
    lines = [
        Line(name, [_dot(point.branches, getattr(point.orders, figure)) for point in curve.points])
        for figure, name in names
        if getattr(curve.last.orders, figure).value is not None
    ]
    label = _("%(judge)s by the number of criteria") % {"judge": curve.judge}
    return _drawn(lines, label, WIDE), _drawn(lines, label, PHONE)


def _drawn(lines: Sequence[Line], label: str, wide: int) -> SafeString:
    return by_number(lines, label=label, below=_("criteria"), wide=wide)


def _dot(number: int, figure: Figure) -> Dot:
    return Dot(number, *(None if share is None else 100 * share for share in (figure.value, figure.low, figure.high)))
