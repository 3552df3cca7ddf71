from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import NoReverseMatch, reverse
from django.views.decorators.http import require_safe

from annotate.models import Item
from annotate.views.pages import project_page
from annotate.views.runs.calls import asked_with
from judging.models import Judge
from judging.services.item_verdicts import ItemVerdicts, Judgement, item_verdicts, judges_of, replies
from judging.views.answers.access import judging_member

LONGEST = 50_000  # characters of a reply that are shown


@require_safe
@login_required
def item_verdicts_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What one judge said about every answer to an item; ?answer= opens one of them with the reasons."""
    member = judging_member(request, slug)
    items = Item.objects.filter(project=member.project).select_related("base", "project")
    item = get_object_or_404(items, pk=pk)
    judges = judges_of(item)
    judge = _chosen(request, judges)
    verdicts = item_verdicts(item, judge)
    opened = _opened(request, verdicts)
    context: dict[str, Any] = {"item": item, "judges": judges, "judge": judge, "found": verdicts, "opened": opened}
    context["questions"] = list(zip(verdicts.case.judged.checklist, verdicts.met, strict=True)) if verdicts else []
    if opened is not None and verdicts is not None:
        context["opened_cells"] = list(zip(verdicts.case.judged.checklist, opened.cells, strict=True))
        calls = replies(opened.verdict) if opened.verdict and member.leads else []
        context |= {
            "calls": [(call, call.reply[:LONGEST], asked_with(call)) for call in calls],
            "answer_address": _answer_address(slug, opened),
        }
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": member.project, "membership": member}
        return render(request, "leaderboard/_opened.html", frame | context)
    return project_page(request, member, "leaderboard/verdicts.html", context, tab="judging")


def _chosen(request: HttpRequest, judges: list[Judge]) -> Judge | None:
    judge_pk = request.GET.get("judge", "")
    return next((judge for judge in judges if str(judge.pk) == judge_pk), judges[0] if judges else None)


def _opened(request: HttpRequest, verdicts: ItemVerdicts | None) -> Judgement | None:
    answer_pk = request.GET.get("answer", "")
    rows = [row for row in verdicts.rows if str(row.answer.pk) == answer_pk] if verdicts else []
    if answer_pk and not rows:
        raise Http404
    return rows[0] if rows else None


def _answer_address(slug: str, opened: Judgement) -> str:
    """The page of the answer, "" where this installation has none."""
    try:
        return reverse("answer", args=[slug, opened.answer.pk])
    except NoReverseMatch:
        return ""
