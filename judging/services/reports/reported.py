"""What a project's reported cases are: intents by languages, and their reporters as counts of five people at least."""

from typing import Any

from annotate.models import Project
from judging.services.intents.reading import has_intents
from judging.services.reported_cases.cases import DIVISIONS, INTENT, CaseTable, case_table
from judging.services.reported_cases.people import People, people
from judging.services.reports.base import Refused, Report, Wanted, Written
from judging.services.reports.tables import table
from lib.stats.folding import FEWEST, Folded

FOLDING = (
    f"Values that fewer than {FEWEST} people gave are folded together; where the fold would hold fewer, the next "
    "smallest goes in too. Nothing is told where fewer answered at all."
)
NOTES = [FOLDING]


class ReportedReport(Report):
    slug = "reported"
    about = "cases by intent, or by service, difficulty or satisfaction, and language; who reported them, groups folded"
    divisions = DIVISIONS

    def write(self, project: Project, options: Wanted) -> Written:
        if not has_intents(project):
            raise Refused(f"Items of the kind {project.kind_slug} say nothing of what their users wanted.")
        cases, who = case_table(project), people(project)
        parts = {by: case_table(project, by) for by in DIVISIONS if by != INTENT}
        value: dict[str, Any] = {
            "cases": _rows(cases, INTENT),
            **{f"by_{by}": _rows(part, by) for by, part in parts.items()},
            "total": cases.total,
            "dropped": cases.dropped,
            "people": {"n": who.n, "left_out": dict(who.left_out), "fewest": FEWEST, **_questions(who)},
            "notes": NOTES,
        }
        by = options.by or INTENT
        return Written(value, _text(parts.get(by, cases), by, who))


def _rows(cases: CaseTable, by: str) -> list[dict[str, Any]]:
    return [
        {by: group, "language": language, "n": n}
        for group in cases.groups
        for language in cases.languages
        if (n := cases.counts.get((group, language), 0))
    ]


def _questions(who: People) -> dict[str, Any]:
    return {question: _told(folding) for question, folding in who.by_question.items()}


def _told(folding: Folded) -> dict[str, Any]:
    """A value of "" are those who did not say."""
    value_rows = [{"value": value, "n": n} for value, n in folding.shown]
    return {"shown": value_rows, "others": folding.others, "values_folded": folding.values, "hidden": folding.hidden}


def _text(cases: CaseTable, by: str, who: People) -> str:
    rows = [
        [group, *(str(cases.of(group, language)) for language in cases.languages), str(cases.of(group))]
        for group in cases.groups
    ]
    total = ["all", *(str(cases.of(language=language)) for language in cases.languages), str(cases.total)]
    lines = [table([by, *cases.languages, "all"], [*rows, total]), "", f"Dropped: {cases.dropped}.", ""]
    lines.append(f"{who.n} people; left out: {dict(who.left_out) or 'nobody'}.")
    for question, folding in who.by_question.items():
        value_text = ", ".join(f"{value or 'not said'} {n}" for value, n in folding.shown)
        others_text = f", others {folding.others}" if folding.others else ""
        lines.append(
            f"{question}: {value_text}{others_text}" if value_text or others_text else f"{question}: too few to tell"
        )
    return "\n".join([*lines, "", *NOTES])


REPORT = ReportedReport()
