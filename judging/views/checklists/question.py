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
    verdicts = item_verdicts(item, judge)
    index = _place(request, verdicts)
    context: dict[str, Any] = {"item": item, "judges": judges, "judge": judge, "no": index + 1}
    if judge is not None and verdicts is not None:
        other_judges = [candidate for candidate in judges if candidate != judge][: COMPARED - 1]
        context |= _rows(
            request, verdicts, index, {other_judge: item_verdicts(item, other_judge) for other_judge in other_judges}
        )
        statistics = of_item(item.pk, judge, judges, said.read([item.pk], judges))
        context |= {
            "known": statistics[index] if statistics else None,
            "questions": verdicts.case.judged.checklist,
            "others": other_judges,
        }
        context["question"] = verdicts.case.judged.checklist[index]
    return project_page(request, member, "checklists/question.html", context, tab="judging")


def _place(request: HttpRequest, verdicts: ItemVerdicts | None) -> int:
    """From 0; the first where the address names none. 404 for a question that is not there."""
    number_text = request.GET.get("no", "1")
    number = int(number_text) if number_text.isascii() and number_text.isdecimal() and len(number_text) < 6 else 0
    if verdicts is None or not verdicts.case.judged.checklist:
        raise Http404
    if not 0 < number <= len(verdicts.case.judged.checklist):
        raise Http404
    return number - 1


def _rows(
    request: HttpRequest, verdicts: ItemVerdicts, index: int, verdicts_by_judge: dict[Judge, ItemVerdicts | None]
) -> dict[str, Any]:
    other_cells = [
        {row.answer.pk: row.cells[index] for row in judge_verdicts.rows if not row.outdated} if judge_verdicts else {}
        for judge_verdicts in verdicts_by_judge.values()
    ]
    rows = [
        {"row": row, "cell": row.cells[index], "theirs": [cells.get(row.answer.pk) for cells in other_cells]}
        for row in verdicts.rows
        if row.verdict is not None and not row.outdated
    ]
    which = request.GET.get("which", "")
    which = which if which in SHOWN else ""
    return {"rows": [row for row in rows if _is(row, which)], "which": which}


def _is(row: dict[str, Any], which: str) -> bool:
    met = row["cell"].met
    said_otherwise = {cell.met for cell in row["theirs"] if cell is not None} - {None, met}
    matches = {"met": met is True, "missed": met is False, "unsaid": met is None, "disagreed": bool(said_otherwise)}
    return matches.get(which, True)
