"""Reported cases: counts by intent, service or rating and by language, as in the dataset's tables, and the reporters.

Counts about reporters are folded so that each covers at least five people.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.kinds.intents import in_order
from annotate.models import Item, Member, Project
from annotate.survey.survey_questions import ABOUT, FREQUENCIES
from judging.access import has_intents
from judging.boards.board import Board, BoardPage, Place
from judging.boards.needs import ITEMS
from judging.boards.options import BoardOptions
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, table
from judging.ratings.intent_scores import UNKNOWN
from judging.ratings.satisfaction import NOT_SAID, People, people
from judging.templatetags.intents import group_name
from lib.charts.bars import CountRow, count_bars
from lib.charts.marks import fitted
from lib.stats.folding import FEWEST, Folded

INTENT = "intent"
FIELDS = {
    INTENT: "group",
    "service": "facts__service",
    "difficulty": "facts__difficulty",
    "satisfaction": "facts__satisfaction",
}
DIVISIONS = tuple(FIELDS)


@dataclass(frozen=True)
class CaseTable:
    """counts: (group, language) -> cases. groups: the values of one division; missing values are UNKNOWN.

    dropped: cases that are left out, counted here.
    """

    groups: Sequence[str]
    languages: Sequence[str]
    counts: Mapping[tuple[str, str], int]
    dropped: int = 0

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def known(self) -> int:
        """How many cases have a known value."""
        return self.total - self.of(UNKNOWN)

    def of(self, group: str = "", language: str = "") -> int:
        """Cases of a group, a language, or both."""
        return sum(
            n
            for (counted_group, spoken), n in self.counts.items()
            if group in ("", counted_group) and language in ("", spoken)
        )


def case_table(project: Project, by: str = INTENT) -> CaseTable:
    """The table, in one query. by: one of DIVISIONS. Languages are those that the cases name.

    Order: intents as in the paper, then others; services by number of cases, the most frequent first, ignoring case;
    ratings from 1 to 5; missing values last.
    """
    counts: dict[tuple[str, str], int] = {}
    spelled: dict[str, str] = {}
    dropped = 0
    rows = Item.objects.filter(project=project, purpose=Item.Purpose.WORK).order_by()
    counted = rows.values_list(FIELDS[by], "facts__language", "language", "state").annotate(n=Count("pk"))
    for value, case_language, language, state, n in sorted(counted, key=lambda row: (-row[4], str(row[0]))):
        if state == Item.State.DROPPED:
            dropped += n
            continue
        name = " ".join(str(value or "").split())
        group = (name if by == INTENT else spelled.setdefault(name.casefold(), name)) or UNKNOWN
        cell = group, case_language or language or UNKNOWN
        counts[cell] = counts.get(cell, 0) + n
    languages = sorted({language for _group, language in counts})
    return CaseTable(_ordered(counts, by), languages, counts, dropped)


def _ordered(counts: Mapping[tuple[str, str], int], by: str) -> list[str]:
    cases = Counter[str]()
    for (group, _language), n in counts.items():
        cases[group] += n
    if by == INTENT:
        return in_order(cases)
    most_first = {group: -n if by == "service" else 0 for group, n in cases.items()}
    return sorted(cases, key=lambda group: (group == UNKNOWN, most_first[group], group))


# Report: the tables, and the reporters as counts of at least five people.


FOLDING = (
    f"Values given by fewer than {FEWEST} people are combined as others; if these are fewer, the next "
    "smallest value is added. Questions with fewer answers are not shown."
)
NOTES = [FOLDING]


class ReportedReport(Report):
    slug = "reported"
    about = "cases by intent, service, difficulty or satisfaction, and language; participants, small groups combined"
    divisions = DIVISIONS

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        if not has_intents(project):
            raise Refused(f"Items of the kind {project.kind_slug} have no user intents.")
        cases, who = case_table(project), people(project)
        parts = {by: case_table(project, by) for by in DIVISIONS if by != INTENT}
        value: dict[str, Any] = {
            "cases": _rows_as_json(cases, INTENT),
            **{f"by_{by}": _rows_as_json(part, by) for by, part in parts.items()},
            "total": cases.total,
            "dropped": cases.dropped,
            "people": {"n": who.n, "left_out": dict(who.left_out), "fewest": FEWEST, **_questions(who)},
            "notes": NOTES,
        }
        by = options.by or INTENT
        return ReportOutput(value, _text(parts.get(by, cases), by, who))


def _rows_as_json(cases: CaseTable, by: str) -> list[dict[str, Any]]:
    return [
        {by: group, "language": language, "n": n}
        for group in cases.groups
        for language in cases.languages
        if (n := cases.counts.get((group, language), 0))
    ]


def _questions(who: People) -> dict[str, Any]:
    return {question: _folded_as_json(folding) for question, folding in who.by_question.items()}


def _folded_as_json(folding: Folded) -> dict[str, Any]:
    """The counts as JSON; the value "" counts those who did not answer."""
    value_rows = [{"value": value, "n": n} for value, n in folding.shown]
    return {"shown": value_rows, "others": folding.others, "values_folded": folding.values, "hidden": folding.hidden}


def _text(cases: CaseTable, by: str, who: People) -> str:
    rows = [
        [group, *(str(cases.of(group, language)) for language in cases.languages), str(cases.of(group))]
        for group in cases.groups
    ]
    total = ["all", *(str(cases.of(language=language)) for language in cases.languages), str(cases.total)]
    lines = [table([by, *cases.languages, "all"], [*rows, total]), "", f"Dropped: {cases.dropped}.", ""]
    lines.append(f"{who.n} participants; left out: {dict(who.left_out) or 'none'}.")
    for question, folding in who.by_question.items():
        value_text = ", ".join(f"{value or 'not stated'} {n}" for value, n in folding.shown)
        others_text = f", others {folding.others}" if folding.others else ""
        lines.append(
            f"{question}: {value_text}{others_text}" if value_text or others_text else f"{question}: too few answers"
        )
    return "\n".join([*lines, "", *NOTES])


# The page.


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


def _case_charts(cases: CaseTable) -> SafeString:
    rows = [CountRow(group_name(intent), (cases.of(intent),)) for intent in cases.groups][:DRAWN]
    label = _("Cases by intent")
    return fitted(lambda wide: count_bars(rows, label=label, wide=wide))


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


def _charts(rows: Sequence[tuple[str, int]], counts: Folded, title: str) -> SafeString | None:
    other_rows = [(_("others"), counts.others)] if counts.others else []
    bars = [CountRow(name, (n,)) for name, n in [*rows[:DRAWN], *other_rows]]
    if not bars:
        return None
    label = _("Participants by %(name)s") % {"name": title}
    return fitted(lambda wide: count_bars(bars, label=label, wide=wide))


BOARD = Board(
    slug="reported",
    name=gettext_lazy("Cases and participants"),
    suits=has_intents,
    place=Place(140, asks=gettext_lazy("What are the cases about, and who reported them?"), needs=(ITEMS,), aside=True),
    Options=BoardOptions,
    numbers=reported_cases,
    state=None,
    page=reported,
    template="reported/reported.html",
    formats=(),
    saves_views=False,
    reports=(ReportedReport(),),
)
