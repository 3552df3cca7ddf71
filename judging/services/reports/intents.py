"""Means of every author by what users wanted, as URS publishes them, on the judge's own scale with intervals."""

from typing import Any

from annotate.models import Project
from judging.services.intents.reading import Criteria, Reading, criteria, has_intents, read
from judging.services.intents.satisfaction import over_authors, satisfied, satisfied_all
from judging.services.intents.tables import Row, by_intent, by_side, intents
from judging.services.reported_cases.people import people
from judging.services.reports.base import Refused, Report, Wanted, Written, judge_named
from judging.services.reports.tables import table
from judging.services.scores import scores
from lib.stats.figures import Figure
from lib.stats.folding import FEWEST
from lib.stats.intents import criteria_correlations

HEADER = ["author", "intent", "language", "n", "mean", "95 %"]


class IntentsReport(Report):
    slug = "intents"
    about = "means of every author by what users wanted and by language, with intervals; all together by case"

    def write(self, project: Project, wanted: Wanted) -> Written:
        if not has_intents(project):
            raise Refused(f"Items of the kind {project.kind_slug} say nothing of what their users wanted.")
        given = scores(project, judge_named(project, wanted.judge))
        found = read(project, given)
        if not found.said:
            raise Refused(_nothing(found))
        rows, sides, by_answer = by_intent(found.said), by_side(found.said), criteria(given)
        satisfaction = _satisfaction(project, rows, intents(found.said))
        value = {
            "rows": [intent_row(each) for each in rows],
            "sides": [side_row(each) for each in sides],
            "criteria": _criteria(by_answer),
            "criteria_by_intent": [
                {"intent": intent, **pair} for intent in intents(found.said) for pair in _criteria(by_answer.of(intent))
            ],
            "satisfaction": satisfaction,
            "judge": str(found.judge),
            "unread": dict(found.unread),
            "outdated": found.outdated,
            "unjudged": found.unjudged,
            "notes": _notes(found),
        }
        return Written(value, _text([*rows, *sides], found) + _satisfaction_words(satisfaction))


def _nothing(found: Reading) -> str:
    if found.unread:
        return f"Nothing that {found.judge} said could be read: {sum(found.unread.values())} answers have no score."
    return f"Nothing that {found.judge} said is about an answer and a case as they are today."


def intent_row(row: Row) -> dict[str, Any]:
    """One mean as JSON says it; a mean of cases that all got the same score has no interval, and a note."""
    return {"author": row.author, "intent": row.group, "language": row.language, **_told(row.figure)}


def side_row(row: Row) -> dict[str, Any]:
    return {"author": row.author, "side": row.group, "language": row.language, **_told(row.figure)}


def _told(figure: Figure) -> dict[str, Any]:
    interval = None if figure.low is None or figure.high is None else [figure.low, figure.high]
    told = {"n": figure.n, "mean": figure.value, "interval": interval}
    return told | ({"note": figure.note} if figure.note else {})


def _criteria(given: Criteria) -> list[dict[str, Any]]:
    """Each two criteria that stand together in verdicts."""
    axes, figures = given.axes, criteria_correlations(given.scores, given.cases)
    return [
        {"criteria": [axes[one], axes[other]], **_correlated(figures[one][other])}
        for one in range(len(axes))
        for other in range(one + 1, len(axes))
        if figures[one][other].n
    ]


def _correlated(figure: Figure) -> dict[str, Any]:
    told = _told(figure)
    return {"n": told["n"], "pearson": told["mean"], "interval": told["interval"]} | (
        {"note": figure.note} if figure.note else {}
    )


def _satisfaction(project: Project, rows: list[Row], named: list[str]) -> dict[str, Any]:
    """What participants of the survey say of each intent, and Pearson's r with the means over the intents: of each
    author, and of all authors together."""
    surveyed = people(project)
    together = satisfied_all(rows, named, surveyed.means)
    return {
        "people": surveyed.n,
        "left_out": dict(surveyed.left_out),
        "intents": [
            {"intent": intent, "n": len(given), "mean": surveyed.means[intent] if len(given) >= FEWEST else None}
            for intent, given in surveyed.satisfaction.items()
        ],
        "authors": [
            {"author": author, **_correlated(figure)} for author, figure in satisfied(rows, named, surveyed.means)
        ],
        "all_authors": None
        if together is None
        else {
            "authors": len({row.author for row in rows}),
            **_correlated(together),
            "means": over_authors(rows, named),
        },
    }


def _satisfaction_words(told: dict[str, Any]) -> str:
    """Of all authors together; nothing where no participant has said how satisfied they are."""
    row = told["all_authors"]
    if row is None:
        return ""
    value = "not defined" if row["pearson"] is None else f"{row['pearson']:.4f}"
    interval = f" ({row['interval'][0]:.4f} to {row['interval'][1]:.4f})" if row["interval"] else ""
    return f"\nMean over {row['authors']} authors and satisfaction: Pearson {value}{interval}, n = {row['n']} intents."


def _notes(found: Reading) -> list[str]:
    notes = ["Each case counts once; all together is the mean of the intents weighted by their cases."]
    unread = sum(found.unread.values())
    if unread:
        notes.append(f"Left out: {unread} answers about which nothing could be read, or no reply came.")
    if found.outdated:
        notes.append(f"Left out: {found.outdated} verdicts about older answers or cases.")
    notes.append("Intervals are over cases: they say nothing about another judge.")
    return notes


def _text(rows: list[Row], found: Reading) -> str:
    lines = [table(HEADER, [_cells(row) for row in rows], left=3), "", *_notes(found)]
    return "\n".join([f"Judge: {found.judge}", "", *lines])


def _cells(row: Row) -> list[str]:
    figure = row.figure
    interval = "" if figure.low is None or figure.high is None else f"{figure.low:.2f}–{figure.high:.2f}"
    return [row.author, row.group, row.language, str(figure.n), f"{figure.value or 0.0:.2f}", interval]


REPORT = IntentsReport()
