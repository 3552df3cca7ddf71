"""The page on which somebody annotates one item, and the parts of it that change while they type."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotate.kinds.shapes import Finding
from annotate.models import Comment, Item, SetAside
from annotate.models.work import SKIP_REASONS
from annotate.services import guidelines, keys, progress, suggesting
from annotate.services.guidelines.names import labels_of
from annotate.services.items import siblings
from annotate.services.readiness.places import is_own_place
from annotate.services.work import Desk, correctable
from annotate.views.comments import Talk, talk_about
from annotate.views.precedents import asking, pinned


def work_page(request: HttpRequest, desk: Desk, *, status: int = 200, **more: Any) -> HttpResponse:
    """The whole page. more: `refused` (findings of a refused submission), `ask` (untouched draft), `conflict`."""
    context = _form(desk, **more) | _frame(request, desk)
    return render(request, "work/item.html", context, status=status)


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
    talk, guideline = _talk(desk), desk.project.guideline
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
    }


def _rules(desk: Desk, text: str) -> guidelines.Sorted:
    """The sections of the guidelines, those about this item first."""
    labels = labels_of(desk.kind.fields(desk.facts))
    sections = guidelines.parts(desk.project, text, labels=labels)
    return guidelines.for_item(sections, group=desk.item.group, fields=list(labels))


def _worth_saying(desk: Desk, problems: Sequence[Finding]) -> list[Finding]:
    """Problems of what is there already; that an empty field is empty can be seen."""
    return [finding for finding in problems if desk.draft.get(finding.field) and finding.source != "blank"]


def _hints(desk: Desk, problems: Sequence[Finding]) -> list[Finding]:
    """What was doubtful about the suggestion, as long as nobody has decided on that field and no check says it too."""
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


def _newer_rows(desk: Desk) -> list[suggesting.Row]:
    if desk.newer is None:
        return []
    return suggesting.differing(desk.kind, desk.facts, desk.draft, desk.newer, shown=desk.annotation.suggestion)


def _candidates(desk: Desk) -> list[dict[str, Any]]:
    """By their label, in the order in which they were suggested; `no` is the number that buttons name."""
    suggestion = desk.annotation.suggestion
    if suggestion is None or not suggestion.candidates or not desk.is_held:
        return []
    whole = [{**suggestion.draft, **candidate["draft"]} for candidate in suggestion.candidates]
    sibling_items = siblings.siblings(desk.item, whole)
    groups: dict[str, list[dict[str, Any]]] = {}
    for no, candidate in enumerate(suggestion.candidates):
        text = suggesting.text_of(desk.kind, desk.facts, candidate["draft"])
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
    """The name of the text in which a picked candidate stands to be rewritten."""
    texts = (field.name for field in desk.kind.fields(desk.facts) if field.how == "text")
    return next((name for name in texts if name in candidate["draft"]), "")


def _talk(desk: Desk) -> Talk | None:
    """Comments can only be there once somebody else has seen the item."""
    begun_anew = desk.item.round > 1 and not is_own_place(desk.slot)
    if not begun_anew and not desk.is_submitted:
        return None
    return talk_about(desk.item, desk.member)


def _open_threads(talk: Talk | None) -> list[Comment]:
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
