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
    request: HttpRequest, member: Member, wanted: Asked, found: Difficulty | None, *, status: int = 200, **more: Any
) -> HttpResponse:
    """What would go, what it does to the balance, some to look at, and what is gone already."""
    order = ORDERS["first"]
    gone, seed = dropped_items(member.project), seed_asked(request.GET.get("look", ""))
    shown = gone if seed is None else drawn(gone, seed)
    context: dict[str, Any] = {
        "asked": wanted,
        "found": found,
        "gone": page_of(shown, order=order, after=Cursor.read(request.GET.get("after", ""), order)),
        "gone_count": gone.count(),
        "gone_seed": seed,
        "next_look": 0 if seed is None else seed + 1,
    }
    if found is not None:
        context |= {
            "sample": found.sample(wanted.seed),
            "next_seed": wanted.seed + 1,
            "charts": _charts(found),
            "expected": expected(found),
        }
    return project_page(request, member, "difficulty/difficulty.html", context | more, tab="judging", status=status)


def seed_asked(text: str) -> int | None:
    """By which some of the dropped are drawn; None where all are listed."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def look(member: Member, data: Any) -> tuple[Asked, Difficulty | None]:
    """What was asked for, weighed if it says enough."""
    wanted = asked(data, sources(member.project))
    if wanted.source is None or not wanted.complete:
        return wanted, None
    return wanted, difficulty(member.project, wanted.source, **wanted.settings)


def expected(found: Difficulty) -> str:
    """What somebody agreed to when they saw the page: as many items, up to this one."""
    dropped = found.dropped
    return f"{len(dropped)}-{sum(item.base_id for item in dropped)}"


def _charts(found: Difficulty) -> tuple[SafeString, SafeString]:
    rows = [Counted(each.task, (each.before, each.after)) for each in found.balance]
    label = _("Items of each task before and after")
    draw: Callable[[int], SafeString] = lambda wide: count_bars(rows, label=label, looks=LOOKS, wide=wide)  # noqa: E731 - drawn twice
    return draw(620), draw(PHONE)
