from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotate.models import Item
from annotate.views.pages import project_page
from judging.models import Judge
from judging.services.checklists import said
from judging.services.checklists.statistics import of_item
from judging.services.item_verdicts import ItemVerdicts, item_verdicts, judges_of
from judging.views.checklists.access import checklists_member
from judging.views.checklists.asked import SHOWN, judge_asked

COMPARED = 5  # judges side by side


@require_safe
@login_required
def checklist_question(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What judges said of one question, answer by answer: the verdicts behind each of its figures."""
    member = checklists_member(request, slug)
    item = get_object_or_404(Item.objects.filter(project=member.project).select_related("base", "project"), pk=pk)
    judges = judges_of(item)
    judge = judge_asked(request, judges)
    found = item_verdicts(item, judge)
    place = _place(request, found)
    context: dict[str, Any] = {"item": item, "judges": judges, "judge": judge, "no": place + 1}
    if judge is not None and found is not None:
        others = [each for each in judges if each != judge][: COMPARED - 1]
        context |= _rows(request, found, place, {each: item_verdicts(item, each) for each in others})
        known = of_item(item.pk, judge, judges, said.read([item.pk], judges))
        context |= {
            "known": known[place] if known else None,
            "questions": found.case.judged.checklist,
            "others": others,
        }
        context["question"] = found.case.judged.checklist[place]
    return project_page(request, member, "checklists/question.html", context, tab="judging")


def _place(request: HttpRequest, found: ItemVerdicts | None) -> int:
    """From 0; the first where the address names none. 404 for a question that is not there."""
    wanted = request.GET.get("no", "1")
    number = int(wanted) if wanted.isascii() and wanted.isdecimal() and len(wanted) < 6 else 0
    if found is None or not found.case.judged.checklist:
        raise Http404
    if not 0 < number <= len(found.case.judged.checklist):
        raise Http404
    return number - 1


def _rows(
    request: HttpRequest, found: ItemVerdicts, place: int, others: dict[Judge, ItemVerdicts | None]
) -> dict[str, Any]:
    theirs = [
        {row.answer.pk: row.cells[place] for row in each.rows if not row.outdated} if each else {}
        for each in others.values()
    ]
    rows = [
        {"row": row, "cell": row.cells[place], "theirs": [cells.get(row.answer.pk) for cells in theirs]}
        for row in found.rows
        if row.verdict is not None and not row.outdated
    ]
    which = request.GET.get("which", "")
    which = which if which in SHOWN else ""
    return {"rows": [row for row in rows if _is(row, which)], "which": which}


def _is(row: dict[str, Any], which: str) -> bool:
    met = row["cell"].met
    said_otherwise = {cell.met for cell in row["theirs"] if cell is not None} - {None, met}
    wanted = {"met": met is True, "missed": met is False, "unsaid": met is None, "disagreed": bool(said_otherwise)}
    return wanted.get(which, True)
