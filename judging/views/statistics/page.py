from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotate.models import Item
from annotate.views.pages import project_page
from judging.services.statistics.counting import Labels, Lengths, statistics
from judging.services.statistics.reading import UNITS, Table, table
from judging.templatetags.dataset import amount, part_name, unit_name
from judging.views.answers.access import judging_member
from lib.charts.count_bars import Counted, count_bars
from lib.charts.histogram import Bin, histogram

PHONE = 330
DRAWN = 40  # bars; where there are more, the page says how many, and the table has all


@require_safe
@login_required
def dataset_statistics(request: HttpRequest, slug: str) -> HttpResponse:
    """What the items of a project are: labels, languages, lengths."""
    member = judging_member(request, slug)
    item_table, state, unit = table(member.project), state_asked(request), unit_asked(request)
    distributions = statistics(item_table, state)
    context: dict[str, Any] = {
        "table": item_table,
        "found": distributions,
        "state": state,
        "states": Item.State.choices,
        "unit": unit,
        "units": UNITS,
        "labels": [
            (labels, _bars(labels, item_table), max(len(labels.counts) - DRAWN, 0)) for labels in distributions.labels
        ],
        "lengths": [
            (lengths, _histograms(lengths, item_table)) for lengths in distributions.lengths if lengths.unit == unit
        ],
    }
    return project_page(request, member, "statistics/statistics.html", context, tab="judging")


def state_asked(request: HttpRequest) -> str:
    state = request.GET.get("state", "")
    return state if state in Item.State.values else ""


def unit_asked(request: HttpRequest) -> str:
    unit = request.GET.get("unit", "")
    return unit if unit in UNITS else UNITS[0]


def _bars(labels: Labels, item_table: Table) -> tuple[SafeString, SafeString]:
    rows = [Counted(label_count.value or _("not known"), (label_count.n,)) for label_count in labels.counts[:DRAWN]]
    label = _("Items by %(name)s") % {"name": part_name(labels.name, item_table)}
    return count_bars(rows, label=label), count_bars(rows, label=label, wide=PHONE)


def _histograms(lengths: Lengths, item_table: Table) -> tuple[SafeString, SafeString] | None:
    if not lengths.summary.n or lengths.summary.median is None or lengths.summary.p95 is None:
        return None
    bins = [Bin(length_range.low, length_range.high, length_range.count) for length_range in lengths.ranges]
    median, p95 = lengths.summary.median, lengths.summary.p95
    lines = [(_("median %(n)s") % {"n": amount(median)}, median), (f"95 % ≤ {amount(p95)}", p95)]
    names = {"name": part_name(lengths.name, item_table), "unit": unit_name(lengths.unit)}
    label = _("%(name)s: lengths in %(unit)s") % names
    return histogram(bins, lines, label=label), histogram(bins, lines, label=label, wide=PHONE)
