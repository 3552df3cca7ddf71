import re
from collections.abc import Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import NoReverseMatch, reverse

from annotate.models import Item, Member
from annotate.runs.detail_pages import request_parameters
from annotate.web.access import project_page
from judging.boards.leaderboard.leaderboard_options import LeaderboardOptions
from judging.boards.options import address_without
from judging.models import Judge
from judging.ratings.counted_answers import (
    COUNTED,
    LEFT_OUT,
    AnswerFilter,
    CountedAnswer,
    ScoredCursor,
    answer_page,
    counted_answers,
    outdated,
    unjudged,
)
from judging.ratings.leaderboards import JudgeReading, readings
from judging.ratings.selections import selected
from judging.verdicts.item_verdicts import ItemJudgement, ItemVerdicts, item_verdicts, judges_of, replies

PLACE = re.compile(r"(\d{1,18})-(\d{1,18})-(\d{1,18})", re.ASCII)


def leaderboard_items(request: HttpRequest, member: Member) -> HttpResponse:
    """The answers behind one number, page by page."""
    query = LeaderboardOptions.parse(request.GET, member.project)
    if query.judge is None:
        raise Http404
    (reading,) = (selected(whole, query.selection) for whole in readings(member.project, [query.judge]))
    selection = _answer_filter(request)
    after, before = _parse_cursor(request, "after"), _parse_cursor(request, "before")
    page = answer_page(_answers_behind(reading, selection), after=after, before=before)
    context = {
        "asked": query,
        "wanted": selection,
        "page": page,
        "address": address_without(request, "after", "before"),
    }
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": member.project, "membership": member}
        return render(request, "leaderboard/_items.html", frame | context)
    return project_page(request, member, "leaderboard/items.html", context, tab="leaderboard")


def _answer_filter(request: HttpRequest) -> AnswerFilter:
    which = request.GET.get("which", "")
    parameters = {name: request.GET.get(name, "") for name in ("author", "other", "scenario", "by", "group")}
    return AnswerFilter(**parameters, which=which if which in (*COUNTED, *LEFT_OUT) else "")


def _answers_behind(reading: JudgeReading, selection: AnswerFilter) -> list[CountedAnswer]:
    rows = reading.scores.rows
    if selection.which == "outdated":
        answers = outdated(reading.project, reading.judge, selection)
    elif selection.which == "unjudged":
        answers = unjudged(reading.project, rows, selection)
    else:
        return counted_answers(rows, selection)
    return [answer for answer in answers if reading.counts(answer.item_id)]


def _parse_cursor(request: HttpRequest, name: str) -> ScoredCursor | None:
    match = PLACE.fullmatch(request.GET.get(name, ""))
    return None if match is None else (int(match[1]), int(match[2]), int(match[3]))


ROWS = 100  # answers to an item on one page
LONGEST = 50_000  # characters of a reply that are shown


def item_verdicts_page(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """What one judge said about every answer to an item; ?answer= opens one of them with the reasons."""
    items = Item.objects.filter(project=member.project).select_related("base", "project")
    item = get_object_or_404(items, pk=pk)
    judges = judges_of(item)
    judge = _chosen_judge(request, judges)
    verdicts = item_verdicts(item, judge)
    opened = _opened(request, verdicts)
    context: dict[str, Any] = {"item": item, "judges": judges, "judge": judge, "found": verdicts, "opened": opened}
    if verdicts is not None:
        context["questions"] = list(zip(verdicts.case.judged.checklist, verdicts.met, strict=True))
        context["page"] = _verdict_page(request, verdicts, opened)
    if opened is not None and verdicts is not None:
        context["opened_cells"] = list(zip(verdicts.case.judged.checklist, opened.cells, strict=True))
        calls = replies(opened.verdict) if opened.verdict and member.leads else []
        context |= {
            "calls": [(call, call.reply[:LONGEST], request_parameters(call)) for call in calls],
            "answer_address": _answer_address(member.project.slug, opened),
        }
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": member.project, "membership": member}
        return render(request, "leaderboard/_opened.html", frame | context)
    return project_page(request, member, "leaderboard/verdicts.html", context, tab="leaderboard")


def _chosen_judge(request: HttpRequest, judges: list[Judge]) -> Judge | None:
    judge_pk = request.GET.get("judge", "")
    return next((judge for judge in judges if str(judge.pk) == judge_pk), judges[0] if judges else None)


def _verdict_page(
    request: HttpRequest, verdicts: ItemVerdicts, opened: ItemJudgement | None
) -> Page[tuple[ItemJudgement, Sequence[float | None]]]:
    """The page that is asked for, or else the one with the opened answer."""
    number = verdicts.rows.index(opened) // ROWS + 1 if opened else 1
    return Paginator(verdicts.scored, ROWS).get_page(request.GET.get("page", number))


def _opened(request: HttpRequest, verdicts: ItemVerdicts | None) -> ItemJudgement | None:
    answer_pk = request.GET.get("answer", "")
    rows = [row for row in verdicts.rows if str(row.answer.pk) == answer_pk] if verdicts else []
    if answer_pk and not rows:
        raise Http404
    return rows[0] if rows else None


def _answer_address(slug: str, opened: ItemJudgement) -> str:
    """The address of the answer's page, "" if this installation has none."""
    try:
        return reverse("answer", args=[slug, opened.answer.pk])
    except NoReverseMatch:
        return ""
