"""Pages of the anchoring meter, and of pace and quality.

The anchoring meter is for leads and observers; it is hidden from people who answer, whom it could influence.
"""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotate.guidelines.sections import field_labels
from annotate.models import Member
from annotate.quality.anchoring import (
    ARMS,
    READ_AT_MOST,
    EffectEstimate,
    EffectPair,
    Meter,
    UncountedReason,
    anchoring,
    texts_behind,
)
from annotate.quality.anchoring import TOO_FEW as PACE_TOO_FEW
from annotate.quality.pace import READ_AT_MOST as PACE_READ_AT_MOST
from annotate.quality.pace import WEEKS, Week, pace_of, weeks_of
from annotate.web.access import LEADS, WORKERS, membership, project_page
from annotate.web.pager import numbered_page
from lib.charts import marks as charts

ON_LOOKERS = ("lead", "viewer")
KEPT_CHOICES = {"yes": True, "no": False}
PEOPLE_PER_PAGE = 100


class BehindForm(forms.Form):
    """The number whose texts are listed."""

    field = forms.CharField(max_length=80)
    arm = forms.ChoiceField(choices=[(arm, arm) for arm in ARMS])
    kept = forms.ChoiceField(choices=[("", ""), *((name, name) for name in KEPT_CHOICES)], required=False)
    label = forms.CharField(max_length=400, required=False, strip=False)
    start = forms.IntegerField(min_value=0, max_value=READ_AT_MOST, required=False)


@login_required
def anchoring_page(request: HttpRequest, slug: str) -> HttpResponse:
    member = membership(request, slug, ON_LOOKERS)
    report = anchoring(member.project)
    context = {
        "found": report,
        "rows": [_meter_context(meter) for meter in report.meters],
        "left_out": [(UncountedReason(reason).label, n) for reason, n in report.left_out.items()],
        "most": READ_AT_MOST,
        "share": 100 * member.project.blind_share,
    }
    return project_page(request, member, "anchoring/anchoring.html", context, tab="anchoring")


def _meter_context(meter: Meter) -> dict[str, Any]:
    return {
        "meter": meter,
        "kept": _chart(meter.kept, _("%(field)s: share of suggestions unchanged") % {"field": meter.field.label}),
        "distance": meter.distance
        and _chart(meter.distance, _("%(field)s: share of text rewritten") % {"field": meter.field.label}),
    }


def _chart(pair: EffectPair, label: str) -> SafeString:
    """Both groups, one below the other: with the suggestion, and without."""
    arms = [(arm.value, arm.interval) for arm in (pair.shown, pair.blind)]
    bounds = [
        (value, interval.low if interval else value, interval.high if interval else value)
        for value, interval in arms
        if value is not None
    ]
    return charts.two_intervals(bounds, label=label, thin=pair.difference.too_few)


@login_required
def anchoring_items(request: HttpRequest, slug: str) -> HttpResponse:
    """The texts behind one number; none where the URL names no number."""
    member = membership(request, slug, ON_LOOKERS)
    form = BehindForm(request.GET)
    if not form.is_valid():
        return project_page(request, member, "anchoring/items.html", {"form": form}, tab="anchoring", status=422)
    query = form.cleaned_data
    page = texts_behind(
        member.project,
        field=query["field"],
        arm=query["arm"],
        kept=KEPT_CHOICES.get(query["kept"]),
        label=query["label"],
        start=query["start"] or 0,
    )
    context = {
        "form": form,
        "page": page,
        "asked": query,
        "label": field_labels(member.project).get(query["field"], query["field"]),
        "older": _address(request, page.next) if page.next is not None else "",
        "newer": _address(request, page.previous) if page.previous is not None else "",
    }
    return project_page(request, member, "anchoring/items.html", context, tab="anchoring")


def _address(request: HttpRequest, start: int) -> str:
    query = request.GET.copy()
    query["start"] = str(start)
    return "?" + query.urlencode()


# Pace and quality: of all people for leads, of oneself for everybody who annotates or reviews.


@login_required
def pace(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    project_pace = pace_of(lead.project)
    page = numbered_page(request, project_pace.members(), PEOPLE_PER_PAGE)
    context = {
        "people": [project_pace.person(member) for member in page],
        "page": page,
        "left_out": project_pace.left_out,
        "most": PACE_READ_AT_MOST,
        "too_few": PACE_TOO_FEW,
    }
    return project_page(request, lead, "pace/pace.html", context, tab="pace")


@login_required
def pace_person(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    member = lead.project.members.select_related("user").filter(pk=pk).first()
    if member is None:
        raise Http404
    return _person(request, lead, member, tab="pace")


@login_required
def my_pace(request: HttpRequest, slug: str) -> HttpResponse:
    """A person's own page, the same as leads see."""
    member = membership(request, slug, WORKERS)
    return _person(request, member, member, tab="my_pace")


def _person(request: HttpRequest, reader: Member, member: Member, *, tab: str) -> HttpResponse:
    project_pace = pace_of(reader.project, checks=True)
    weeks = weeks_of(project_pace, member, timezone.localdate())
    context = {
        "one": project_pace.person(member),
        "weeks": list(reversed(weeks)),
        "charts": _charts(weeks),
        "mine": member.user_id == reader.user_id,
        "count": WEEKS,
        "most": PACE_READ_AT_MOST,
        "left_out": project_pace.left_out,
    }
    return project_page(request, reader, "pace/person.html", context, tab=tab)


def _charts(weeks: list[Week]) -> list[dict[str, Any]]:
    return [
        {"title": title, "charts": _trends([getattr(week, name) for week in weeks], weeks, title, most)}
        for title, name, most in (
            (_("Minutes per text, by week"), "minutes", None),
            (_("Suggestions unchanged, by week"), "kept", 1.0),
            (_("Returned share of reviewed texts, by week"), "returned", 1.0),
        )
    ]


def _trends(values: list[EffectEstimate], weeks: list[Week], title: str, most: float | None) -> list[SafeString]:
    """The chart in two widths: for a wide screen and for a phone."""
    # Translators: the short name of a day under a chart, in Django's date letters.
    letters = _("j M")
    points = [_point(date_format(week.monday, letters), estimate) for week, estimate in zip(weeks, values, strict=True)]
    amount = _percent if most else _plain
    return [
        charts.trend(points, label=title, amount=amount, most=most, width=width, height=height)
        for width, height in ((560, 130), (330, 150))
    ]


def _point(name: str, estimate: EffectEstimate) -> charts.Point:
    low, high = estimate.interval or (estimate.value or 0, estimate.value or 0)
    return charts.Point(name, estimate.value, low, high, thin=estimate.too_few)


def _percent(share: float) -> str:
    return f"{number_format(round(100 * share))} %"


def _plain(value: float) -> str:
    return str(number_format(value, decimal_pos=0 if value == int(value) else 1))
