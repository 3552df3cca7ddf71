"""One page of figures that prints well: the numbers of the dashboard with the same address, and what is behind."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotate.models import Member
from judging.services.one_page import command, ground
from judging.views.one_page.parts import Shown, agreement, leaderboard, trust

Part = Callable[[HttpRequest, str], tuple[Member, Shown]]
# What a page can be of -> its title, the report of the command line with the same numbers, how it is made.
PARTS: Mapping[str, tuple[Promise, Part]] = {
    "leaderboard": (_("Leaderboard"), leaderboard),
    "agreement": (_("Who agrees with whom?"), agreement),
    "trust": (_("May a judge stand in for people?"), trust),
}


@require_safe
@login_required
def one_page(request: HttpRequest, slug: str, of: str) -> HttpResponse:
    """The query is that of the dashboard."""
    title, part = PARTS[of]
    member, content = part(request, slug)
    stands_on = ground(member.project, content.judges)
    context: dict[str, Any] = {
        "project": member.project,
        "membership": member,
        "title": title,
        "of": of,
        "shown": content,
        "ground": stands_on,
        "recount": content.recounted(stands_on) if content.recounted else None,
        "command": command(member.project, of, content.options) if content.options is not None else "",
        "made_at": timezone.now(),
        "address": request.GET.urlencode(),
    }
    return render(request, "one_page/one_page.html", context | content.context)
