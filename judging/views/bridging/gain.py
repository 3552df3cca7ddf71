"""Before and after: a judge's own criteria against the recovered ones, and the pairs behind each number."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotate.models import Item
from annotate.views.pages import project_page
from judging.services.bridging import comparing
from judging.services.bridging.comparing import compared
from judging.views.blindspots.pairs import whole
from judging.views.bridging.access import bridging_member

PAGE = 50
FEW = 30  # pairs below which a gain says too little
WORDS: dict[str, str | Promise] = {
    comparing.GAINED: _("right only by recovered criteria"),
    comparing.LOST: _("right only by its own criteria"),
    comparing.BOTH: _("right both ways"),
    comparing.NEITHER: _("right neither way"),
    comparing.NO_LABEL: _("without people's label"),
    comparing.ONLY_BEFORE: _("judged by its own criteria only"),
    comparing.ONLY_AFTER: _("judged by recovered criteria only"),
    comparing.ONE_ORDER: _("judged in one order only"),
    comparing.UNREADABLE: _("not readable"),
    comparing.CHANGED: _("criteria have changed since"),
}


@require_safe
@login_required
def bridging_gain(request: HttpRequest, slug: str) -> HttpResponse:
    member = bridging_member(request, slug)
    comparison = compared(member.project, by_set=True)
    rows = [
        {
            "row": row,
            "no": no,
            "outcomes": [(name, WORDS[name], len(row.items(name))) for name in comparing.OUTCOMES],
            "left_out": [(name, WORDS[name], len(row.items(name))) for name in comparing.LEFT_OUT if row.items(name)],
        }
        for no, row in enumerate(comparison.rows)
    ]
    context = {"found": comparison, "rows": rows, "few": FEW}
    return project_page(request, member, "bridging/gain.html", context, tab="judging")


@require_safe
@login_required
def bridging_gain_items(request: HttpRequest, slug: str) -> HttpResponse:
    """?row= the number of a row, from 0; ?which= what of it, all that count by default; ?start= where to begin."""
    member = bridging_member(request, slug)
    rows, no = compared(member.project, by_set=True).rows, whole(request.GET.get("row", ""))
    row, which = (rows[no] if no < len(rows) else None), request.GET.get("which", "")
    ids = row.items(which) if row else []
    start = min(whole(request.GET.get("start", "")), len(ids))
    items = Item.objects.defer("facts").in_bulk(ids[start : start + PAGE])
    context = {
        "row": row,
        "no": no,
        "which": which if which in WORDS else "",
        "words": WORDS.get(which, _("pairs that count")),
        "items": [items[pk] for pk in ids[start : start + PAGE] if pk in items],
        "total": len(ids),
        "before": max(start - PAGE, 0) if start else None,
        "after": start + PAGE if start + PAGE < len(ids) else None,
    }
    return project_page(request, member, "bridging/gain_items.html", context, tab="judging")
