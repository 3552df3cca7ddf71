"""What statistics of a dataset show: distributions with charts, the items behind a bar, and one table as CSV."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import field_validator

from annotate.models import Item, Member, Project
from annotate.web.access import project_page
from judging.access import answered
from judging.boards.board import Board, BoardPage, Place, SubPage
from judging.boards.needs import ITEMS
from judging.boards.options import BoardOptions
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
from lib.charts.marks import fitted
from lib.stats.lengths import Whole

DRAWN = 40  # bars; where there are more, the page says how many, and the table has all


class StatisticsOptions(BoardOptions):
    """state: of the items; "" for all. unit: in which lengths are shown."""

    state: str = ""
    unit: str = UNITS[0]

    @field_validator("state")
    @classmethod
    def _known_state(cls, state: str) -> str:
        if state not in Item.State.values:
            raise ValueError(state)
        return state

    @field_validator("unit")
    @classmethod
    def _known_unit(cls, unit: str) -> str:
        if unit not in UNITS:
            raise ValueError(unit)
        return unit


@dataclass(frozen=True)
class ProjectStatistics:
    """The items of a project as a table, and the distributions of those in the chosen state."""

    table: DatasetTable
    distributions: DatasetStatistics


def project_statistics(project: Project, options: StatisticsOptions) -> ProjectStatistics:
    item_table = table(project)
    return ProjectStatistics(item_table, statistics(item_table, options.state))


def dataset_statistics(numbers: ProjectStatistics, options: StatisticsOptions, member: Member) -> BoardPage:
    """The distributions of a project's items: labels, languages, lengths."""
    item_table, distributions = numbers.table, numbers.distributions
    context: dict[str, Any] = {
        "table": item_table,
        "found": distributions,
        "state": options.state,
        "states": Item.State.choices,
        "unit": options.unit,
        "units": UNITS,
        "labels": [
            (labels, _bars(labels, item_table), max(len(labels.counts) - DRAWN, 0)) for labels in distributions.labels
        ],
        "lengths": [
            (lengths, _histograms(lengths, item_table))
            for lengths in distributions.lengths
            if lengths.unit == options.unit
        ],
    }
    return BoardPage(context)


def _bars(labels: LabelCounts, item_table: DatasetTable) -> SafeString:
    rows = [CountRow(label_count.value or _("unknown"), (label_count.n,)) for label_count in labels.counts[:DRAWN]]
    label = _("Items by %(name)s") % {"name": part_name(labels.name, item_table)}
    return fitted(lambda wide: count_bars(rows, label=label, wide=wide))


def _histograms(lengths: Lengths, item_table: DatasetTable) -> SafeString | None:
    if not lengths.summary.n or lengths.summary.median is None or lengths.summary.p95 is None:
        return None
    bins = [HistogramBin(length_range.low, length_range.high, length_range.count) for length_range in lengths.ranges]
    median, p95 = lengths.summary.median, lengths.summary.p95
    lines = [(_("median %(n)s") % {"n": amount(median)}, median), (f"95 % ≤ {amount(p95)}", p95)]
    names = {"name": part_name(lengths.name, item_table), "unit": unit_name(lengths.unit)}
    label = _("%(name)s: lengths in %(unit)s") % names
    return fitted(lambda wide: histogram(bins, lines, label=label, wide=wide))


PAGE = 50


def statistics_items(request: HttpRequest, member: Member) -> HttpResponse:
    """The items behind one bar, page by page: ?of= a label with its value, or a text with low and high."""
    item_table, options = table(member.project), StatisticsOptions.parse(request.GET, member.project)
    ids = _items_behind(request, options, item_table)
    context: dict[str, Any] = (
        _page(request, ids) | _label_context(request, options) | {"table": item_table, "count": int(ids.size)}
    )
    return project_page(request, member, "statistics/items.html", context, tab="statistics")


def _items_behind(request: HttpRequest, options: StatisticsOptions, item_table: DatasetTable) -> Whole:
    part, state = request.GET.get("of", ""), options.state
    if "value" in request.GET:
        return with_label(item_table, part, request.GET["value"], state)
    return with_length(item_table, part, options.unit, number(request, "low") or 0, number(request, "high"), state)


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


def _label_context(request: HttpRequest, options: StatisticsOptions) -> dict[str, Any]:
    query = request.GET.copy()
    for name in ("after", "before"):
        query.pop(name, None)
    parameters = {name: request.GET.get(name) for name in ("of", "value")}
    ends = {name: number(request, name) for name in ("low", "high")}
    return {
        **parameters,
        **ends,
        "unit": options.unit,
        "state": options.state,
        "address": query.urlencode(),
    }


def number(request: HttpRequest, name: str) -> int | None:
    """A whole number from the query string; None if there is none."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


COLUMNS = ("of", "what", "value", "from", "below", "items", "share")
FIGURES = ("mean", "median", "p95", "shortest", "longest")


def csv_table(numbers: ProjectStatistics, options: StatisticsOptions, member: Member) -> Iterator[Mapping[str, Any]]:
    """Every distribution of the page as one table, in the data's own words."""
    for cells in _cells(numbers.distributions):
        yield dict(zip(COLUMNS, cells, strict=True))


def file_name(options: StatisticsOptions) -> str:
    return "-".join(filter(None, ["statistics", options.state]))


def _cells(distributions: DatasetStatistics) -> Iterator[list[Any]]:
    for labels in distributions.labels:
        for label_count in labels.counts:
            yield [labels.name, "label", label_count.value, None, None, label_count.n, round(label_count.share, 6)]
    for lengths in distributions.lengths:
        for figure in FIGURES:
            value = getattr(lengths.summary, figure)
            yield [lengths.name, f"{figure} {lengths.unit}", value, None, None, lengths.summary.n, None]
        for each_range in lengths.ranges:
            share = round(each_range.count / lengths.summary.n, 6)
            yield [lengths.name, lengths.unit, None, each_range.low, each_range.high, each_range.count, share]


BOARD = Board(
    slug="statistics",
    name=gettext_lazy("Statistics"),
    place=Place(
        170,
        asks=gettext_lazy("What labels, languages and lengths do the items have?"),
        needs=(ITEMS,),
        aside=True,
        led_to=answered,
    ),
    Options=StatisticsOptions,
    numbers=project_statistics,
    state=None,  # the table of items is cached by itself
    page=dataset_statistics,
    template="statistics/statistics.html",
    formats=("csv",),
    as_rows=csv_table,
    columns=COLUMNS,
    file_name=file_name,
    sub_pages=(SubPage("statistics/items/", "statistics_items", statistics_items),),
    saves_views=False,
)
