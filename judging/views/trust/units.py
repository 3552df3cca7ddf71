from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate.views.pages import project_page
from judging.services.comparing_raters.opening import PAGE, Number, page
from judging.services.trust.behind import units_of
from judging.services.trust.trusting import key, trust
from judging.views.agreement.access import agreement_member
from judging.views.agreement.page import tab_of
from judging.views.trust.asked import asked

MOST_DIGITS = 9


@require_safe
@login_required
def trust_units(request: HttpRequest, slug: str) -> HttpResponse:
    """The units behind one number, with what people and judges said and why: ?of= names the number, ?start= a place.

    Without a number: all units.
    """
    member = agreement_member(request, slug)
    told = asked(request, member)
    if told is None:
        raise Http404
    found = trust(member.project, told.found, told.judge, epsilon=told.epsilon, today=told.today)
    of, start = request.GET.get("of", ""), request.GET.get("start", "")
    if of and of not in found.behind:
        raise Http404
    units = units_of(told.found, found.behind[of] if of else list(told.found.said))
    judges = [one for one in told.found.judges if one.key == _judge_of(of, key(told.judge))]
    place = int(start) if start.isascii() and start.isdecimal() and len(start) <= MOST_DIGITS else 0
    opened = page(told.found, Number(raters=judges), units, start=place - place % PAGE)
    context = {"asked": told, "of": of, "sort": of.partition("-")[0], "page": opened}
    return project_page(request, member, "trust/units.html", context, tab=tab_of(member))


def _judge_of(of: str, chosen: str) -> str:
    """The judge that a number is about, by its key."""
    return next((word for word in of.split("-") if word[:1] == "j" and word[1:].isdecimal()), chosen)
