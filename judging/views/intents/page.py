import math
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotate.models import Member
from annotate.views.pages import project_page
from judging.metrics.figures import Figure
from judging.metrics.intents import against_satisfaction, criteria_correlations
from judging.services.beginning import begun
from judging.services.boards import readings
from judging.services.intents.reading import ALL, criteria, has_intents, read
from judging.services.intents.tables import SIDES, Row, by_intent, by_side, intents, languages, means
from judging.views.intents.tables import by_language, lines
from judging.views.leaderboard.asked import asked
from judging.views.leaderboard.page import judging_member


@require_safe
@login_required
def intents_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Means by what users wanted: ?judge=, ?language= one of the cases', ?satisfied-INTENT= as people reported it."""
    member = intents_member(request, slug)
    wanted = asked(request, member.project)
    if wanted.judge is None:
        context: dict[str, Any] = {"asked": wanted, "begun": begun(member.project)}
        return project_page(request, member, "intents/empty.html", context, tab="judging")
    (reading,) = readings(member.project, [wanted.judge])
    found = read(member.project, reading.scores)
    rows, named, spoken = by_intent(found.said), intents(found.said), languages(found.said)
    language = request.GET.get("language", ALL)
    language = language if language in spoken else ALL
    satisfaction = _satisfaction(request, named)
    axes, by_answer = criteria(reading.scores)
    context = {
        "asked": wanted,
        "found": found,
        "unread": sum(found.unread.values()),
        "columns": [ALL, *named],
        "lines": lines(rows, [ALL, *named], language),
        "language": language,
        "languages": spoken,
        "by_language": by_language(rows, [ALL, *spoken]),
        "language_columns": [ALL, *spoken],
        "sides": lines(by_side(found.said), SIDES, ALL),
        "side_columns": SIDES,
        "axes": axes,
        "correlations": list(zip(axes, criteria_correlations(by_answer), strict=True)),
        "satisfaction": [(intent, satisfaction.get(intent)) for intent in named],
        "satisfied": _satisfied(rows, named, satisfaction),
        "items_address": f"{reverse('leaderboard_items', args=[slug])}?judge={wanted.judge.pk}",
    }
    return project_page(request, member, "intents/intents.html", context, tab="judging")


def intents_member(request: HttpRequest, slug: str) -> Member:
    """Who may read what judges said; a project whose cases have no intents has no such page."""
    member = judging_member(request, slug)
    if not has_intents(member.project):
        raise Http404
    return member


def _satisfaction(request: HttpRequest, named: Sequence[str]) -> dict[str, float]:
    """intent -> what people reported, of those that are numbers."""
    given = {intent: _number(request.GET.get(f"satisfied-{intent}", "")) for intent in named}
    return {intent: value for intent, value in given.items() if value is not None}


def _number(typed: str) -> float | None:
    try:
        value = float(typed.replace(",", ".")) if len(typed) < 12 else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= 100 else None


def _satisfied(
    rows: Sequence[Row], named: Sequence[str], satisfaction: Mapping[str, float]
) -> list[tuple[str, Figure]]:
    """(author, correlation of its intents' means with people's satisfaction); nothing where nobody has given any."""
    if not satisfaction:
        return []
    by_group = {intent: means(rows, intent) for intent in named}
    authors = sorted({row.author for row in rows})
    return [(author, against_satisfaction(_of(author, by_group), satisfaction)) for author in authors]


def _of(author: str, by_group: Mapping[str, Mapping[str, float | None]]) -> dict[str, float]:
    given = {intent: found.get(author) for intent, found in by_group.items()}
    return {intent: value for intent, value in given.items() if value is not None}
