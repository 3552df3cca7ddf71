from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.models import Member, Project
from annotate.survey.questions import ABOUT, FREQUENCIES
from judging.boards.board import BoardPage
from judging.boards.options import BoardOptions
from judging.boards.reported.report import DIVISIONS, INTENT, CaseTable, case_table
from judging.ratings.satisfaction import NOT_SAID, People, people
from judging.templatetags.intents import group_name
from lib.charts.bars import CountRow, count_bars
from lib.stats.folding import FEWEST, Folded

PHONE = 330
DRAWN = 40  # bars; where there are more, the page says how many, and the table has all
TITLES: dict[str, Promise | str] = {
    **ABOUT,
    "services": gettext_lazy("Assistants used"),
    "frequency": gettext_lazy("How often they are used"),
}

PARTS: dict[str, Promise] = {
    "service": gettext_lazy("Service"),
    "difficulty": gettext_lazy("Difficulty, 1 to 5"),
    "satisfaction": gettext_lazy("Satisfaction, 1 to 5"),
}


def reported_cases(project: Project, options: BoardOptions) -> CaseTable:
    return case_table(project)


def reported(cases: CaseTable, options: BoardOptions, member: Member) -> BoardPage:
    """The topics and languages of the cases, and their reporters."""
    who = people(member.project)
    context: dict[str, Any] = {
        "cases": cases,
        "rows": _rows(cases, reverse("items", args=[member.project.slug])),
        "totals": [cases.of(language=language) for language in cases.languages],
        "charts": _case_charts(cases),
        "more_bars": max(len(cases.groups) - DRAWN, 0),
        "parts": [part for by in DIVISIONS if by != INTENT if (part := _part(case_table(member.project, by), by))],
        "people": who,
        "questions": [_question(who, question) for question in who.by_question] if who.n else [],
        "fewest": FEWEST,
    }
    return BoardPage(context)


def _rows(cases: CaseTable, items: str) -> list[tuple[str, str, list[int], int]]:
    """intent, the address of its items, cases by language, all of them."""
    return [
        (
            intent,
            f"{items}?{urlencode({'group': intent})}",
            [cases.of(intent, language) for language in cases.languages],
            cases.of(intent),
        )
        for intent in cases.groups
    ]


def _part(cases: CaseTable, by: str) -> dict[str, Any] | None:
    """The table of one division; None if no case has a value for it."""
    if not cases.known:
        return None
    rows = [
        (group, [cases.of(group, language) for language in cases.languages], cases.of(group)) for group in cases.groups
    ]
    totals = [cases.of(language=language) for language in cases.languages]
    return {"word": by, "title": _(str(PARTS[by])), "cases": cases, "rows": rows, "totals": totals}


def _case_charts(cases: CaseTable) -> tuple[SafeString, SafeString]:
    rows = [CountRow(group_name(intent), (cases.of(intent),)) for intent in cases.groups][:DRAWN]
    label = _("Cases by intent")
    return count_bars(rows, label=label), count_bars(rows, label=label, wide=PHONE)


def _question(who: People, question: str) -> dict[str, Any]:
    """What one question's panel shows."""
    counts, title = who.by_question[question], _(str(TITLES[question]))
    rows = [(_value_name(question, value), n) for value, n in counts.shown]
    return {
        "word": question,
        "title": title,
        "found": counts,
        "rows": rows,
        "charts": _charts(rows, counts, title),
        "more_bars": max(len(rows) - DRAWN, 0),
    }


def _value_name(question: str, value: str) -> str:
    if value == NOT_SAID:
        return _("not stated")
    return _(FREQUENCIES[value]) if question == "frequency" and value in FREQUENCIES else value


def _charts(rows: Sequence[tuple[str, int]], counts: Folded, title: str) -> tuple[SafeString, SafeString] | None:
    other_rows = [(_("others"), counts.others)] if counts.others else []
    bars = [CountRow(name, (n,)) for name, n in [*rows[:DRAWN], *other_rows]]
    if not bars:
        return None
    label = _("Participants by %(name)s") % {"name": title}
    return count_bars(bars, label=label), count_bars(bars, label=label, wide=PHONE)
