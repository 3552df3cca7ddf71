"""The anchoring meter, for those who lead and those who look on; whoever answers is better off without it."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotate.services.anchoring import Meter, Pair, anchoring
from annotate.services.anchoring.behind import PAGE, behind
from annotate.services.anchoring.texts import ARMS, READ_AT_MOST, WhyNot
from annotate.services.guidelines.names import field_labels
from annotate.views.access import membership
from annotate.views.pages import project_page
from lib.charts import marks as charts

ON_LOOKERS = ("lead", "viewer")
KEPT = {"yes": True, "no": False}


class BehindForm(forms.Form):
    """Which number is opened."""

    field = forms.CharField(max_length=80)
    arm = forms.ChoiceField(choices=[(arm, arm) for arm in ARMS])
    kept = forms.ChoiceField(choices=[("", ""), *((name, name) for name in KEPT)], required=False)
    label = forms.CharField(max_length=400, required=False, strip=False)
    start = forms.IntegerField(min_value=0, max_value=READ_AT_MOST, required=False)


@login_required
def anchoring_page(request: HttpRequest, slug: str) -> HttpResponse:
    member = membership(request, slug, ON_LOOKERS)
    report = anchoring(member.project)
    context = {
        "found": report,
        "rows": [_drawn(meter) for meter in report.meters],
        "left_out": [(WhyNot(reason).label, n) for reason, n in report.left_out.items()],
        "most": READ_AT_MOST,
        "share": 100 * member.project.blind_share,
    }
    return project_page(request, member, "anchoring/anchoring.html", context, tab="overview")


def _drawn(meter: Meter) -> dict[str, Any]:
    return {
        "meter": meter,
        "kept": _chart(meter.kept, _("%(field)s: share kept as suggested") % {"field": meter.field.label}),
        "distance": meter.distance
        and _chart(meter.distance, _("%(field)s: share of the text rewritten") % {"field": meter.field.label}),
    }


def _chart(pair: Pair, label: str) -> SafeString:
    """Both groups under each other: with the suggestion, and without."""
    arms = [(arm.value, arm.interval) for arm in (pair.shown, pair.blind)]
    bounds = [
        (value, interval.low if interval else value, interval.high if interval else value)
        for value, interval in arms
        if value is not None
    ]
    return charts.two_intervals(bounds, label=label, thin=pair.difference.too_few)


@login_required
def anchoring_items(request: HttpRequest, slug: str) -> HttpResponse:
    """The texts behind one number; where the address names none, there are none."""
    member = membership(request, slug, ON_LOOKERS)
    form = BehindForm(request.GET)
    if not form.is_valid():
        return project_page(request, member, "anchoring/items.html", {"form": form}, tab="overview", status=422)
    query = form.cleaned_data
    start = query["start"] or 0
    page = behind(
        member.project,
        field=query["field"],
        arm=query["arm"],
        kept=KEPT.get(query["kept"]),
        label=query["label"],
        start=start,
    )
    context = {
        "form": form,
        "page": page,
        "asked": query,
        "label": field_labels(member.project).get(query["field"], query["field"]),
        "older": _address(request, start + PAGE) if start + PAGE < page.count else "",
        "newer": _address(request, max(start - PAGE, 0)) if start else "",
    }
    return project_page(request, member, "anchoring/items.html", context, tab="overview")


def _address(request: HttpRequest, start: int) -> str:
    query = request.GET.copy()
    query["start"] = str(start)
    return "?" + query.urlencode()
