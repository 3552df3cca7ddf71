"""From a chat log to an import: rules with what each keeps, replacements to look through, then the import's page."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotate.formats.chatlog.choosing import MOST_KEPT, place
from annotate.formats.chatlog.scenarios import scenarios_of
from annotate.models import Batch, Member
from annotate.services import collecting
from annotate.services.errors import WrongState
from annotate.services.importing import previews
from annotate.views.access import LEADS, membership, person
from annotate.views.collecting.forms import KindsForm, LogForm, RulesForm
from annotate.views.collecting.shown import in_context
from annotate.views.pages import project_page

PER_PAGE = 25


def _lead(request: HttpRequest, slug: str) -> Member:
    """A kind that no scenario makes items of collects nothing."""
    member = membership(request, slug, LEADS)
    if not scenarios_of(member.project.kind_slug):
        raise Http404
    return member


def _log(request: HttpRequest, slug: str, pk: int) -> tuple[Member, Batch]:
    member = _lead(request, slug)
    batch = Batch.objects.filter(project=member.project, pk=pk, format=collecting.FORMAT).first()
    if batch is None:
        raise Http404
    batch.project = member.project
    return member, batch


@login_required
def collect(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose a log, and what for."""
    member = _lead(request, slug)
    posted = request.method == "POST"
    form = LogForm(*((request.POST, request.FILES) if posted else ()), project=member.project)
    if posted and form.is_valid():
        selection = collecting.choose(member.project, form.cleaned_data["scenario"])
        batch = previews.upload(
            project=member.project,
            file=form.cleaned_data["file"],
            settings=collecting.settings_of(selection),
            by=person(request),
        )
        return redirect("collect_log", slug, batch.pk)
    status = 422 if form.errors else 200
    return project_page(request, member, "collecting/collect.html", {"form": form}, tab="import", status=status)


@login_required
def collect_log(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What the rules keep of it. POST: other rules."""
    member, batch = _log(request, slug, pk)
    if batch.state != Batch.State.PREVIEW:
        return redirect("batch", slug, pk)
    selection = collecting.chosen_in(batch)
    form = RulesForm(request.POST if request.method == "POST" else None, chosen=selection)
    if request.method == "POST" and form.is_valid():
        return _changed(request, slug, batch, form.chosen, "collect_log")
    preview = collecting.preview(batch, listed=collecting.LISTED)
    context = {"batch": batch, "chosen": selection, "form": form, "found": preview, "rows": collecting.ROWS}
    context["most"] = collecting.LISTED
    return project_page(
        request, member, "collecting/log.html", context, tab="import", status=422 if form.errors else 200
    )


@login_required
def collect_replaced(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Each replacement where it stands, to be taken back one by one or by kind."""
    member, batch = _log(request, slug, pk)
    if batch.state != Batch.State.PREVIEW:
        return redirect("batch", slug, pk)
    selection = collecting.chosen_in(batch)
    preview = collecting.preview(batch, listed=collecting.LISTED)
    page = Paginator(preview.found, PER_PAGE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "batch": batch,
        "form": KindsForm(initial={"kinds": sorted(selection.replaces)}),
        "rows": [in_context(match, selection) for match in page],
        "page": page,
        "more": len(preview.found) >= collecting.LISTED,
        "read": collecting.ROWS,
    }
    return project_page(request, member, "collecting/replaced.html", context, tab="import")


@require_POST
@login_required
def collect_replace(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Of the replacements that were shown, those that are taken back; and the kinds."""
    _member, batch = _log(request, slug, pk)
    selection = collecting.chosen_in(batch)
    shown_places, back = (set(map(place, request.POST.getlist(name)[:PER_PAGE])) for name in ("shown", "stays"))
    stays = {position for position in (selection.stays - shown_places) | (back & shown_places) if position is not None}
    kinds = KindsForm(request.POST)
    if not kinds.is_valid() or len(stays) > MOST_KEPT:
        return redirect("collect_replaced", slug, pk)
    return _changed(request, slug, batch, selection.replacing(kinds.cleaned_data["kinds"], stays), "collect_replaced")


def _changed(request: HttpRequest, slug: str, batch: Batch, selection: Any, page: str) -> HttpResponse:
    try:
        collecting.change(batch, selection)
    except WrongState:
        messages.warning(request, _("This import was confirmed or discarded already."))
        return redirect("batch", slug, batch.pk)
    number = request.POST.get("page", "")
    where = reverse(page, args=[slug, batch.pk])
    return redirect(f"{where}?page={number}" if number.isascii() and number.isdigit() else where)
