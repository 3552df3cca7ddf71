"""Intents report: means of every author by intent as URS publishes them, on the judge's own scale, with intervals."""

from typing import Any

from annotate.models import Project
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, judge_named, table
from judging.ratings.intent_scores import (
    IntentCriteriaScores,
    IntentMean,
    IntentReading,
    by_intent,
    by_side,
    criteria,
    has_intents,
    intents,
    read_intents,
)
from judging.ratings.satisfaction import over_authors, people, satisfied, satisfied_all
from judging.verdicts.verdict_scores import scores
from lib.stats.figures import Figure
from lib.stats.folding import FEWEST
from lib.stats.intents import criteria_correlations

HEADER = ["author", "intent", "language", "n", "mean", "95 %"]


class IntentsReport(Report):
    slug = "intents"
    about = "mean score of every author by user intent and language, with intervals; overall by case"

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        if not has_intents(project):
            raise Refused(f"Items of the kind {project.kind_slug} have no user intents.")
        judge_scores = scores(project, judge_named(project, options.judge))
        reading = read_intents(project, judge_scores)
        if not reading.said:
            raise Refused(_nothing(reading))
        rows, sides, by_answer = by_intent(reading.said), by_side(reading.said), criteria(judge_scores)
        satisfaction = _satisfaction(project, rows, intents(reading.said))
        value = {
            "rows": [intent_row(row) for row in rows],
            "sides": [side_row(row) for row in sides],
            "criteria": _criteria(by_answer),
            "criteria_by_intent": [
                {"intent": intent, **pair}
                for intent in intents(reading.said)
                for pair in _criteria(by_answer.of(intent))
            ],
            "satisfaction": satisfaction,
            "judge": str(reading.judge),
            "unread": dict(reading.unread),
            "outdated": reading.outdated,
            "unjudged": reading.unjudged,
            "notes": _notes(reading),
        }
        return ReportOutput(value, _text([*rows, *sides], reading) + _satisfaction_words(satisfaction))


def _nothing(reading: IntentReading) -> str:
    if reading.unread:
        return f"No verdict of {reading.judge} could be read: {sum(reading.unread.values())} answers have no score."
    return f"No verdict of {reading.judge} is about a current answer and case."


def intent_row(row: IntentMean) -> dict[str, Any]:
    """One mean as JSON; if all of its cases got the same score it has a note instead of an interval."""
    return {"author": row.author, "intent": row.group, "language": row.language, **_figure_as_json(row.figure)}


def side_row(row: IntentMean) -> dict[str, Any]:
    return {"author": row.author, "side": row.group, "language": row.language, **_figure_as_json(row.figure)}


def _figure_as_json(figure: Figure) -> dict[str, Any]:
    interval = None if figure.low is None or figure.high is None else [figure.low, figure.high]
    row = {"n": figure.n, "mean": figure.value, "interval": interval}
    return row | ({"note": figure.note} if figure.note else {})


def _criteria(criteria_scores: IntentCriteriaScores) -> list[dict[str, Any]]:
    """Each two criteria that occur together in verdicts."""
    axes, figures = criteria_scores.axes, criteria_correlations(criteria_scores.scores, criteria_scores.cases)
    return [
        {"criteria": [axes[first], axes[second]], **_correlated(figures[first][second])}
        for first in range(len(axes))
        for second in range(first + 1, len(axes))
        if figures[first][second].n
    ]


def _correlated(figure: Figure) -> dict[str, Any]:
    row = _figure_as_json(figure)
    return {"n": row["n"], "pearson": row["mean"], "interval": row["interval"]} | (
        {"note": figure.note} if figure.note else {}
    )


def _satisfaction(project: Project, rows: list[IntentMean], intent_names: list[str]) -> dict[str, Any]:
    """Satisfaction of the survey's participants by intent, and its Pearson's r with the means over the intents: for
    each author, and for all authors together."""
    surveyed = people(project)
    overall = satisfied_all(rows, intent_names, surveyed.means)
    return {
        "people": surveyed.n,
        "left_out": dict(surveyed.left_out),
        "intents": [
            {"intent": intent, "n": len(ratings), "mean": surveyed.means[intent] if len(ratings) >= FEWEST else None}
            for intent, ratings in surveyed.satisfaction.items()
        ],
        "authors": [
            {"author": author, **_correlated(figure)}
            for author, figure in satisfied(rows, intent_names, surveyed.means)
        ],
        "all_authors": None
        if overall is None
        else {
            "authors": len({row.author for row in rows}),
            **_correlated(overall),
            "means": over_authors(rows, intent_names),
        },
    }


def _satisfaction_words(satisfaction: dict[str, Any]) -> str:
    """The correlation for all authors together; empty if no participant has rated their satisfaction."""
    row = satisfaction["all_authors"]
    if row is None:
        return ""
    value = "not defined" if row["pearson"] is None else f"{row['pearson']:.4f}"
    interval = f" ({row['interval'][0]:.4f} to {row['interval'][1]:.4f})" if row["interval"] else ""
    return f"\nMean over {row['authors']} authors and satisfaction: Pearson {value}{interval}, n = {row['n']} intents."


def _notes(reading: IntentReading) -> list[str]:
    notes = ["Each case counts once; the overall mean weights intents by their number of cases."]
    unread = sum(reading.unread.values())
    if unread:
        notes.append(f"Left out: {unread} answers whose verdict could not be read or is missing.")
    if reading.outdated:
        notes.append(f"Left out: {reading.outdated} verdicts on older answers or cases.")
    notes.append("Intervals are over cases: they do not cover other judges.")
    return notes


def _text(rows: list[IntentMean], reading: IntentReading) -> str:
    lines = [table(HEADER, [_cells(row) for row in rows], left=3), "", *_notes(reading)]
    return "\n".join([f"Judge: {reading.judge}", "", *lines])


def _cells(row: IntentMean) -> list[str]:
    figure = row.figure
    interval = "" if figure.low is None or figure.high is None else f"{figure.low:.2f}–{figure.high:.2f}"
    return [row.author, row.group, row.language, str(figure.n), f"{figure.value or 0.0:.2f}", interval]
