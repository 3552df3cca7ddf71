from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotate.models import Member
from annotate.services.items.pages import ORDERS, Cursor
from annotate.services.items.pages import page as page_of
from annotate.views.pages import project_page
from judging.services.difficulty.applying import drawn, dropped_items
from judging.services.difficulty.finding import Difficulty, difficulty
from judging.services.difficulty.sources import sources
from judging.views.difficulty.asked import Asked, asked
from lib.charts.count_bars import Counted, count_bars

PHONE = 330
LOOKS = ("bar bar--soft", "bar")


def difficulty_page(
    request: HttpRequest, member: Member, query: Asked, finding: Difficulty | None, *, status: int = 200, **more: Any
) -> HttpResponse:
    """What would go, what it does to the balance, some to look at, and what is gone already."""
    order = ORDERS["first"]
    removed_items, seed = dropped_items(member.project), seed_asked(request.GET.get("look", ""))
    listed_items = removed_items if seed is None else drawn(removed_items, seed)
    context: dict[str, Any] = {
        "asked": query,
        "found": finding,
        "gone": page_of(listed_items, order=order, after=Cursor.read(request.GET.get("after", ""), order)),
        "gone_count": removed_items.count(),
        "gone_seed": seed,
        "next_look": 0 if seed is None else seed + 1,
    }
    if finding is not None:
        context |= {
            "sample": finding.sample(query.seed),
            "next_seed": query.seed + 1,
            "charts": _charts(finding),
            "expected": expected(finding),
        }
    return project_page(request, member, "difficulty/difficulty.html", context | more, tab="judging", status=status)


def seed_asked(text: str) -> int | None:
    """By which some of the dropped are drawn; None where all are listed."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def look(member: Member, data: Any) -> tuple[Asked, Difficulty | None]:
    """What was asked for, weighed if it says enough."""
    query = asked(data, sources(member.project))
    if query.source is None or not query.complete:
        return query, None
    return query, difficulty(member.project, query.source, **query.settings)


def expected(finding: Difficulty) -> str:
    """What somebody agreed to when they saw the page: as many items, up to this one."""
    dropped = finding.dropped
    return f"{len(dropped)}-{sum(item.base_id for item in dropped)}"


def _charts(finding: Difficulty) -> tuple[SafeString, SafeString]:
    rows = [Counted(row.task, (row.before, row.after)) for row in finding.balance]
    label = _("Items of each task before and after")
    draw: Callable[[int], SafeString] = lambda wide: count_bars(rows, label=label, looks=LOOKS, wide=wide)  # noqa: E731 - drawn twice
    return draw(620), draw(PHONE)
