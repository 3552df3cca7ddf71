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
    query = asked(request, member.project)
    if query.judge is None:
        context: dict[str, Any] = {"asked": query, "begun": begun(member.project)}
        return project_page(request, member, "intents/empty.html", context, tab="judging")
    (reading,) = readings(member.project, [query.judge])
    case_scores = read(member.project, reading.scores)
    rows, intent_names, spoken = by_intent(case_scores.said), intents(case_scores.said), languages(case_scores.said)
    language = request.GET.get("language", ALL)
    language = language if language in spoken else ALL
    satisfaction, surveyed = _satisfaction(request, intent_names), people(member.project)
    criteria_intent = request.GET.get("criteria", "")
    criteria_intent = criteria_intent if criteria_intent in (ALL, *intent_names) else next(iter(intent_names), ALL)
    axes, correlations = remembered(
        f"criteria:{_key(criteria_intent)}", reading.state, lambda: _correlated(reading.scores, criteria_intent)
    )
    context = {
        "asked": query,
        "found": case_scores,
        "unread": sum(case_scores.unread.values()),
        "columns": [ALL, *intent_names],
        "lines": lines(rows, [ALL, *intent_names], language),
        "language": language,
        "languages": spoken,
        "by_language": by_language(rows, [ALL, *spoken]),
        "language_columns": [ALL, *spoken],
        "sides": lines(by_side(case_scores.said), SIDES, ALL),
        "side_columns": SIDES,
        "axes": axes,
        "criteria_of": criteria_intent,
        "correlations": list(zip(axes, correlations, strict=True)),
        "satisfaction": [(intent, satisfaction.get(intent)) for intent in intent_names],
        "by_hand": bool(satisfaction),
        "surveyed": _surveyed(surveyed, intent_names),
        "people": surveyed,
        "fewest": FEWEST,
        "satisfied": satisfied(rows, intent_names, satisfaction or surveyed.means),
        "satisfied_all": satisfied_all(rows, intent_names, satisfaction or surveyed.means),
        "items_address": f"{reverse('leaderboard_items', args=[slug])}?judge={query.judge.pk}",
    }
    return project_page(request, member, "intents/intents.html", context, tab="judging")


def _key(intent: str) -> str:
    """An intent of a project's own may be any words, which a cache may not take as they are."""
    return sha256(intent.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _correlated(scores: Scores, intent: str) -> tuple[Sequence[str], list[list[Figure]]]:
    """(axes, their correlations) over the answers to cases of this intent, or to all."""
    all_criteria = criteria(scores)
    intent_criteria = all_criteria if intent == ALL else all_criteria.of(intent)
    return intent_criteria.axes, criteria_correlations(intent_criteria.scores, intent_criteria.cases)


def intents_member(request: HttpRequest, slug: str) -> Member:
    """Who may read what judges said; a project whose cases have no intents has no such page."""
    member = judging_member(request, slug)
    if not has_intents(member.project):
        raise Http404
    return member


def _satisfaction(request: HttpRequest, intent_names: Sequence[str]) -> dict[str, float]:
    """intent -> what people reported, of those that are numbers."""
    numbers = {intent: _number(request.GET.get(f"satisfied-{intent}", "")) for intent in intent_names}
    return {intent: value for intent, value in numbers.items() if value is not None}


def _number(typed: str) -> float | None:
    try:
        value = float(typed.replace(",", ".")) if len(typed) < 12 else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= 100 else None


def _surveyed(survey: People, intent_names: Sequence[str]) -> list[tuple[str, int, float | None]]:
    """intent, how many rated it, their mean: None where they are so few that it would say what somebody said."""
    counts = [(intent, len(survey.satisfaction.get(intent, ()))) for intent in intent_names]
    return [(intent, n, survey.means[intent] if n >= FEWEST else None) for intent, n in counts if n]
