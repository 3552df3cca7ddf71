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
    query = asked(request, member)
    if query is None:
        return project_page(request, member, "trust/empty.html", {}, tab=tab_of(member))
    trust_figures = trust(member.project, query.found, query.judge, epsilon=query.epsilon, today=query.today)
    context = {"asked": query, "epsilons": EPSILONS, **shown(query, trust_figures)}
    return project_page(request, member, "trust/trust.html", context, tab=tab_of(member))


def shown(query: Asked, trust_figures: Trust) -> dict[str, Any]:
    """What the page and its print show of the numbers."""
    judge_test = next(test for test in trust_figures.tests if test.judge.key == key(query.judge))
    return {
        "found": trust_figures,
        "few": FEW,
        "own": judge_test,
        "advantages": list(zip(judge_test.raters, judge_test.result.people, strict=True)),
        "numbers": {
            author: number for number, author in enumerate(sorted(row.author for row in trust_figures.corrected))
        },
        "bins": [
            (f"bin-{index}", score_bin)
            for index, score_bin in enumerate(trust_figures.calibrated.bins)
            if score_bin.score is not None
        ],
        "chart": _chart(trust_figures.calibrated, query.judge),
        "columns": trust_figures.columns[:-1],
    }


def _chart(calibration: Calibration, judge: Judge) -> tuple[SafeString, SafeString] | None:
    """Score against people's rate, for wide and for narrow screens; None below two bins."""
    dots = [
        Dot(
            str(score_bin.rate.n),
            100 * score_bin.score,
            100 * score_bin.rate.value,
            y_interval=_interval(score_bin.rate.low, score_bin.rate.high),
        )
        for score_bin in calibration.bins
        if score_bin.score is not None and score_bin.rate.value is not None
    ]
    if len(dots) < 2:
        return None
    label = _("Scores of %(judge)s against people's rate") % {"judge": judge}
    words = Words(label, _("the judge's score"), _("people's rate"), _("too severe"), _("too kind"))
    return scatter(dots, words, size=WIDE), scatter(dots, words, size=PHONE)


def _interval(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (100 * low, 100 * high)
