import math
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotate.models import Member
from annotate.views.pages import project_page
from judging.services.beginning import begun
from judging.services.boards import readings
from judging.services.intents.reading import ALL, criteria, has_intents, read
from judging.services.intents.satisfaction import satisfied, satisfied_all
from judging.services.intents.tables import SIDES, by_intent, by_side, intents, languages
from judging.services.remembering import remembered
from judging.services.reported_cases.people import People, people
from judging.services.scores import Scores
from judging.views.answers.access import judging_member
from judging.views.intents.tables import by_language, lines
from judging.views.leaderboard.asked import asked
from lib.stats.figures import Figure
from lib.stats.folding import FEWEST
from lib.stats.intents import criteria_correlations


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
    satisfaction, surveyed = _satisfaction(request, named), people(member.project)
    chosen = request.GET.get("criteria", "")
    chosen = chosen if chosen in (ALL, *named) else next(iter(named), ALL)
    axes, correlations = remembered(
        f"criteria:{_key(chosen)}", reading.state, lambda: _correlated(reading.scores, chosen)
    )
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
        "criteria_of": chosen,
        "correlations": list(zip(axes, correlations, strict=True)),
        "satisfaction": [(intent, satisfaction.get(intent)) for intent in named],
        "by_hand": bool(satisfaction),
        "surveyed": _surveyed(surveyed, named),
        "people": surveyed,
        "fewest": FEWEST,
        "satisfied": satisfied(rows, named, satisfaction or surveyed.means),
        "satisfied_all": satisfied_all(rows, named, satisfaction or surveyed.means),
        "items_address": f"{reverse('leaderboard_items', args=[slug])}?judge={wanted.judge.pk}",
    }
    return project_page(request, member, "intents/intents.html", context, tab="judging")


def _key(intent: str) -> str:
    """An intent of a project's own may be any words, which a cache may not take as they are."""
    return sha256(intent.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _correlated(given: Scores, intent: str) -> tuple[Sequence[str], list[list[Figure]]]:
    """(axes, their correlations) over the answers to cases of this intent, or to all."""
    found = criteria(given)
    shown = found if intent == ALL else found.of(intent)
    return shown.axes, criteria_correlations(shown.scores, shown.cases)


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


def _surveyed(found: People, named: Sequence[str]) -> list[tuple[str, int, float | None]]:
    """intent, how many rated it, their mean: None where they are so few that it would say what somebody said."""
    given = [(intent, len(found.satisfaction.get(intent, ()))) for intent in named]
    return [(intent, n, found.means[intent] if n >= FEWEST else None) for intent, n in given if n]
