"""Pace and quality: of all people for leads, of oneself for everybody who works."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotate.models import Member
from annotate.services.anchoring import Estimate
from annotate.services.pace import TOO_FEW, WEEKS, Week, pace_of, weeks_of
from annotate.services.pace.texts import READ_AT_MOST
from annotate.views.access import LEADS, WORKERS, membership
from annotate.views.pages import project_page
from lib.charts import marks as charts


@login_required
def pace(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    project_pace = pace_of(lead.project)
    context = {
        "people": project_pace.people(),
        "left_out": project_pace.left_out,
        "most": READ_AT_MOST,
        "too_few": TOO_FEW,
    }
    return project_page(request, lead, "pace/pace.html", context, tab="people")


@login_required
def pace_person(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    member = lead.project.members.select_related("user").filter(pk=pk).first()
    if member is None:
        raise Http404
    return _person(request, lead, member, tab="people")


@login_required
def my_pace(request: HttpRequest, slug: str) -> HttpResponse:
    """The same page as a lead has about this person."""
    member = membership(request, slug, WORKERS)
    return _person(request, member, member, tab="work")


def _person(request: HttpRequest, reader: Member, member: Member, *, tab: str) -> HttpResponse:
    project_pace = pace_of(reader.project, checks=True)
    weeks = weeks_of(project_pace, member, timezone.localdate())
    context = {
        "one": project_pace.person(member),
        "weeks": list(reversed(weeks)),
        "charts": _charts(weeks),
        "mine": member.user_id == reader.user_id,
        "count": WEEKS,
        "most": READ_AT_MOST,
        "left_out": project_pace.left_out,
    }
    return project_page(request, reader, "pace/person.html", context, tab=tab)


def _charts(weeks: list[Week]) -> list[dict[str, Any]]:
    return [
        {"title": title, "charts": _trends([getattr(week, name) for week in weeks], weeks, title, most)}
        for title, name, most in (
            (_("Minutes for each text, week by week"), "minutes", None),
            (_("Suggested values left as they were, week by week"), "kept", 1.0),
            (_("Sent back, of what was reviewed, week by week"), "returned", 1.0),
        )
    ]


def _trends(values: list[Estimate], weeks: list[Week], title: str, most: float | None) -> list[SafeString]:
    """For a wide screen and for a phone."""
    # Translators: the short name of a day under a chart, in Django's date letters.
    letters = _("j M")
    points = [_point(date_format(week.monday, letters), estimate) for week, estimate in zip(weeks, values, strict=True)]
    amount = _percent if most else _plain
    return [
        charts.trend(points, label=title, amount=amount, most=most, width=width, height=height)
        for width, height in ((560, 130), (330, 150))
    ]


def _point(name: str, estimate: Estimate) -> charts.Point:
    low, high = estimate.interval or (estimate.value or 0, estimate.value or 0)
    return charts.Point(name, estimate.value, low, high, thin=estimate.too_few)


def _percent(share: float) -> str:
    return f"{number_format(round(100 * share))} %"


def _plain(value: float) -> str:
    return str(number_format(value, decimal_pos=0 if value == int(value) else 1))
