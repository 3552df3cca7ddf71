"""What a project's reported cases are: intents by languages, and their reporters as counts of five people at least."""

from typing import Any

from annotate.models import Project
from judging.metrics.folding import FEWEST, Folded
from judging.services.intents.reading import has_intents
from judging.services.reported_cases.cases import CaseTable, case_table
from judging.services.reported_cases.people import People, people
from judging.services.reports.base import Refused, Report, Wanted, Written
from judging.services.reports.tables import table

FOLDING = (
    f"Values that fewer than {FEWEST} people gave are folded together; where the fold would hold fewer, the next "
    "smallest goes in too. Nothing is told where fewer answered at all."
)
NOTES = [FOLDING]


class ReportedReport(Report):
    slug = "reported"
    about = "cases by intent and language, and who reported them, small groups folded"

    def write(self, project: Project, wanted: Wanted) -> Written:
        if not has_intents(project):
            raise Refused(f"Items of the kind {project.kind_slug} say nothing of what their users wanted.")
        cases, who = case_table(project), people(project)
        value = {
            "cases": [
                {"intent": intent, "language": language, "n": n}
                for intent in cases.intents
                for language in cases.languages
                if (n := cases.counts.get((intent, language), 0))
            ],
            "total": cases.total,
            "dropped": cases.dropped,
            "people": {"n": who.n, "left_out": dict(who.left_out), "fewest": FEWEST, **_questions(who)},
            "notes": NOTES,
        }
        return Written(value, _text(cases, who))


def _questions(who: People) -> dict[str, Any]:
    return {question: _told(found) for question, found in who.by_question.items()}


def _told(found: Folded) -> dict[str, Any]:
    """A value of "" are those who did not say."""
    shown = [{"value": value, "n": n} for value, n in found.shown]
    return {"shown": shown, "others": found.others, "values_folded": found.values, "hidden": found.hidden}


def _text(cases: CaseTable, who: People) -> str:
    rows = [
        [intent, *(str(cases.of(intent, language)) for language in cases.languages), str(cases.of(intent))]
        for intent in cases.intents
    ]
    total = ["all", *(str(cases.of(language=language)) for language in cases.languages), str(cases.total)]
    lines = [table(["intent", *cases.languages, "all"], [*rows, total]), "", f"Dropped: {cases.dropped}.", ""]
    lines.append(f"{who.n} people; left out: {dict(who.left_out) or 'nobody'}.")
    for question, found in who.by_question.items():
        named = ", ".join(f"{value or 'not said'} {n}" for value, n in found.shown)
        others = f", others {found.others}" if found.others else ""
        lines.append(f"{question}: {named}{others}" if named or others else f"{question}: too few to tell")
    return "\n".join([*lines, "", *NOTES])


REPORT = ReportedReport()
