from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotate.views.pages import project_page
from judging.models import Judge
from judging.services.trust.trusting import EPSILONS, Trust, key, trust
from judging.views.agreement.access import agreement_member
from judging.views.agreement.page import tab_of
from judging.views.trust.asked import Asked, asked
from lib.charts.scatter import Dot, Words, scatter
from lib.stats.calibration import Calibration

FEW = 20
WIDE, PHONE = 480, 330


@require_safe
@login_required
def trust_page(request: HttpRequest, slug: str) -> HttpResponse:
    """What a lead decides by whether a judge may stand in for people: ?about=, ?judge=, ?epsilon=."""
    member = agreement_member(request, slug)
    told = asked(request, member)
    if told is None:
        return project_page(request, member, "trust/empty.html", {}, tab=tab_of(member))
    found = trust(member.project, told.found, told.judge, epsilon=told.epsilon, today=told.today)
    context = {"asked": told, "epsilons": EPSILONS, **shown(told, found)}
    return project_page(request, member, "trust/trust.html", context, tab=tab_of(member))


def shown(told: Asked, found: Trust) -> dict[str, Any]:
    """What the page and its print show of the numbers."""
    own = next(each for each in found.tests if each.judge.key == key(told.judge))
    return {
        "found": found,
        "few": FEW,
        "own": own,
        "advantages": list(zip(own.raters, own.result.people, strict=True)),
        "numbers": {author: number for number, author in enumerate(sorted(row.author for row in found.corrected))},
        "bins": [(f"bin-{at}", each) for at, each in enumerate(found.calibrated.bins) if each.score is not None],
        "chart": _chart(found.calibrated, told.judge),
        "columns": found.columns[:-1],
    }


def _chart(found: Calibration, judge: Judge) -> tuple[SafeString, SafeString] | None:
    """Score against people's rate, for wide and for narrow screens; None below two bins."""
    dots = [
        Dot(
            str(each.rate.n),
            100 * each.score,
            100 * each.rate.value,
            y_interval=_interval(each.rate.low, each.rate.high),
        )
        for each in found.bins
        if each.score is not None and each.rate.value is not None
    ]
    if len(dots) < 2:
        return None
    label = _("Scores of %(judge)s against people's rate") % {"judge": judge}
    words = Words(label, _("the judge's score"), _("people's rate"), _("too severe"), _("too kind"))
    return scatter(dots, words, size=WIDE), scatter(dots, words, size=PHONE)


def _interval(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (100 * low, 100 * high)
