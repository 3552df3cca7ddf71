from collections.abc import Iterator
from typing import Any

import numpy as np
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotate.formats.csv_table import csv_line
from annotate.models import Item, Member
from annotate.web.access import project_page
from judging.boards.statistics.numbers import (
    UNITS,
    DatasetStatistics,
    DatasetTable,
    LabelCounts,
    Lengths,
    statistics,
    table,
    with_label,
    with_length,
)
from judging.boards.statistics.tags import amount, part_name, unit_name
from lib.charts.bars import CountRow, HistogramBin, count_bars, histogram
from lib.stats.lengths import Whole

PHONE = 330
DRAWN = 40  # bars; where there are more, the page says how many, and the table has all


def dataset_statistics(request: HttpRequest, member: Member) -> HttpResponse:
    """The distributions of a project's items: labels, languages, lengths."""
    item_table, state, unit = table(member.project), parse_state(request), parse_unit(request)
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


def parse_state(request: HttpRequest) -> str:
    state = request.GET.get("state", "")
    return state if state in Item.State.values else ""


def parse_unit(request: HttpRequest) -> str:
    unit = request.GET.get("unit", "")
    return unit if unit in UNITS else UNITS[0]


def _bars(labels: LabelCounts, item_table: DatasetTable) -> tuple[SafeString, SafeString]:
    rows = [CountRow(label_count.value or _("not known"), (label_count.n,)) for label_count in labels.counts[:DRAWN]]
    label = _("Items by %(name)s") % {"name": part_name(labels.name, item_table)}
    return count_bars(rows, label=label), count_bars(rows, label=label, wide=PHONE)


def _histograms(lengths: Lengths, item_table: DatasetTable) -> tuple[SafeString, SafeString] | None:
    if not lengths.summary.n or lengths.summary.median is None or lengths.summary.p95 is None:
        return None
    bins = [HistogramBin(length_range.low, length_range.high, length_range.count) for length_range in lengths.ranges]
    median, p95 = lengths.summary.median, lengths.summary.p95
    lines = [(_("median %(n)s") % {"n": amount(median)}, median), (f"95 % ≤ {amount(p95)}", p95)]
    names = {"name": part_name(lengths.name, item_table), "unit": unit_name(lengths.unit)}
    label = _("%(name)s: lengths in %(unit)s") % names
    return histogram(bins, lines, label=label), histogram(bins, lines, label=label, wide=PHONE)


PAGE = 50


def statistics_items(request: HttpRequest, member: Member) -> HttpResponse:
    """The items behind one bar, page by page: ?of= a label with its value, or a text with low and high."""
    item_table = table(member.project)
    ids = _items_behind(request, item_table)
    context: dict[str, Any] = (
        _page(request, ids) | _label_context(request) | {"table": item_table, "count": int(ids.size)}
    )
    return project_page(request, member, "statistics/items.html", context, tab="judging")


def _items_behind(request: HttpRequest, item_table: DatasetTable) -> Whole:
    part, state = request.GET.get("of", ""), parse_state(request)
    if "value" in request.GET:
        return with_label(item_table, part, request.GET["value"], state)
    return with_length(
        item_table, part, parse_unit(request), number(request, "low") or 0, number(request, "high"), state
    )


def _page(request: HttpRequest, ids: Whole) -> dict[str, Any]:
    """One page by id, so that it begins at the right place although other items came or went."""
    after, before = number(request, "after"), number(request, "before")
    start = 0
    if before is not None:
        start = max(int(np.searchsorted(ids, before)) - PAGE, 0)
    elif after is not None:
        start = int(np.searchsorted(ids, after, side="right"))
    page_ids = [int(pk) for pk in ids[start : start + PAGE]]
    items_by_id = Item.objects.defer("facts").in_bulk(page_ids)
    return {
        "items": [items_by_id[pk] for pk in page_ids if pk in items_by_id],
        "before": page_ids[0] if page_ids and start else None,
        "after": page_ids[-1] if page_ids and start + PAGE < ids.size else None,
    }


def _label_context(request: HttpRequest) -> dict[str, Any]:
    query = request.GET.copy()
    for name in ("after", "before"):
        query.pop(name, None)
    parameters = {name: request.GET.get(name) for name in ("of", "value")}
    ends = {name: number(request, name) for name in ("low", "high")}
    return {
        **parameters,
        **ends,
        "unit": parse_unit(request),
        "state": parse_state(request),
        "address": query.urlencode(),
    }


def number(request: HttpRequest, name: str) -> int | None:
    """A whole number from the query string; None if there is none."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


COLUMNS = ("of", "what", "value", "from", "below", "items", "share")
FIGURES = ("mean", "median", "p95", "shortest", "longest")


def statistics_csv(request: HttpRequest, member: Member) -> HttpResponse:
    """Every distribution of the page as one table, in the data's own words."""
    state = parse_state(request)
    lines = _lines(statistics(table(member.project), state))
    # Spreadsheets recognise UTF-8 by this byte order mark.
    answer = HttpResponse("\ufeff" + "".join(lines), content_type="text/csv; charset=utf-8")
    name = "-".join(filter(None, [member.project.slug, "statistics", state]))
    answer["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer


def _lines(distributions: DatasetStatistics) -> Iterator[str]:
    yield csv_line(COLUMNS)
    for labels in distributions.labels:
        for label_count in labels.counts:
            yield csv_line(
                [labels.name, "label", label_count.value, None, None, label_count.n, round(label_count.share, 6)]
            )
    for lengths in distributions.lengths:
        for figure in FIGURES:
            value = getattr(lengths.summary, figure)
            yield csv_line([lengths.name, f"{figure} {lengths.unit}", value, None, None, lengths.summary.n, None])
        for each_range in lengths.ranges:
            share = round(each_range.count / lengths.summary.n, 6)
            ends = [each_range.low, each_range.high]
            yield csv_line([lengths.name, lengths.unit, None, *ends, each_range.count, share])
