from collections.abc import Iterator

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
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


@login_required
def items(request: HttpRequest, slug: str) -> HttpResponse:
    member = membership(request, slug, READERS)
    form = _filters(request, member)
    if not form.is_valid():
        return project_page(
            request, member, "items/items.html", {"filters": form, "orders": ORDER_NAMES}, tab="items", status=422
        )
    found = matching(member.project, form.filters())
    context = {"filters": form, "orders": ORDER_NAMES} | _page(request, found)
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": member.project, "membership": member}
        return render(request, "items/_list.html", frame | context)
    return project_page(request, member, "items/items.html", context, tab="items")


def _filters(request: HttpRequest, member: Member) -> FilterForm:
    members = list(member.project.members.select_related("user"))
    return FilterForm(request.GET, project=member.project, members=members)


def _page(request: HttpRequest, found: QuerySet[Item]) -> dict[str, object]:
    name = request.GET.get("order", "first")
    name = name if name in ORDERS else "first"
    order = ORDERS[name]
    shown = page(
        found,
        order=order,
        after=Cursor.read(request.GET.get("after", ""), order),
        before=Cursor.read(request.GET.get("before", ""), order),
    )
    count = count_up_to(found)
    return {
        "page": shown,
        "rows": rows_of(shown.items),
        "count": min(count, COUNTED_AT_MOST),
        "more_than_counted": count > COUNTED_AT_MOST,
        "order": name,
        "verbs": VERBS,
    }


@login_required
def items_csv(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    """The filtered list as a spreadsheet, streamed: all of it, whatever page is open."""
    member = membership(request, slug, READERS)
    form = _filters(request, member)
    if not form.is_valid():
        return project_page(
            request, member, "items/items.html", {"filters": form, "orders": ORDER_NAMES}, tab="items", status=422
        )
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


def _csv_lines(found: QuerySet[Item]) -> Iterator[str]:
    yield "\ufeff" + csv_line(CSV_COLUMNS)  # the mark by which spreadsheets know UTF-8
    for batch in in_batches(found):
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
