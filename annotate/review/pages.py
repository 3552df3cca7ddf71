"""Views of the review page, with the fragments that change while a person types, and of the list of reviews."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from annotate import hidden_checks
from annotate.errors import Refused
from annotate.guidelines.precedent_pages import asking, pinned
from annotate.hidden_checks import SeenEvent
from annotate.items.comment_pages import ItemThreads, ThreadChoice
from annotate.items.compare import changed_fields
from annotate.items.history import EVENTS_PER_PAGE
from annotate.items.pins import pins_in
from annotate.kinds.shapes import Finding
from annotate.models import DROP_REASONS, SetAside
from annotate.models.work import SKIP_REASONS
from annotate.quality.acceptance_sampling import in_review
from annotate.review import claim
from annotate.review.decisions import Reason
from annotate.review.desks import DECIDED, MINE, OPEN, ReviewDesk, desk_of
from annotate.review.take_back import why_too_late
from annotate.web.access import REVIEWERS, membership, project_page
from annotate.web.pager import numbered_page
from annotate.work import keys
from annotate.work.pages import number_asked

MOVES = {"up", "down", "open", "back", "forward", "skip", "ask", "help", "change_before", "change_next", "layout"}
MOVES |= {"mark", "edges", "drop", "source"}  # of spans
SAMPLES_SHOWN = 5
DECISIONS = "arced"  # letters that decide here, whatever keys a person has chosen for other pages


def own_keys(custom_keys: Mapping[str, str]) -> dict[str, str]:
    """The keys that move through the form; keys that collide with a decision are left out."""
    return {
        name: key for name, key in keys.keys_of(custom_keys).items() if name in MOVES and key.lower() not in DECISIONS
    }


def review_page(request: HttpRequest, desk: ReviewDesk, *, status: int = 200, **more: Any) -> HttpResponse:
    """The whole page. more: what went wrong (refused, said, conflict, lost) and which form stands open (open)."""
    context = _desk(desk, **more) | _frame(request, desk)
    return render(request, "review/item.html", context | more, status=status)


def review_parts(request: HttpRequest, desk: ReviewDesk, *, status: int = 200, **more: Any) -> HttpResponse:
    """Only what a save may change."""
    return render(request, "review/_live.html", _desk(desk, **more) | more, status=status)


def _desk(desk: ReviewDesk, refused: Sequence[Finding] = (), **more: Any) -> dict[str, Any]:
    problems, _doubts = desk.checks
    return {
        "project": desk.project,
        "membership": desk.member,
        "desk": desk,
        "mine": desk.mode == MINE,
        "slot": desk.slot,
        "item": desk.item,
        "annotation": desk.annotation,
        "facts": desk.facts,
        "draft": desk.draft,
        "findings": list(refused) or problems,
        "problems": problems,
        "refused": refused,
        "show_problems": bool(refused),
        "read_only": desk.mode != MINE,
        "fix_note": "",
        "drop_note": "",
        "drop_reason": "",
        "precedents": pinned(desk.item, desk.member),
        "fields": {field.name: field.label for field in desk.kind.fields(desk.facts)},
        "pins": _pins(desk),
    }


def _frame(request: HttpRequest, desk: ReviewDesk) -> dict[str, Any]:
    opened = request.GET.get("open", "")
    listed = claim.page(desk.member, claim.PENDING)
    return {
        "asking": asking(desk.item, desk.member),
        "talk": ItemThreads(
            desk.member,
            desk.item,
            desk.kind.fields(desk.facts),
            desk.threads,
            draft=_shown_draft(desk),
            choice=ThreadChoice.of(request.GET),
        ),
        "listed": listed,
        "neighbours": claim.neighbours(desk.member, desk.slot, listed),
        "counts": claim.counts(desk.member, listed),
        "show": claim.PENDING,
        "events": numbered_page(request, _events(desk)[::-1], EVENTS_PER_PAGE, "history"),
        "drop_reasons": DROP_REASONS,
        "skip_reasons": SKIP_REASONS,
        "done": number_asked(request, "done"),
        "skipped": number_asked(request, "skipped"),
        "can_undo": desk.mode == DECIDED and not why_too_late(desk.annotation, desk.member.user),
        "reasons": [Reason(request.GET.get("field", ""), "")],
        "own_keys": json.dumps(own_keys(desk.member.user.keys)),
        "actions": [action for action in keys.ACTIONS if action.name in MOVES],
        "open": opened if opened in ("return", "drop", "fix") else "",
    }


def _events(desk: ReviewDesk) -> list[SeenEvent]:
    stored_events = desk.item.events.shown_to(desk.member.user).select_related("actor")
    return hidden_checks.events(stored_events, desk.item, desk.member)


def _pins(desk: ReviewDesk) -> list[tuple[str, str]]:
    """(value, words) of what a reason can be about."""
    labels = {field.name: str(field.label) for field in desk.kind.fields(desk.facts)}
    return [(pin.value, pin.words(labels)) for pin in pins_in(desk.kind, desk.facts, _shown_draft(desk))]


def _shown_draft(desk: ReviewDesk) -> Mapping[str, Any]:
    """The text that is judged; in an adjudication, the one that is being made."""
    return desk.draft if desk.adjudicates else desk.about.draft


def conflict_of(
    desk: ReviewDesk, own_draft: Mapping[str, Any], stored_draft: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Both texts, field by field, where they differ."""
    kind, fields = desk.kind, desk.kind.fields(desk.facts)
    differ = set(changed_fields(fields, stored_draft, own_draft))
    return [
        {
            "label": field.label,
            "mine": kind.shown(field.name, own_draft.get(field.name)),
            "theirs": kind.shown(field.name, stored_draft.get(field.name)),
        }
        for field in fields
        if field.name in differ
    ]


def aside_conflict(desk: ReviewDesk, aside: SetAside) -> dict[str, Any]:
    return {"conflict": conflict_of(desk, aside.draft, desk.draft), "aside": aside}


@never_cache
@login_required
def queue(request: HttpRequest, slug: str) -> HttpResponse:
    """The list: pending reviews, decided ones, or both."""
    member = membership(request, slug, REVIEWERS)
    show = request.GET.get("show", "")
    show = show if show in claim.LIST_CHOICES else claim.PENDING
    listed = claim.page(member, show, request.GET.get("after", ""))
    context = {
        "done": number_asked(request, "done"),
        "skipped": number_asked(request, "skipped"),
        "show": show,
        "counts": claim.counts(member, listed),
        "listed": listed,
        "in_hand": claim.in_review(member).held_by(member.user).first(),
        "samples": list(in_review(member.project)[:SAMPLES_SHOWN]),
    }
    return project_page(request, member, "review/queue.html", context, tab="review")


@login_required
def next_item(request: HttpRequest, slug: str) -> HttpResponse:
    member = membership(request, slug, REVIEWERS)
    if request.method != "POST":
        return redirect("review", slug)
    slot = claim.take_next(member)
    if slot:
        return redirect("review_item", slug, slot.pk)
    messages.info(request, claim.why_none(member))
    return redirect("review", slug)


@never_cache
@login_required
def item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One review: held, open, or decided. Looking at it claims nothing."""
    member = membership(request, slug, REVIEWERS)
    desk = desk_of(member, pk)
    if desk is None:
        raise Http404
    if desk.mode == OPEN and claim.is_own_work(desk.slot, member):
        return _refused(request, slug, claim.why_not(desk.slot, member))
    return review_page(request, desk)


@login_required
def take(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Pick a listed item."""
    member = membership(request, slug, REVIEWERS)
    if request.method != "POST":
        return redirect("review_item", slug, pk)
    slot = claim.in_review(member).filter(pk=pk).first()
    if slot is None:
        raise Http404
    try:
        claim.take(member, slot)
    except Refused as refused:
        return _refused(request, slug, str(refused))
    return redirect("review_item", slug, pk)


def _refused(request: HttpRequest, slug: str, reason: str) -> HttpResponse:
    again = reverse("review", args=[slug])
    return render(request, "409.html", {"reason": reason, "again": again}, status=409)
