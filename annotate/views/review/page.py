"""The page on which somebody reviews one annotation, and the parts of it that change while they type."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotate.kinds.shapes import Finding
from annotate.models import DROP_REASONS, SetAside
from annotate.models.work import SKIP_REASONS
from annotate.services import keys
from annotate.services.comparing import changed_fields
from annotate.services.reviewing import Reason, lists
from annotate.services.reviewing.desk import DECIDED, MINE, ReviewDesk
from annotate.services.reviewing.taking_back import why_too_late
from annotate.views.comments import Talk
from annotate.views.precedents import asking, pinned
from annotate.views.work.page import number_asked

MOVES = ("up", "down", "open", "skip", "ask", "help", "change_before", "change_next", "layout")
DECISIONS = "arced"  # letters that decide here, whatever somebody has chosen for other pages


def own_keys(custom_keys: Mapping[str, str]) -> dict[str, str]:
    """The keys by which one moves through the form; what would collide with a decision is left out."""
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
    }


def _frame(request: HttpRequest, desk: ReviewDesk) -> dict[str, Any]:
    opened = request.GET.get("open", "")
    return {
        "asking": asking(desk.item, desk.member),
        "talk": Talk(desk.member, desk.item, desk.kind.fields(desk.facts), desk.threads),
        "listed": lists.page(desk.member, lists.PENDING),
        "counts": lists.counts(desk.member),
        "show": lists.PENDING,
        "events": list(desk.item.events.shown_to(desk.member.user).select_related("actor")),
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
