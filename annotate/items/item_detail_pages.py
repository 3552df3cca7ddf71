"""The page of one item, and what a lead decides there."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
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
from annotate.hidden_checks import SeenEvent, SeenItem, SeenSlot
from annotate.items import actions
from annotate.items.actions import NotApplicable
from annotate.items.authorship import Authorship, authorship_shown
from annotate.items.comment_pages import ThreadChoice, talk_about
from annotate.items.forms import ItemFilterForm
from annotate.items.history import EVENTS_PER_PAGE, Chapter, ItemHistory, history_of, standing
from annotate.items.keyset import ORDERS
from annotate.items.queries import matching
from annotate.models import DROP_REASONS, Item, Member, Skip, Slot, User
from annotate.web.access import LEADS, READERS, item_of, item_seen_by, membership, person, project_page
from annotate.web.pager import newest_page, numbered_page

TEXTS_PER_PAGE = 10
ROWS_PER_PAGE = 50


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
    listed = QueryDict(str(query.get("list", ""))[:4000])
    form = ItemFilterForm(listed, project=member.project, members=[], leads=member.leads)
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
    request: HttpRequest

    @cached_property
    def chapters(self) -> Page[Chapter]:
        """Newest first: the current text is read first."""
        return numbered_page(self.request, self.history.chapters[::-1], TEXTS_PER_PAGE, "texts")

    @cached_property
    def events(self) -> Page[SeenEvent]:
        """Newest first."""
        return numbered_page(self.request, self.history.events[::-1], EVENTS_PER_PAGE, "history")

    @cached_property
    def slots(self) -> Page[SeenSlot]:
        return newest_page(self.history.slots, ROWS_PER_PAGE, self.request.GET.get("work"))

    @cached_property
    def skips(self) -> Page[Skip]:
        return newest_page(self.history.skips, ROWS_PER_PAGE, self.request.GET.get("skips"))


def _item_page(
    request: HttpRequest, member: Member, seen: SeenItem, *, form: LeadForm | None = None, status: int = 200
) -> HttpResponse:
    item, kind = seen.item, member.project.kind
    history = history_of(item, kind=kind, seen_by=member)
    current = standing(seen.base_id, history)
    context = {
        # Links to other pages of its lists lead here also where a form was refused.
        "back": reverse("item", args=[member.project.slug, item.pk]) if request.method == "POST" else "",
        "item": item,
        "seen": seen,
        "kind": kind,
        "facts": kind.read_facts(item.facts),
        # Material that depends on the draft shows the item's current text, as far as this person may see it.
        "draft": current.annotation.draft if current and kind.live_template else {},
        "page": ItemDetail(history, kind.read_facts(item.facts), current, request),
        "talk": talk_about(item, member, ThreadChoice.of(request.GET)),
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
