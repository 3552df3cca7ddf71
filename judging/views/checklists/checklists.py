from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate.views.pages import project_page
from judging.services.checklists.statistics import QuestionStatistics, statistics
from judging.services.scores import judges as judges_of
from judging.views.checklists.access import checklists_member
from judging.views.checklists.asked import asked, judge_asked, place_asked, word_of

PAGE = 50


@require_safe
@login_required
def checklists(request: HttpRequest, slug: str) -> HttpResponse:
    """How well every question of every judged checklist works, the worst first."""
    member = checklists_member(request, slug)
    judges = judges_of(member.project)
    judge = judge_asked(request, judges)
    if judge is None:
        return project_page(request, member, "checklists/empty.html", {}, tab="judging")
    everything = statistics(member.project, judge)
    query = asked(request, judge)
    questions = [question for question in everything if query.has(question)]
    context: dict[str, Any] = {"judges": judges, "asked": query, "count": len(questions)}
    context |= _choices(everything) | _page(request, questions)
    return project_page(request, member, "checklists/checklists.html", context, tab="judging")


def _page(request: HttpRequest, questions: Sequence[QuestionStatistics]) -> dict[str, Any]:
    """By their place in the order, so that a page begins where it should although other questions came or went."""
    after, before = place_asked(request, "after"), place_asked(request, "before")
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
    """What can be filtered by; `signs` says how many questions have each, whatever else is filtered."""
    return {
        "signs": Counter(question.sign or "works" for question in everything).most_common(),
        "scenarios": sorted({question.scenario for question in everything} - {""}),
        "tasks": sorted({task for question in everything for task in question.tasks}),
    }
