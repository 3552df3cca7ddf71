"""Checklists: statistics of all questions, and one question answer by answer.

Query parameters with unknown values filter nothing.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _
from pydantic import Field, field_validator

from annotate.models import Item, Member, Project
from annotate.web.access import project_page
from judging.access import has_checklists
from judging.boards.board import Board, BoardPage, Place, SubPage
from judging.boards.checklists import numbers
from judging.boards.checklists.numbers import (
    ALTERNATIVE,
    FEW_ANSWERS,
    SIGNS,
    QuestionCursor,
    QuestionStatistics,
    of_item,
    statistics,
)
from judging.boards.needs import ANSWERS, VERDICTS
from judging.boards.options import BoardOptions, JudgeBoardOptions, judge_in
from judging.verdicts.item_verdicts import ItemVerdicts, item_verdicts
from judging.verdicts.item_verdicts import judges_of as judges_of_item

PLACE = re.compile(r"(\d{1,2})~(-?\d{1,5})~(\d{1,18})~(\d{1,6})", re.ASCII)
WORKS = "works"  # the word for a question without a sign
LONGEST_WORD = 200


class ChecklistOptions(JudgeBoardOptions):
    """Filters of the questions; "" filters nothing. after, before: where a page of them begins."""

    sign: str = ""
    scenario: str = ""
    task: str = ""
    q: str = ""
    after: QuestionCursor | None = Field(default=None, exclude=True)
    before: QuestionCursor | None = Field(default=None, exclude=True)

    @classmethod
    def known(cls, query: QueryDict, project: Project) -> dict[str, Any]:
        return super().known(query, project) | {name: parse_cursor(query, name) for name in ("after", "before")}

    @field_validator("sign", "scenario", "task", "q", mode="before")
    @classmethod
    def _cut(cls, word: Any) -> Any:
        return word[:LONGEST_WORD] if isinstance(word, str) else word

    @field_validator("sign")
    @classmethod
    def _known_sign(cls, sign: str) -> str:
        if sign not in (*SIGNS, ALTERNATIVE, FEW_ANSWERS, WORKS):
            raise ValueError(sign)
        return sign

    @property
    def filters_in_use(self) -> int:
        return sum(map(bool, (self.sign, self.scenario, self.task, self.q)))

    def has(self, question: QuestionStatistics) -> bool:
        return (
            self.sign in ("", question.sign or WORKS)
            and self.scenario in ("", question.scenario)
            and (not self.task or self.task in question.tasks)
            and self.q.casefold() in f"{question.key} {question.text}".casefold()
        )


def parse_cursor(query: QueryDict, name: str) -> QuestionCursor | None:
    match = PLACE.fullmatch(query.get(name, ""))
    return None if match is None else (int(match[1]), int(match[2]), int(match[3]), int(match[4]))


def word_of(position: QuestionCursor) -> str:
    return "~".join(map(str, position))


PAGE = 50


@dataclass(frozen=True)
class JudgedQuestionList:
    """all_rows: every question that the judge has answered, the worst first. rows: those that the filters have."""

    all_rows: Sequence[QuestionStatistics]
    rows: Sequence[QuestionStatistics]


def judged_questions(project: Project, options: ChecklistOptions) -> JudgedQuestionList | None:
    """None if nobody has judged anything."""
    if options.judge is None:
        return None
    everything = statistics(project, options.judge)
    return JudgedQuestionList(everything, [question for question in everything if options.has(question)])


def checklists(numbers: JudgedQuestionList | None, options: ChecklistOptions, member: Member) -> BoardPage:
    """How well every question of every judged checklist works, the worst first."""
    if numbers is None:
        return BoardPage({}, "checklists/empty.html")
    context: dict[str, Any] = {"judges": options.judges, "asked": options, "count": len(numbers.rows)}
    return BoardPage(context | _choices(numbers.all_rows) | _page(options, numbers.rows))


def _page(options: ChecklistOptions, questions: Sequence[QuestionStatistics]) -> dict[str, Any]:
    """One page by cursor, so that it begins at the right place although other questions came or went."""
    start = 0
    if options.before is not None:
        start = max(sum(question.place < options.before for question in questions) - PAGE, 0)
    elif options.after is not None:
        start = sum(question.place <= options.after for question in questions)
    rows = questions[start : start + PAGE]
    return {
        "rows": rows,
        "before": word_of(rows[0].place) if rows and start else "",
        "after": word_of(rows[-1].place) if rows and start + PAGE < len(questions) else "",
    }


COLUMNS = (
    "item", "no", "question", "status", "weight", "scenario", "task", "answers", "met", "share", "low", "high",
    "not_mentioned", "item_rest_correlation", "correlation_with_first", "judge_agreement",
)  # fmt: skip


def questions_json(numbers: JudgedQuestionList, options: ChecklistOptions) -> Mapping[str, Any]:
    return {"judge": str(options.judge), "rows": [_row(question) for question in numbers.rows]}


def questions_rows(
    numbers: JudgedQuestionList, options: ChecklistOptions, member: Member
) -> Iterator[Mapping[str, Any]]:
    return map(_row, numbers.rows)


def _row(question: QuestionStatistics) -> dict[str, Any]:
    """Shares, correlations and agreement are 0..1 or -1..1; None where undefined."""
    met = question.met
    cells = (
        question.key, question.no, question.text, question.sign or WORKS, question.weight, question.scenario,
        " / ".join(question.tasks), met.n, met.met, met.value, met.low, met.high,
        met.skipped, question.discrimination.value, question.first.value, question.agreement.value,
    )  # fmt: skip
    return dict(zip(COLUMNS, cells, strict=True))


def _choices(everything: Sequence[QuestionStatistics]) -> dict[str, Any]:
    """Choices of the filters; `signs` counts the questions with each sign, whatever the other filters."""
    return {
        "signs": Counter(question.sign or WORKS for question in everything).most_common(),
        "scenarios": sorted({question.scenario for question in everything} - {""}),
        "tasks": sorted({task for question in everything for task in question.tasks}),
    }


COMPARED = 5  # judges side by side


class QuestionOptions(BoardOptions):
    """no: of the question, from 1. which: which answers are listed; "" for all."""

    no: int = 1
    which: Literal["", "met", "missed", "unsaid", "disagreed"] = ""


def checklist_question(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """What judges said of one question, answer by answer: the verdicts behind each of its figures."""
    item = get_object_or_404(Item.objects.filter(project=member.project).select_related("base", "project"), pk=pk)
    judges = judges_of_item(item)
    judge = judge_in(request.GET, judges)
    options = QuestionOptions.parse(request.GET, member.project)
    verdicts = item_verdicts(item, judge)
    index = _place(options, verdicts)
    context: dict[str, Any] = {"item": item, "judges": judges, "judge": judge, "no": index + 1}
    if judge is not None and verdicts is not None:
        other_judges = [candidate for candidate in judges if candidate != judge][: COMPARED - 1]
        context |= _rows(options.which, verdicts, index, [item_verdicts(item, judge) for judge in other_judges])
        statistics = of_item(item.pk, judge, judges, numbers.read_questions([item.pk], judges))
        context |= {
            "known": statistics[index] if statistics else None,
            "questions": verdicts.case.judged.checklist,
            "others": other_judges,
        }
        context["question"] = verdicts.case.judged.checklist[index]
    return project_page(request, member, "checklists/question.html", context, tab="checklists")


def _place(options: QuestionOptions, verdicts: ItemVerdicts | None) -> int:
    """Index of the question, from 0; the first if the address names none. 404 for an unknown question."""
    if "no" in options.misread or verdicts is None or not 0 < options.no <= len(verdicts.case.judged.checklist):
        raise Http404
    return options.no - 1


def _rows(
    which: str, verdicts: ItemVerdicts, index: int, verdicts_of_others: Sequence[ItemVerdicts | None]
) -> dict[str, Any]:
    other_cells = [
        {row.answer.pk: row.cells[index] for row in judge_verdicts.rows if not row.outdated} if judge_verdicts else {}
        for judge_verdicts in verdicts_of_others
    ]
    rows = [
        {"row": row, "cell": row.cells[index], "theirs": [cells.get(row.answer.pk) for cells in other_cells]}
        for row in verdicts.rows
        if row.verdict is not None and not row.outdated
    ]
    return {"rows": [row for row in rows if _is(row, which)], "which": which}


def _is(row: dict[str, Any], which: str) -> bool:
    met = row["cell"].met
    said_otherwise = {cell.met for cell in row["theirs"] if cell is not None} - {None, met}
    matches = {"met": met is True, "missed": met is False, "unsaid": met is None, "disagreed": bool(said_otherwise)}
    return matches.get(which, True)


BOARD = Board(
    slug="checklists",
    name=_("Checklists"),
    about="how well every question of a judged checklist works, worst first",
    suits=has_checklists,
    place=Place(110, asks=_("Which questions of the checklists work?"), needs=(ANSWERS, VERDICTS)),
    Options=ChecklistOptions,
    numbers=judged_questions,
    state=None,  # the statistics are cached by themselves
    page=checklists,
    template="checklists/checklists.html",
    as_json=questions_json,
    as_rows=questions_rows,
    columns=COLUMNS,
    sub_pages=(SubPage("items/<int:pk>/questions/", "checklist_question", checklist_question),),
)
