from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate.models import Project
from annotate.views.pages import project_page
from judging.models import Judge
from judging.services.blindspots.cells import sighted
from judging.services.blindspots.pairs import MISSED, behind, page
from judging.views.blindspots.access import blind_spots_member
from judging.views.blindspots.naming import Names
from lib.stats.blindspots import SHAPES, UNPARSED

FILTERS = ("ability", "category", "outcome")


@require_safe
@login_required
def blindspot_pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """The pairs behind one cell: both texts, their difference, and what the judge said."""
    member = blind_spots_member(request, slug)
    judge, shape = _column(request, member.project)
    filters = {name: request.GET.get(name, "") for name in FILTERS}
    pairs = behind(sighted(member.project, judge), shape=shape, **filters)
    names = Names(member.project)
    context: dict[str, Any] = {
        "judge": judge,
        "shape": shape,
        "wanted": filters,
        "outcomes": [MISSED, *SHAPES[shape].outcomes, UNPARSED],
        "category": names.category(filters["category"]) if filters["category"] else "",
        "ability": names.ability((filters["ability"], filters["category"])) if filters["ability"] else "",
        "page": page(pairs, after=_number(request, "after"), before=_number(request, "before")),
        "address": _address(request),
    }
    return project_page(request, member, "blindspots/pairs.html", context, tab="judging")


def _column(request: HttpRequest, project: Project) -> tuple[Judge, str]:
    """Judge and way of asking of an address such as `12-pairwise`."""
    number, _dash, shape = request.GET.get("column", "").partition("-")
    judge = Judge.objects.filter(project=project, pk=whole(number)).first()
    if judge is None or shape not in SHAPES:
        raise Http404
    return judge, shape


def _number(request: HttpRequest, name: str) -> int:
    return whole(request.GET.get(name, ""))


def whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else 0


def _address(request: HttpRequest) -> str:
    query = request.GET.copy()
    for name in ("after", "before"):
        query.pop(name, None)
    return query.urlencode()
