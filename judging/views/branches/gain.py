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
    gains = gain(member.project)
    context: dict[str, Any] = {"part": "gain", "found": gains, "chart": _charts(gains.rows)}
    return project_page(request, member, "branches/gain.html", context, tab="judging")


def _charts(rows: Sequence[Row]) -> tuple[SafeString, SafeString] | None:
    bars = [
        Difference(f"{row.author} · {row.judge.name}", row.gain.value, row.gain.low, row.gain.high)
        for row in rows
        if row.gain.value is not None
    ]
    if not bars:
        return None
    label = _("Gain of corrections by author and judge; intervals of 95 %")
    return differences(bars, label=label, wide=WIDE), differences(bars, label=label, wide=PHONE)


@require_safe
@login_required
def branch_corrections(request: HttpRequest, slug: str) -> HttpResponse:
    """The items behind one gain, each with what the correction changed: ?judge=, ?author= (whose corrections)."""
    member = branches_member(request, slug)
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
    return project_page(request, member, "branches/corrections.html", context, tab="judging")


def _sign(both: Both) -> int:
    return (both.gain > 0) - (both.gain < 0)
