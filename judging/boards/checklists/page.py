"""Pages about checklists: statistics of all questions, one question answer by answer, and live scores in a form.

Query parameters with unknown values filter nothing.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate.models import Item, Member
from annotate.web.access import WORKERS, item_seen_by, membership, project_page
from judging.boards.checklists import numbers
from judging.boards.checklists.live_scores import live_scores
from judging.boards.checklists.numbers import (
    ALTERNATIVE,
    FEW_ANSWERS,
    SIGNS,
    QuestionCursor,
    QuestionStatistics,
    of_item,
    statistics,
)
from judging.boards.options import judge_in
from judging.models import Judge
from judging.verdicts.item_verdicts import ItemVerdicts, item_verdicts
from judging.verdicts.item_verdicts import judges_of as judges_of_item
from judging.verdicts.verdict_scores import judges as judges_of

PLACE = re.compile(r"(\d{1,2})~(-?\d{1,5})~(\d{1,18})~(\d{1,6})", re.ASCII)
FILTERS = ("sign", "scenario", "task", "q")
SHOWN = ("met", "missed", "unsaid", "disagreed")


@dataclass(frozen=True)
class ChecklistQuery:
    judge: Judge
    sign: str = ""
    scenario: str = ""
    task: str = ""
    q: str = ""

    def has(self, question: QuestionStatistics) -> bool:
        return (
            self.sign in ("", question.sign or "works")
            and self.scenario in ("", question.scenario)
            and (not self.task or self.task in question.tasks)
            and self.q.casefold() in f"{question.key} {question.text}".casefold()
        )

    @property
    def address(self) -> str:
        words = {name: getattr(self, name) for name in FILTERS}
        return urlencode({"judge": self.judge.pk} | {name: value for name, value in words.items() if value})


def parse_checklist_query(request: HttpRequest, judge: Judge) -> ChecklistQuery:
    filters = {name: request.GET.get(name, "")[:200] for name in FILTERS}
    if filters["sign"] not in (*SIGNS, ALTERNATIVE, FEW_ANSWERS, "works"):
        filters["sign"] = ""
    return ChecklistQuery(judge, **filters)


def parse_judge(request: HttpRequest, judges: Sequence[Judge]) -> Judge | None:
    """The judge that the address names, else the first; None if there is none. An unknown judge is 404."""
    return judge_in(request.GET, judges)


def parse_cursor(request: HttpRequest, name: str) -> QuestionCursor | None:
    match = PLACE.fullmatch(request.GET.get(name, ""))
    return None if match is None else (int(match[1]), int(match[2]), int(match[3]), int(match[4]))


def word_of(position: QuestionCursor) -> str:
    return "~".join(map(str, position))


PAGE = 50


def checklists(request: HttpRequest, member: Member) -> HttpResponse:
    """How well every question of every judged checklist works, the worst first."""
    judges = judges_of(member.project)
    judge = parse_judge(request, judges)
    if judge is None:
        return project_page(request, member, "checklists/empty.html", {}, tab="judging")
    everything = statistics(member.project, judge)
    query = parse_checklist_query(request, judge)
    questions = [question for question in everything if query.has(question)]
    context: dict[str, Any] = {"judges": judges, "asked": query, "count": len(questions)}
    context |= _choices(everything) | _page(request, questions)
    return project_page(request, member, "checklists/checklists.html", context, tab="judging")


def _page(request: HttpRequest, questions: Sequence[QuestionStatistics]) -> dict[str, Any]:
    """One page by cursor, so that it begins at the right place although other questions came or went."""
    after, before = parse_cursor(request, "after"), parse_cursor(request, "before")
    start = 0
    if before is not None:
        start = max(sum(question.place < before for question in questions) - PAGE, 0)
    elif after is not None:
        start = sum(question.place <= after for question in questions)
    rows = questions[start : start + PAGE]
    return {
        "rows": rows,
        "before": word_of(rows[0].place) if rows and start else "",
        "after": word_of(rows[-1].place) if rows and start + PAGE < len(questions) else "",
    }


def _choices(everything: Sequence[QuestionStatistics]) -> dict[str, Any]:
    """Choices of the filters; `signs` counts the questions with each sign, whatever the other filters."""
    return {
        "signs": Counter(question.sign or "works" for question in everything).most_common(),
        "scenarios": sorted({question.scenario for question in everything} - {""}),
        "tasks": sorted({task for question in everything for task in question.tasks}),
    }


COMPARED = 5  # judges side by side


def checklist_question(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """What judges said of one question, answer by answer: the verdicts behind each of its figures."""
    item = get_object_or_404(Item.objects.filter(project=member.project).select_related("base", "project"), pk=pk)
    judges = judges_of_item(item)
    judge = parse_judge(request, judges)
    verdicts = item_verdicts(item, judge)
    index = _place(request, verdicts)
    context: dict[str, Any] = {"item": item, "judges": judges, "judge": judge, "no": index + 1}
    if judge is not None and verdicts is not None:
        other_judges = [candidate for candidate in judges if candidate != judge][: COMPARED - 1]
        context |= _rows(
            request, verdicts, index, {other_judge: item_verdicts(item, other_judge) for other_judge in other_judges}
        )
        statistics = of_item(item.pk, judge, judges, numbers.read_questions([item.pk], judges))
        context |= {
            "known": statistics[index] if statistics else None,
            "questions": verdicts.case.judged.checklist,
            "others": other_judges,
        }
        context["question"] = verdicts.case.judged.checklist[index]
    return project_page(request, member, "checklists/question.html", context, tab="judging")


def _place(request: HttpRequest, verdicts: ItemVerdicts | None) -> int:
    """Index of the question, from 0; the first if the address names none. 404 for an unknown question."""
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


@never_cache
@require_POST
@login_required
def live_scores_part(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A fragment of the work and review pages: scores under the checklist in their form. Writes nothing.

    Everybody who may see the item may see it; it never names the authors of answers.
    """
    member = membership(request, slug, WORKERS)
    item_seen_by(member, pk)  # else 404
    if not member.project.kind.judges_answers:
        raise Http404
    item = Item.objects.select_related("base", "project").get(pk=pk)
    kind = item.project.kind
    facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
    number_text = request.POST.get("live_answer", "")
    number = int(number_text) if number_text.isascii() and number_text.isdecimal() and len(number_text) < 6 else 1
    scores = live_scores(item, kind.read_form(request.POST, facts), number)
    return render(request, "checklists/_live.html", {"live": scores, "project": member.project, "item": item})
