from collections.abc import Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotate.models import Item
from annotate.views.pages import project_page
from judging.models import Answer
from judging.services.branches.gain import Both, Row, gain
from judging.views.branches.access import branches_member
from judging.views.branches.asked import PAGE, address_without, start_of
from lib.charts.differences import Difference, differences

WIDE, PHONE = 640, 340
SIGNS = {"better": 1, "same": 0, "worse": -1}


@require_safe
@login_required
def branch_gain(request: HttpRequest, slug: str) -> HttpResponse:
    """What corrections gained in the eyes of each judge, author by author."""
    member = branches_member(request, slug)
    found = gain(member.project)
    context: dict[str, Any] = {"part": "gain", "found": found, "chart": _charts(found.rows)}
    return project_page(request, member, "branches/gain.html", context, tab="judging")


def _charts(rows: Sequence[Row]) -> tuple[SafeString, SafeString] | None:
    drawn = [
        Difference(f"{row.author} · {row.judge.name}", row.gain.value, row.gain.low, row.gain.high)
        for row in rows
        if row.gain.value is not None
    ]
    if not drawn:
        return None
    label = _("Gain of corrections by author and judge; intervals of 95 %")
    return differences(drawn, label=label, wide=WIDE), differences(drawn, label=label, wide=PHONE)


@require_safe
@login_required
def branch_corrections(request: HttpRequest, slug: str) -> HttpResponse:
    """The items behind one gain, each with what the correction changed: ?judge=, ?author= (whose corrections)."""
    member = branches_member(request, slug)
    rows = gain(member.project).rows
    wanted = (request.GET.get("judge", ""), request.GET.get("author", ""))
    row = next((one for one in rows if (str(one.judge.pk), one.corrected) == wanted), None)
    if row is None:
        raise Http404
    which = request.GET.get("which", "")
    chosen = [both for both in row.pairs if which not in SIGNS or _sign(both) == SIGNS[which]]
    chosen = sorted(chosen, key=lambda both: (both.gain, both.item, both.sample))
    start = start_of(request)
    shown = chosen[start : start + PAGE]
    answers = Answer.objects.in_bulk([pk for both in shown for pk in both.answers])
    items = Item.objects.in_bulk([both.item for both in shown])
    opened = [(items[both.item], both, *(answers[pk] for pk in both.answers)) for both in shown if both.item in items]
    context: dict[str, Any] = {
        "part": "gain",
        "row": row,
        "opened": opened,
        "total": len(chosen),
        "which": which if which in SIGNS else "",
        "before": max(start - PAGE, 0) if start else None,
        "after": start + PAGE if start + PAGE < len(chosen) else None,
        "address": address_without(request, "start"),
        "address_of_all": address_without(request, "start", "which"),
    }
    return project_page(request, member, "branches/corrections.html", context, tab="judging")


def _sign(both: Both) -> int:
    return (both.gain > 0) - (both.gain < 0)
