"""Views of the annotation page, with the fragments that change while a person types, and of the list of drafts."""

import json
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from annotate import hidden_checks
from annotate.guidelines import sections as guidelines_sections
from annotate.guidelines.precedent_pages import asking, pinned
from annotate.guidelines.sections import labels_of
from annotate.items import drafts
from annotate.items.comment_pages import ItemThreads, ThreadChoice, talk_about
from annotate.kinds.contract import Kind
from annotate.kinds.shapes import Finding
from annotate.models import Annotation, Comment, Item, Member, SetAside, Slot
from annotate.models.work import SKIP_REASONS
from annotate.readiness import calibration
from annotate.web.access import WORKERS, membership, project_page
from annotate.work import keys, progress
from annotate.work.desk import (
    Desk,
    correctable,
    desk,
    last_submitted,
    loose_drafts,
    open_next,
    take_up,
    texts_set_aside,
)
from annotate.work.siblings import siblings_of

TAKES_PAGE, PAGE_IS_AT = "X-Takes-Page", "X-Page-Is-At"


def work_page(request: HttpRequest, desk: Desk, *, status: int = 200, **more: Any) -> HttpResponse:
    """The whole page. more: `refused` (findings of a refused submission), `ask` (untouched draft), `conflict`."""
    context = _form(desk, **more) | _frame(request, desk)
    return render(request, "work/item.html", context, status=status)


def page_at_once(request: HttpRequest, desk: Desk, address: str) -> HttpResponse:
    """The page of the next item in answer to a form, for a script that then shows it under its own address.

    It is what a GET of this address would give, without the second request.
    """
    reading: Any = copy(request)
    path, _mark, query = address.partition("?")
    reading.method, reading.path, reading.path_info = "GET", path, path
    reading.GET, reading.get_full_path = QueryDict(query), lambda: address
    response = work_page(reading, desk)
    response.headers[PAGE_IS_AT] = address
    add_never_cache_headers(response)
    return response


def work_parts(request: HttpRequest, desk: Desk, *, status: int = 200, **more: Any) -> HttpResponse:
    """Only what a save may change: the form, the lease and the line about saving."""
    context = _form(desk, **more)
    return render(request, "work/_live.html", context, status=status)


def _form(desk: Desk, refused: Sequence[Finding] = (), **more: Any) -> dict[str, Any]:
    problems, doubts = desk.checks
    return {
        "project": desk.project,
        "membership": desk.member,
        "desk": desk,
        "slot": desk.slot,
        "item": desk.item,
        "annotation": desk.annotation,
        "suggestion": desk.annotation.suggestion,
        "suggested": desk.suggested,
        "candidates": _candidates(desk),
        "newer": desk.newer,
        "newer_rows": _newer_rows(desk),
        "decided": desk.annotation.decided,
        "facts": desk.facts,
        "kind_fields": {field.name: field for field in desk.kind.fields(desk.facts)},
        "form_template": desk.kind.form_template,
        "draft": desk.draft,
        "findings": list(refused) or problems,
        "problems": problems,
        "doubts": doubts if not desk.is_submitted else [],
        "answered": [] if refused else _worth_saying(desk, problems),
        "hints": _hints(desk, problems),
        "refused": refused,
        "show_problems": bool(refused),
        "read_only": not desk.is_held,
        "correctable": correctable(desk),
        **more,
    }


def _frame(request: HttpRequest, desk: Desk) -> dict[str, Any]:
    talk, guideline = _talk(request, desk), desk.project.guideline
    return {
        "progress": progress.progress(desk.member, at_work=desk.item.purpose != Item.Purpose.CALIBRATION),
        "guideline": guideline,
        "rules": _rules(desk, guideline.text) if guideline else None,
        "precedents": pinned(desk.item, desk.member),
        "asking": asking(desk.item, desk.member),
        "reasons": SKIP_REASONS,
        "talk": talk,
        "sent_back": _open_threads(talk),
        "own_keys": json.dumps(keys.keys_of(desk.member.user.keys)),
        "done": number_asked(request, "done"),
        "skipped": number_asked(request, "skipped"),
        "left_unconfirmed": number_asked(request, "left"),
    }


def _rules(desk: Desk, text: str) -> guidelines_sections.SortedParts:
    """The sections of the guidelines, those about this item first."""
    labels = labels_of(desk.kind.fields(desk.facts))
    sections = guidelines_sections.parts(desk.project, text, labels=labels)
    return guidelines_sections.for_item(sections, group=desk.item.group, fields=list(labels))


def _worth_saying(desk: Desk, problems: Sequence[Finding]) -> list[Finding]:
    """Problems of fields that have content; the page shows by itself that a field is empty."""
    return [finding for finding in problems if desk.draft.get(finding.field) and finding.source != "blank"]


def _hints(desk: Desk, problems: Sequence[Finding]) -> list[Finding]:
    """Doubts about the suggestion, in fields that nobody has decided yet and that no check reports as well."""
    suggestion = desk.annotation.suggestion
    if suggestion is None or desk.is_submitted:
        return []
    hints = [Finding.stored(doubt) for doubt in suggestion.doubts]
    settled = {name for name, value in suggestion.draft.items() if desk.draft.get(name) != value}
    settled.update(desk.annotation.decided)
    problem_paths = {finding.path for finding in problems}
    return [
        hint
        for hint in hints
        if hint.message and hint.field not in settled and (hint.source == "model" or hint.path not in problem_paths)
    ]


def _newer_rows(desk: Desk) -> list[drafts.SuggestionRow]:
    if desk.newer is None:
        return []
    return drafts.differing(desk.kind, desk.facts, desk.draft, desk.newer, shown=desk.annotation.suggestion)


def _candidates(desk: Desk) -> list[dict[str, Any]]:
    """By their label, in the order in which they were suggested; `no` is the number that buttons name."""
    suggestion = desk.annotation.suggestion
    if suggestion is None or not suggestion.candidates or not desk.is_held:
        return []
    whole = [{**suggestion.draft, **candidate["draft"]} for candidate in suggestion.candidates]
    sibling_items = siblings_of(desk.item, whole)
    groups: dict[str, list[dict[str, Any]]] = {}
    for no, candidate in enumerate(suggestion.candidates):
        text = drafts.text_of(desk.kind, desk.facts, candidate["draft"])
        row = {
            "no": no,
            "text": text,
            "picked": no == desk.annotation.picked,
            "item": sibling_items[no],
            "box": _box(desk, candidate),
        }
        groups.setdefault(candidate["label"], []).append(row)
    return [{"label": label, "rows": rows} for label, rows in groups.items()]


def _box(desk: Desk, candidate: Mapping[str, Any]) -> str:
    """The name of the text field that holds a picked candidate for rewriting."""
    texts = (field.name for field in desk.kind.fields(desk.facts) if field.how == "text")
    return next((name for name in texts if name in candidate["draft"]), "")


def _talk(request: HttpRequest, desk: Desk) -> ItemThreads | None:
    """Comments can only be there once somebody else has seen the item."""
    begun_anew = desk.item.round > 1 and not desk.slot.own
    if not begun_anew and not desk.is_submitted:
        return None
    return talk_about(desk.item, desk.member, ThreadChoice.of(request.GET), desk.draft)


def _open_threads(talk: ItemThreads | None) -> list[Comment]:
    return [thread for thread in talk.threads if thread.resolved_at is None] if talk else []


def number_asked(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 16 else None


def conflict_parts(desk: Desk, aside: SetAside) -> dict[str, Any]:
    """Both texts of a conflict, field by field, only where they differ."""
    kind, facts = desk.kind, desk.facts
    rows = [
        {
            "label": field.label,
            "mine": kind.shown(field.name, aside.draft.get(field.name)),
            "theirs": kind.shown(field.name, desk.draft.get(field.name)),
        }
        for field in kind.fields(facts)
        if aside.draft.get(field.name) != desk.draft.get(field.name)
    ]
    return {"conflict": {"aside": aside, "rows": rows, "at": desk.annotation.saved_at}}


@never_cache
@login_required
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirects to the item that the person holds; without one, says what is waiting or why nothing is."""
    member = membership(request, slug, WORKERS)
    held = Slot.objects.held_by(member.user).filter(project=member.project, stage=Slot.Stage.ANNOTATE)
    slot = held.filter(annotations__author=member.user).order_by("id").first()
    if slot:
        return redirect("work_item", slug, slot.pk)
    context = {
        "nothing": None if held.exists() else progress.why_empty(member),
        "progress": progress.progress(member, fresh=True),
        "calibration": _calibration(member),
        "now": timezone.now(),
        "done": number_asked(request, "done"),
        "skipped": number_asked(request, "skipped"),
        "left_unconfirmed": number_asked(request, "left"),
    }
    return project_page(request, member, "work/start.html", context, tab="work")


def _calibration(member: Member) -> dict[str, object] | None:
    """The calibration progress of a person before the queue opens; None for everybody else."""
    if not hidden_checks.must_calibrate(member):
        return None
    standing = calibration.standing(member)
    return {
        "standing": standing,
        "asked": hidden_checks.requirements_of(member.project),
        "has_items": calibration.has_items(member),
    }


@login_required
def next_item(request: HttpRequest, slug: str) -> HttpResponse:
    member = membership(request, slug, WORKERS)
    slot = open_next(member) if request.method == "POST" else None
    return redirect("work_item", slug, slot.pk) if slot else redirect("work", slug)


@never_cache
@login_required
def item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """An item of one's own: held, submitted, or no longer held."""
    own_desk = desk(membership(request, slug, WORKERS), pk)
    if own_desk is None:
        raise Http404
    return work_page(request, own_desk)


@login_required
def before(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The person's submission before this item; the list of drafts where there is none."""
    member = membership(request, slug, WORKERS)
    own_desk = desk(member, pk)
    earlier = last_submitted(member, before=own_desk.annotation if own_desk else None)
    return redirect("work_item", slug, earlier.slot_id) if earlier else redirect("my_drafts", slug)


@login_required
def my_drafts(request: HttpRequest, slug: str) -> HttpResponse:
    """Every text of the author that is stored nowhere else."""
    member = membership(request, slug, WORKERS)
    kind = member.project.kind
    context = {
        "drafts": [_draft_view(kind, draft, draft.draft) for draft in loose_drafts(member)],
        "asides": [_draft_view(kind, aside.annotation, aside.draft, aside) for aside in texts_set_aside(member)],
    }
    return project_page(request, member, "work/drafts.html", context, tab="my_drafts")


@login_required
def go_on(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, WORKERS)
    if request.method == "POST" and not take_up(member, pk):
        messages.error(request, _("This item is not available now: someone else is working on it, or it is done."))
        return redirect("my_drafts", slug)
    return redirect("work_item", slug, pk)


def _draft_view(
    kind: Kind, annotation: Annotation, draft: dict[str, object], aside: SetAside | None = None
) -> dict[str, object]:
    """One text, field by field, with what can be done about it."""
    fields = kind.fields(kind.read_facts(annotation.item.facts))
    rows = [(field.label, kind.shown(field.name, draft.get(field.name))) for field in fields]
    slot = annotation.slot
    return {
        "annotation": annotation,
        "item": annotation.item,
        "slot": slot,
        "rows": [(label, text) for label, text in rows if text],
        "at": aside.created_at if aside else annotation.saved_at,
        "open": slot is not None and slot.state == Slot.State.OPEN,
    }
