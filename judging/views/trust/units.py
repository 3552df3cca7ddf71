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
    query = asked(request, member)
    if query is None:
        raise Http404
    trust_figures = trust(member.project, query.found, query.judge, epsilon=query.epsilon, today=query.today)
    number_name, start = request.GET.get("of", ""), request.GET.get("start", "")
    if number_name and number_name not in trust_figures.behind:
        raise Http404
    units = units_of(query.found, trust_figures.behind[number_name] if number_name else list(query.found.said))
    judges = [judge for judge in query.found.judges if judge.key == _judge_of(number_name, key(query.judge))]
    position = int(start) if start.isascii() and start.isdecimal() and len(start) <= MOST_DIGITS else 0
    opened = page(query.found, Number(raters=judges), units, start=position - position % PAGE)
    context = {"asked": query, "of": number_name, "sort": number_name.partition("-")[0], "page": opened}
    return project_page(request, member, "trust/units.html", context, tab=tab_of(member))


def _judge_of(number_name: str, default: str) -> str:
    """The judge that a number is about, by its key."""
    return next((word for word in number_name.split("-") if word[:1] == "j" and word[1:].isdecimal()), default)
