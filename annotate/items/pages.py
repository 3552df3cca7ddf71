from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotate.formats.csv_table import csv_line
from annotate.items import actions, search_index, text_search
from annotate.items.columns import choose_columns, chosen, columns_of, values_of
from annotate.items.forms import FREQUENT, ORDER_NAMES, VERBS, BulkForm, ItemFilterForm, Selection, SoFarForm
from annotate.items.keyset import ORDERS, ItemCursor, ItemPage, Scan, in_batches, page
from annotate.items.member_fields import few_members
from annotate.items.queries import (
    COUNTED_AT_MOST,
    HITS_AT_MOST,
    ItemFilters,
    ItemRow,
    count_up_to,
    matching,
    rows_of,
    to_count,
    value_counts,
)
from annotate.models import Item, Member, Project
from annotate.web.access import LEADS, READERS, membership, person, project_page
from lib.texts.grams import Excerpt

PLACE = ("after", "before")  # parameters for where a page of the list begins or ends


@login_required
def items(request: HttpRequest, slug: str) -> HttpResponse:
    member = membership(request, slug, READERS)
    context = list_context(request.GET, member)
    if "page" in context and request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": member.project, "membership": member}
        return render(request, "items/_list.html", frame | context)
    return project_page(request, member, "items/items.html", context, tab="items", status=_status(context))


def list_context(query: QueryDict, member: Member) -> dict[str, object]:
    """The list for this query of its address; without a `page` if the filters cannot be read."""
    form = _filters(query, member)
    context: dict[str, object] = {"filters": form, "orders": ORDER_NAMES}
    return context | _list_page(query, member, form.filters()) if form.is_valid() else context


def _status(context: dict[str, object]) -> int:
    return 200 if "page" in context else 422


def _filters(query: QueryDict, member: Member) -> ItemFilterForm:
    return ItemFilterForm(query, project=member.project, members=few_members(member.project), leads=member.leads)


def _list_page(query: QueryDict, member: Member, filters: ItemFilters) -> dict[str, object]:
    project, all_columns = member.project, columns_of(member)
    columns = chosen(all_columns, member)
    items = matching(project, filters)
    name = query.get("order", "first")
    name = name if name in ORDERS else "first"
    order = ORDERS[name]
    waiting_count = search_index.waiting_count(project, COUNTED_AT_MOST) if filters.q else 0
    item_page = page(
        items,
        order=order,
        after=ItemCursor.read(query.get("after", ""), order),
        before=ItemCursor.read(query.get("before", ""), order),
        scan=_scan(project, filters) if filters.q and not waiting_count else None,
    )
    most = HITS_AT_MOST if filters.q else COUNTED_AT_MOST
    count = count_up_to(to_count(project, filters, items), most)
    return {
        "page": item_page,
        "rows": rows_of(
            item_page.items,
            _excerpts(project, item_page, filters.q),
            values_of(item_page.items, columns, member),
        ),
        "shows": {column.name: True for column in columns},
        "value_columns": [column for column in columns if column.source],
        "all_columns": [(column, column in columns) for column in all_columns],
        "values": value_counts(project, filters) if filters.metadata else None,
        "view_query": _view_query(query),
        "waiting_count": waiting_count,
        "count": min(count, most),
        "more_than_counted": count > most,
        "order": name,
        "place": {end: query[end] for end in PLACE if query.get(end)},
        "verbs": [(name, dict(VERBS)[name]) for name in FREQUENT],
        "more_verbs": [(name, label) for name, label in VERBS if name not in FREQUENT],
    }


def _scan(project: Project, filters: ItemFilters) -> Scan:
    return Scan(matching(project, replace(filters, q="")), text_search.compared(filters.q))


def _view_query(query: QueryDict) -> str:
    """What a saved view of the list keeps: filters and order, not the place in it."""
    kept = query.copy()
    for end in PLACE:
        kept.pop(end, None)
    return kept.urlencode()


@require_POST
@login_required
def items_columns(request: HttpRequest, slug: str) -> HttpResponse:
    """Remember which columns this person wants to see, and go back to their list."""
    member = membership(request, slug, READERS)
    choose_columns(member, [] if "default" in request.POST else request.POST.getlist("column"))
    back = QueryDict(request.POST.get("query", "")[:4000]).urlencode()
    return redirect(reverse("items", args=[slug]) + (f"?{back}" if back else ""))


def _excerpts(project: Project, item_page: ItemPage, words: str) -> dict[int, Excerpt]:
    ids = [item.pk for item in item_page.items] if words else []
    return text_search.excerpts(project, ids, words) if ids else {}


@login_required
def items_csv(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    """The filtered list as a spreadsheet, streamed: all pages of it."""
    member = membership(request, slug, READERS)
    form = _filters(request.GET, member)
    if not form.is_valid():
        context = {"filters": form, "orders": ORDER_NAMES}
        return project_page(request, member, "items/items.html", context, tab="items", status=422)
    lines = _csv_lines(matching(member.project, form.filters()))
    answer = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{slug}-items.csv"'
    return answer


CSV_COLUMNS = (
    "key",
    "title",
    "state",
    "drop_reason",
    "round",
    "group",
    "language",
    "priority",
    "purpose",
    "import",
    "assigned_to",
    "held_by",
    "open_comments",
    "changed_at",
)


def _csv_lines(items: QuerySet[Item]) -> Iterator[str]:
    yield "\ufeff" + csv_line(CSV_COLUMNS)  # byte order mark: spreadsheets need it to detect UTF-8
    for batch in in_batches(items):
        yield "".join(csv_line(_cells(row)) for row in rows_of(batch))


def _cells(row: ItemRow) -> list[object]:
    item = row.item
    return [
        item.key,
        item.title,
        item.state,
        item.drop_reason,
        item.round,
        item.group,
        item.language,
        item.priority,
        item.purpose,
        item.batch.file_name if item.batch else "",
        _names([slot.reserved_for for slot in row.assigned]),
        _names([slot.holder for slot in row.held]),
        row.open_comments,
        item.changed_at.isoformat(timespec="seconds"),
    ]


def _names(people: list[object]) -> str:
    return ", ".join(map(str, people))


@require_POST
@login_required
def items_bulk(request: HttpRequest, slug: str) -> HttpResponse:
    """First asks for the verb's values and shows how many items are selected, then works through them."""
    lead = membership(request, slug, LEADS)
    selection = Selection(request.POST, lead.project)
    verb = request.POST.get("verb", "")
    if verb not in dict(VERBS) or not selection.is_valid() or not (selection.everything or selection.ids):
        return _nothing(request, lead, selection)
    form = BulkForm(request.POST if "sure" in request.POST else None, verb=verb, project=lead.project)
    if form.is_valid():
        return _work(request, lead, form, selection)
    selection.end_here()
    count = count_up_to(selection.items())
    context = {
        "form": form,
        "selection": selection,
        "count": min(count, COUNTED_AT_MOST),
        "more_than_counted": count > COUNTED_AT_MOST,
        "back": back_to_list(slug, selection),
    }
    return project_page(request, lead, "items/bulk.html", context, tab="items", status=422 if form.errors else 200)


def _nothing(request: HttpRequest, lead: Member, selection: Selection) -> HttpResponse:
    """The unchanged list, with what to do."""
    query = QueryDict(selection.address, mutable=True)
    for name in ("order", *PLACE):
        if name in request.POST:
            query[name] = request.POST[name]
    context = list_context(query, lead) | {"nothing": True}
    return project_page(request, lead, "items/items.html", context, tab="items", status=422)


def back_to_list(slug: str, selection: Selection) -> str:
    return reverse("items", args=[slug]) + (f"?{selection.form.address}" if selection.form.is_valid() else "")


def _work(request: HttpRequest, lead: Member, form: BulkForm, selection: Selection) -> HttpResponse:
    last_id, done_count, exclusions = SoFarForm(request.POST).read()
    instruction = form.instruction(person(request))
    most = form.cleaned_data.get("most")
    outcome = actions.work_through(
        selection.items(),
        instruction.apply,
        project=lead.project,
        recorded=instruction.recorded(),
        after=last_id,
        most=most and max(0, most - done_count),
    )
    outcome.done += done_count
    outcome.left_out += exclusions
    if outcome.finished and outcome.done and instruction.to:
        actions.tell_assigned(instruction.to.user, lead.project, count=outcome.done, by=person(request))
    context: dict[str, Any] = {
        "form": form,
        "selection": selection,
        "outcome": outcome,
        "back": back_to_list(lead.project.slug, selection),
        "project": lead.project,
    }
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "items/_bulk_outcome.html", context)
    return project_page(request, lead, "items/bulk_done.html", context, tab="items")
