from collections.abc import Iterator

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import render

from annotate.formats.csv_cells import csv_line
from annotate.models import Item, Member
from annotate.services.items.lists import COUNTED_AT_MOST, count_up_to, matching
from annotate.services.items.pages import ORDERS, Cursor, in_batches, page
from annotate.services.items.rows import ItemRow, rows_of
from annotate.views.access import READERS, membership
from annotate.views.items.bulk_forms import VERBS
from annotate.views.items.filters import ORDER_NAMES, FilterForm
from annotate.views.pages import project_page

PLACE = ("after", "before")  # where a page of the list begins or ends


@login_required
def items(request: HttpRequest, slug: str) -> HttpResponse:
    member = membership(request, slug, READERS)
    context = list_context(request.GET, member)
    if "page" in context and request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": member.project, "membership": member}
        return render(request, "items/_list.html", frame | context)
    return project_page(request, member, "items/items.html", context, tab="items", status=_status(context))


def list_context(query: QueryDict, member: Member) -> dict[str, object]:
    """The list as this query of its address asks for it; without a `page` where the filters cannot be read."""
    form = _filters(query, member)
    context: dict[str, object] = {"filters": form, "orders": ORDER_NAMES}
    return context | _page(query, matching(member.project, form.filters())) if form.is_valid() else context


def _status(context: dict[str, object]) -> int:
    return 200 if "page" in context else 422


def _filters(query: QueryDict, member: Member) -> FilterForm:
    members = list(member.project.members.select_related("user"))
    return FilterForm(query, project=member.project, members=members)


def _page(query: QueryDict, items: QuerySet[Item]) -> dict[str, object]:
    name = query.get("order", "first")
    name = name if name in ORDERS else "first"
    order = ORDERS[name]
    item_page = page(
        items,
        order=order,
        after=Cursor.read(query.get("after", ""), order),
        before=Cursor.read(query.get("before", ""), order),
    )
    count = count_up_to(items)
    return {
        "page": item_page,
        "rows": rows_of(item_page.items),
        "count": min(count, COUNTED_AT_MOST),
        "more_than_counted": count > COUNTED_AT_MOST,
        "order": name,
        "place": {end: query[end] for end in PLACE if query.get(end)},
        "verbs": VERBS,
    }


@login_required
def items_csv(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    """The filtered list as a spreadsheet, streamed: all of it, whatever page is open."""
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
    yield "\ufeff" + csv_line(CSV_COLUMNS)  # the mark by which spreadsheets know UTF-8
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
