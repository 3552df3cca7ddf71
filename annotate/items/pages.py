from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotate import hidden_checks
from annotate.audit.trail import recording
from annotate.engine.run_list import jobs_of_item
from annotate.errors import WrongState
from annotate.formats.csv_table import csv_line
from annotate.hidden_checks import SeenItem
from annotate.items import actions, search_index, text_search
from annotate.items.actions import NotApplicable
from annotate.items.authorship import Authorship, authorship_shown
from annotate.items.columns import choose_columns, chosen, columns_of, values_of
from annotate.items.comment_pages import talk_about
from annotate.items.forms import FREQUENT, ORDER_NAMES, VERBS, BulkForm, ItemFilterForm, Selection, SoFarForm
from annotate.items.history import Chapter, ItemHistory, history_of, standing
from annotate.items.queries import (
    COUNTED_AT_MOST,
    ORDERS,
    ItemCursor,
    ItemFilters,
    ItemPage,
    ItemRow,
    count_up_to,
    in_batches,
    matching,
    page,
    rows_of,
)
from annotate.models import DROP_REASONS, Item, Member, Project, Slot, User
from annotate.web.access import LEADS, READERS, item_of, item_seen_by, membership, person, project_page
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
    members = list(member.project.members.select_related("user"))
    return ItemFilterForm(query, project=member.project, members=members)


def _list_page(query: QueryDict, member: Member, filters: ItemFilters) -> dict[str, object]:
    project, all_columns = member.project, columns_of(member)
    columns = chosen(all_columns, member)
    items = matching(project, filters)
    name = query.get("order", "first")
    name = name if name in ORDERS else "first"
    order = ORDERS[name]
    item_page = page(
        items,
        order=order,
        after=ItemCursor.read(query.get("after", ""), order),
        before=ItemCursor.read(query.get("before", ""), order),
    )
    count = count_up_to(matching(project, filters, whole=True))
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
        "view_query": _view_query(query),
        "waiting_count": search_index.waiting_count(project, COUNTED_AT_MOST) if filters.q else 0,
        "count": min(count, COUNTED_AT_MOST),
        "more_than_counted": count > COUNTED_AT_MOST,
        "order": name,
        "place": {end: query[end] for end in PLACE if query.get(end)},
        "verbs": [(name, dict(VERBS)[name]) for name in FREQUENT],
        "more_verbs": [(name, label) for name, label in VERBS if name not in FREQUENT],
    }


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


class LeadForm(forms.Form):
    """A lead's action on one item, and its reason."""

    verb = forms.ChoiceField(choices=[(name, name) for name in ("drop", "restore", "reopen", "requeue")])
    reason = forms.ChoiceField(label=gettext_lazy("Reason"), choices=[("", "—"), *DROP_REASONS], required=False)
    note = forms.CharField(label=gettext_lazy("Note"), max_length=1000, required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("verb") == "drop" and not cleaned.get("reason"):
            self.add_error("reason", _("Choose a reason for dropping it."))
        return cleaned


@login_required
def item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug)
    return _item_page(request, member, item_seen_by(member, pk))


@require_POST
@login_required
def item_decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, LEADS)
    decided = item_of(member, pk)
    form = LeadForm(request.POST)
    if not form.is_valid():
        return _item_page(request, member, hidden_checks.seen_by(decided, member), form=form, status=422)
    try:
        _decide(decided, person(request), **form.cleaned_data)
    except (NotApplicable, WrongState) as late:
        return _too_late(request, str(late), slug, pk)
    messages.success(request, _("%(item)s: done.") % {"item": decided.key})
    return redirect("item", slug, pk)


@require_POST
@login_required
def item_release(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, LEADS)
    slot_id = request.POST.get("slot", "")
    if not slot_id.isdecimal() or len(slot_id) > 18:
        raise Http404
    slots = Slot.objects.filter(project_id=member.project_id, item_id=pk).select_related("item__project", "holder")
    try:
        actions.take_lease(get_object_or_404(slots, pk=slot_id), by=person(request))
    except WrongState as late:
        return _too_late(request, str(late), slug, pk)
    messages.success(request, _("Back in the queue. The draft is kept for its author."))
    return redirect("item", slug, pk)


def _decide(item: Item, by: User, *, verb: str, reason: str, note: str) -> None:
    instruction = actions.Instruction(verb=verb, by=by, reason=reason, note=note)
    with recording("item.decided", item, "state", "drop_reason"):
        instruction.apply(item)


def _too_late(request: HttpRequest, reason: str, slug: str, pk: int) -> HttpResponse:
    return render(request, "409.html", {"reason": reason, "again": reverse("item", args=[slug, pk])}, status=409)


@dataclass(frozen=True)
class Neighbours:
    """The items before and after one in the list from which it was opened. query: keeps the list; list: leads to it."""

    previous: int | None
    next: int | None
    query: str
    list: str


def _neighbours(query: QueryDict, member: Member, item: Item) -> Neighbours | None:
    """None where the item was not opened from a list, or the list cannot be read."""
    name = str(query.get("order", ""))
    order = ORDERS.get(name)
    if order is None or member.role not in READERS:
        return None
    form = ItemFilterForm(QueryDict(str(query.get("list", ""))[:4000]), project=member.project, members=[])
    if not form.is_valid():
        return None
    items, cursor = matching(member.project, form.filters()), order.cursor(item)
    before, after = (
        order.beyond(order.sorted(items, reverse=reverse), cursor, reverse=reverse) for reverse in (True, False)
    )
    in_list = urlencode({"list": form.address, "order": name})
    return Neighbours(
        previous=before.values_list("pk", flat=True).first(),
        next=after.values_list("pk", flat=True).first(),
        query=f"?{in_list}",
        list="?" + "&".join(filter(None, [form.address, urlencode({"order": name})])),
    )


@dataclass(frozen=True)
class ItemDetail:
    """What items/item.html shows besides the item."""

    history: ItemHistory
    facts: Any
    current: Chapter | None

    @property
    def chapters(self) -> Sequence[Chapter]:
        """Newest first: the current text is read first."""
        return list(reversed(self.history.chapters))


def _item_page(
    request: HttpRequest, member: Member, seen: SeenItem, *, form: LeadForm | None = None, status: int = 200
) -> HttpResponse:
    item, kind = seen.item, member.project.kind
    history = history_of(item, kind=kind, seen_by=member)
    current = standing(seen.base_id, history)
    context = {
        "item": item,
        "seen": seen,
        "kind": kind,
        "facts": kind.read_facts(item.facts),
        # Material that depends on the draft shows the item's current text, as far as this person may see it.
        "draft": current.annotation.draft if current and kind.live_template else {},
        "page": ItemDetail(history, kind.read_facts(item.facts), current),
        "talk": talk_about(item, member),
        "owners": _owners(item, history, current),
        "form": form,
        "drop_reasons": DROP_REASONS,
        "verbs": _possible(item),
        "jobs": jobs_of_item(item) if member.leads else [],
        "neighbours": _neighbours(request.GET, member, item),
    }
    return project_page(request, member, "items/item.html", context, tab="items", status=status)


def _owners(item: Item, history: ItemHistory, current: Chapter | None) -> Authorship | None:
    annotations = [chapter.annotation for chapter in history.chapters]
    return authorship_shown(item, current.annotation, annotations) if current else None


def _possible(item: Item) -> Sequence[str]:
    """What a lead may do with an item in this state."""
    if item.state == Item.State.DROPPED:
        return ("restore",)
    if item.state == Item.State.ACCEPTED:
        return ("reopen", "drop")
    return ("requeue", "drop")
