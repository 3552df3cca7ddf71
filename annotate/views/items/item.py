from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotate.models import DROP_REASONS, Item, Member, Slot, User
from annotate.services import leading
from annotate.services.authorship import Authorship, authorship_shown
from annotate.services.errors import WrongState
from annotate.services.items.history import Chapter, History, history_of, standing
from annotate.services.leading import LeftOut
from annotate.services.runs.lists import jobs_of_item
from annotate.views.access import LEADS, item_of, item_seen_by, membership, person
from annotate.views.comments import talk_about
from annotate.views.pages import project_page


class LeadForm(forms.Form):
    """What a lead does to one item, and why."""

    verb = forms.ChoiceField(choices=[(name, name) for name in ("drop", "restore", "reopen", "requeue")])
    reason = forms.ChoiceField(label=gettext_lazy("Reason"), choices=[("", "—"), *DROP_REASONS], required=False)
    note = forms.CharField(label=gettext_lazy("Note"), max_length=1000, required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("verb") == "drop" and not cleaned.get("reason"):
            self.add_error("reason", _("Say why it leaves the dataset: choose a reason."))
        return cleaned


@login_required
def item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug)
    return _page(request, member, item_seen_by(member, pk))


@require_POST
@login_required
def item_decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, LEADS)
    decided = item_of(member, pk)
    form = LeadForm(request.POST)
    if not form.is_valid():
        return _page(request, member, decided, form=form, status=422)
    try:
        _decide(decided, person(request), **form.cleaned_data)
    except (LeftOut, WrongState) as late:
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
        leading.take_lease(get_object_or_404(slots, pk=slot_id), by=person(request))
    except WrongState as late:
        return _too_late(request, str(late), slug, pk)
    messages.success(request, _("It is in the queue again. Whoever held it keeps the draft."))
    return redirect("item", slug, pk)


def _decide(item: Item, by: User, *, verb: str, reason: str, note: str) -> None:
    if verb == "drop":
        leading.drop(item, by=by, reason=reason, note=note)
    else:
        {"restore": leading.restore, "reopen": leading.reopen, "requeue": leading.requeue}[verb](item, by=by, note=note)


def _too_late(request: HttpRequest, reason: str, slug: str, pk: int) -> HttpResponse:
    return render(request, "409.html", {"reason": reason, "again": reverse("item", args=[slug, pk])}, status=409)


@dataclass(frozen=True)
class Page:
    """What items/item.html shows besides the item."""

    history: History
    facts: Any
    current: Chapter | None

    @property
    def chapters(self) -> Sequence[Chapter]:
        """Newest first: what counts now is read first."""
        return list(reversed(self.history.chapters))


def _page(
    request: HttpRequest, member: Member, item: Item, *, form: LeadForm | None = None, status: int = 200
) -> HttpResponse:
    kind = member.project.kind
    history = history_of(item, kind=kind, seen_by=member)
    current = standing(item, history)
    context = {
        "item": item,
        "kind": kind,
        "facts": kind.read_facts(item.facts),
        # Material that follows the draft shows the text that the item stands on, as far as this person may see it.
        "draft": current.annotation.draft if current and kind.live_template else {},
        "page": Page(history, kind.read_facts(item.facts), current),
        "talk": talk_about(item, member),
        "owners": _owners(item, history, current),
        "form": form,
        "drop_reasons": DROP_REASONS,
        "verbs": _possible(item),
        "jobs": jobs_of_item(item) if member.leads else [],
    }
    return project_page(request, member, "items/item.html", context, tab="items", status=status)


def _owners(item: Item, history: History, current: Chapter | None) -> Authorship | None:
    annotations = [chapter.annotation for chapter in history.chapters]
    return authorship_shown(item, current.annotation, annotations) if current else None


def _possible(item: Item) -> Sequence[str]:
    """What a lead may do with an item in this state."""
    if item.state == Item.State.DROPPED:
        return ("restore",)
    if item.state == Item.State.ACCEPTED:
        return ("reopen", "drop")
    return ("requeue", "drop")
