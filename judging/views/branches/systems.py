from collections.abc import Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotate.views.pages import project_page
from judging.services.branches.systems import Ranking, System, systems
from judging.templatetags.branches import ranking_name
from judging.views.branches.access import branches_member
from lib.charts.scatter import Dot, Words, scatter

WIDE, PHONE = 480, 330


@require_safe
@login_required
def branch_systems(request: HttpRequest, slug: str) -> HttpResponse:
    """Authors by their mean single score, each ranking in a column: ?left=, ?right= are drawn against each other."""
    member = branches_member(request, slug)
    system_rankings = systems(member.project)
    left, right = _drawn(request, system_rankings.rankings)
    context: dict[str, Any] = {
        "part": "systems",
        "found": system_rankings,
        "lines": _lines(system_rankings.rankings),
        "sides": [("left", _("across"), left), ("right", _("up"), right)],
        "chart": _charts(left, right) if left and right else None,
    }
    return project_page(request, member, "branches/systems.html", context, tab="judging")


def _drawn(request: HttpRequest, rankings: Sequence[Ranking]) -> tuple[Ranking | None, Ranking | None]:
    """By their places in the list; the first two where nothing else is said."""
    ranking_by_index = {str(index): ranking for index, ranking in enumerate(rankings)}
    left = ranking_by_index.get(request.GET.get("left", "0")) or ranking_by_index.get("0")
    right = ranking_by_index.get(request.GET.get("right", "1")) or ranking_by_index.get("1")
    return left, right


def _lines(rankings: Sequence[Ranking]) -> list[tuple[str, list[tuple[int, System] | None]]]:
    """(author, what each ranking has of it), in the order of the first ranking that knows it."""
    placed = [{system.author: (rank, system) for rank, system in enumerate(ranking.systems, 1)} for ranking in rankings]
    authors = list(dict.fromkeys(system.author for ranking in rankings for system in ranking.systems))
    return [(author, [by_author.get(author) for by_author in placed]) for author in authors]


def _charts(left: Ranking, right: Ranking) -> tuple[SafeString, SafeString] | None:
    """For wide and for narrow screens; None where fewer than two authors are on both sides."""
    left_means, right_means = left.means(), right.means()
    dots = [Dot(name, 100 * left_means[name], 100 * right_means[name]) for name in left_means if name in right_means]
    if len(dots) < 2:
        return None
    label = _("Means of authors: %(left)s against %(right)s") % {"left": left.name, "right": right.name}
    words = Words(label, ranking_name(left.name), ranking_name(right.name))
    return scatter(dots, words, size=WIDE), scatter(dots, words, size=PHONE)
