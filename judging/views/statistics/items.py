from typing import Any

import numpy as np
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate.models import Item
from annotate.views.pages import project_page
from judging.services.statistics.counting import with_label, with_length
from judging.services.statistics.reading import Table, table
from judging.views.answers.access import judging_member
from judging.views.statistics.page import state_asked, unit_asked
from lib.stats.lengths import Whole

PAGE = 50


@require_safe
@login_required
def statistics_items(request: HttpRequest, slug: str) -> HttpResponse:
    """The items behind one bar, page by page: ?of= a label with its value, or a text with low and high."""
    member = judging_member(request, slug)
    item_table = table(member.project)
    ids = _behind(request, item_table)
    context: dict[str, Any] = _page(request, ids) | _said(request) | {"table": item_table, "count": int(ids.size)}
    return project_page(request, member, "statistics/items.html", context, tab="judging")


def _behind(request: HttpRequest, item_table: Table) -> Whole:
    part, state = request.GET.get("of", ""), state_asked(request)
    if "value" in request.GET:
        return with_label(item_table, part, request.GET["value"], state)
    return with_length(
        item_table, part, unit_asked(request), number(request, "low") or 0, number(request, "high"), state
    )


def _page(request: HttpRequest, ids: Whole) -> dict[str, Any]:
    """By id, so that a page begins where it should although other items came or went."""
    after, before = number(request, "after"), number(request, "before")
    start = 0
    if before is not None:
        start = max(int(np.searchsorted(ids, before)) - PAGE, 0)
    elif after is not None:
        start = int(np.searchsorted(ids, after, side="right"))
    page_ids = [int(pk) for pk in ids[start : start + PAGE]]
    items_by_id = Item.objects.defer("facts").in_bulk(page_ids)
    return {
        "items": [items_by_id[pk] for pk in page_ids if pk in items_by_id],
        "before": page_ids[0] if page_ids and start else None,
        "after": page_ids[-1] if page_ids and start + PAGE < ids.size else None,
    }


def _said(request: HttpRequest) -> dict[str, Any]:
    query = request.GET.copy()
    for name in ("after", "before"):
        query.pop(name, None)
    parameters = {name: request.GET.get(name) for name in ("of", "value")}
    ends = {name: number(request, name) for name in ("low", "high")}
    return {
        **parameters,
        **ends,
        "unit": unit_asked(request),
        "state": state_asked(request),
        "address": query.urlencode(),
    }


def number(request: HttpRequest, name: str) -> int | None:
    """A whole number of the address; None where there is none."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None
