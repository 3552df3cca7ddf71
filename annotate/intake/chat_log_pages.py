"""Pages from a chat log to an import: rules with their counts, replacements to check, then the import's page."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotate.errors import WrongState
from annotate.formats.chatlog.conversations import scenarios_of
from annotate.formats.chatlog.selection import MOST_KEPT, ConversationExample, LogSelection, parse_place
from annotate.intake import chat_logs, previews
from annotate.intake.forms import KindsForm, LogForm, RulesForm
from annotate.intake.row_checks import LOOKS_LIKE
from annotate.models import Batch, Member
from annotate.web.access import LEADS, membership, person, project_page
from annotate.web.pager import numbered_page
from lib.texts.anonymisation import Replacement

AROUND = 60  # characters


@dataclass(frozen=True)
class ReplacementContext:
    """A replacement with the words around it. place: its name in the form.

    before, was, after: the text; stays: somebody reverted the replacement.
    """

    place: str
    line: int
    turn: int
    what: str | Promise
    before: str
    was: str
    placeholder: str
    after: str
    stays: bool


def in_context(match: tuple[ConversationExample, int, Replacement], selection: LogSelection) -> ReplacementContext:
    example, turn_index, replacement = match
    text, position = example.talk.turns[turn_index]["content"], (example.line, turn_index, replacement.no)
    text_before, text_after = (
        text[max(0, replacement.start - AROUND) : replacement.start],
        text[replacement.end : replacement.end + AROUND],
    )
    return ReplacementContext(
        place=".".join(map(str, position)),
        line=example.line,
        turn=turn_index + 1,
        what=_(LOOKS_LIKE[replacement.kind]),
        before=f"…{text_before}" if replacement.start > AROUND else text_before,
        was=text[replacement.start : replacement.end],
        placeholder=replacement.placeholder,
        after=f"{text_after}…" if replacement.end + AROUND < len(text) else text_after,
        stays=position in selection.stays,
    )


# Pages of the steps.


PER_PAGE = 25


def _lead(request: HttpRequest, slug: str) -> Member:
    """404 for a kind that no scenario makes items of."""
    member = membership(request, slug, LEADS)
    if not scenarios_of(member.project.kind_slug):
        raise Http404
    return member


def _log(request: HttpRequest, slug: str, pk: int) -> tuple[Member, Batch]:
    member = _lead(request, slug)
    batch = Batch.objects.filter(project=member.project, pk=pk, format=chat_logs.FORMAT).first()
    if batch is None:
        raise Http404
    batch.project = member.project
    return member, batch


@login_required
def collect(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose a log and its scenario."""
    member = _lead(request, slug)
    posted = request.method == "POST"
    form = LogForm(*((request.POST, request.FILES) if posted else ()), project=member.project)
    if posted and form.is_valid():
        selection = chat_logs.choose(member.project, form.cleaned_data["scenario"])
        batch = previews.upload(
            project=member.project,
            file=form.cleaned_data["file"],
            settings=chat_logs.settings_of(selection),
            by=person(request),
        )
        return redirect("collect_log", slug, batch.pk)
    status = 422 if form.errors else 200
    return project_page(request, member, "collecting/collect.html", {"form": form}, tab="collect", status=status)


@login_required
def collect_log(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What the rules keep of it. POST: other rules."""
    member, batch = _log(request, slug, pk)
    if batch.state != Batch.State.PREVIEW:
        return redirect("batch", slug, pk)
    selection = chat_logs.selection_of(batch)
    form = RulesForm(request.POST if request.method == "POST" else None, chosen=selection)
    if request.method == "POST" and form.is_valid():
        return _changed(request, slug, batch, form.chosen, "collect_log")
    preview = chat_logs.preview(batch, listed=chat_logs.LISTED)
    context = {"batch": batch, "chosen": selection, "form": form, "found": preview, "rows": chat_logs.ROWS}
    context["most"] = chat_logs.LISTED
    return project_page(
        request, member, "collecting/log.html", context, tab="collect", status=422 if form.errors else 200
    )


@login_required
def collect_replaced(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Each replacement in its context, to be reverted one by one or by kind."""
    member, batch = _log(request, slug, pk)
    if batch.state != Batch.State.PREVIEW:
        return redirect("batch", slug, pk)
    selection = chat_logs.selection_of(batch)
    preview = chat_logs.preview(batch, listed=chat_logs.LISTED)
    page = numbered_page(request, preview.found, PER_PAGE)
    context: dict[str, Any] = {
        "batch": batch,
        "form": KindsForm(initial={"kinds": sorted(selection.replaces)}),
        "rows": [in_context(match, selection) for match in page],
        "page": page,
        "more": len(preview.found) >= chat_logs.LISTED,
        "read": chat_logs.ROWS,
    }
    return project_page(request, member, "collecting/replaced.html", context, tab="collect")


@require_POST
@login_required
def collect_replace(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """POST: which of the displayed replacements are reverted; and the kinds."""
    _member, batch = _log(request, slug, pk)
    selection = chat_logs.selection_of(batch)
    shown_places, back = (set(map(parse_place, request.POST.getlist(name)[:PER_PAGE])) for name in ("shown", "stays"))
    stays = {position for position in (selection.stays - shown_places) | (back & shown_places) if position is not None}
    kinds = KindsForm(request.POST)
    if not kinds.is_valid() or len(stays) > MOST_KEPT:
        return redirect("collect_replaced", slug, pk)
    return _changed(request, slug, batch, selection.replacing(kinds.cleaned_data["kinds"], stays), "collect_replaced")


def _changed(request: HttpRequest, slug: str, batch: Batch, selection: Any, page: str) -> HttpResponse:
    try:
        chat_logs.change(batch, selection)
    except WrongState:
        messages.warning(request, _("This import was already confirmed or discarded."))
        return redirect("batch", slug, batch.pk)
    number = request.POST.get("page", "")
    where = reverse(page, args=[slug, batch.pk])
    return redirect(f"{where}?page={number}" if number.isascii() and number.isdigit() else where)
