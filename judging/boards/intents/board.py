"""Intents: means of every author by intent, as URS publishes them and on the judge's own scale, with intervals.

The page has them by language too, with correlated criteria and reported satisfaction.
"""

import math
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic import Field

from annotate.models import Member, Project
from judging.access import has_intents
from judging.answers.cases import board_basics
from judging.boards.board import Board, BoardPage, Place
from judging.boards.intents.intent_pages import IntentCell, IntentRow, intent_page
from judging.boards.model_pages import ModelPageOptions
from judging.boards.needs import ANSWERS, VERDICTS
from judging.boards.options import JudgeBoardOptions
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, judge_named, table
from judging.cache import cached
from judging.ratings.intent_scores import (
    ALL,
    SIDES,
    IntentCriteriaScores,
    IntentMean,
    IntentReading,
    by_intent,
    by_side,
    criteria,
    intents,
    languages,
    read_intents,
)
from judging.ratings.leaderboards import JudgeReading, readings
from judging.ratings.satisfaction import People, over_authors, people, satisfied, satisfied_all
from judging.verdicts.verdict_scores import JudgeScores, scores
from lib.charts.forest import ForestWords, mean_forest
from lib.stats.figures import Figure
from lib.stats.folding import FEWEST
from lib.stats.intents import best_marked, criteria_correlations

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
        satisfaction = _satisfaction_as_json(project, rows, intents(reading.said))
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
        {"criteria": [axes[first], axes[second]], **_correlation_as_json(figures[first][second])}
        for first in range(len(axes))
        for second in range(first + 1, len(axes))
        if figures[first][second].n
    ]


def _correlation_as_json(figure: Figure) -> dict[str, Any]:
    row = _figure_as_json(figure)
    return {"n": row["n"], "pearson": row["mean"], "interval": row["interval"]} | (
        {"note": figure.note} if figure.note else {}
    )


def _satisfaction_as_json(project: Project, rows: list[IntentMean], intent_names: list[str]) -> dict[str, Any]:
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
            {"author": author, **_correlation_as_json(figure)}
            for author, figure in satisfied(rows, intent_names, surveyed.means)
        ],
        "all_authors": None
        if overall is None
        else {
            "authors": len({row.author for row in rows}),
            **_correlation_as_json(overall),
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


# The page.


TYPED = "satisfied-"  # before the intent, in the name of a parameter


def lines(rows: Sequence[IntentMean], groups: Sequence[str], language: str) -> list[IntentRow]:
    """A line for each author, a cell for each group; the best author over all cases first."""
    figures = {(row.author, row.group): row.figure for row in rows if row.language == language}
    return _lines(figures, groups, first=groups[0] if groups else "")


def by_language(rows: Sequence[IntentMean], languages: Sequence[str]) -> list[IntentRow]:
    """The same over all intents, a cell for each language."""
    figures = {(row.author, row.language): row.figure for row in rows if row.group == ALL}
    return _lines(figures, languages, first=ALL)


def _lines(figures: Mapping[tuple[str, str], Figure], groups: Sequence[str], first: str) -> list[IntentRow]:
    authors = {author for author, _group in figures}
    best = {group: best_marked({author: _mean(figures, author, group) for author in authors}) for group in groups}
    order = sorted(authors, key=lambda author: (-(_mean(figures, author, first) or 0.0), author))
    return [
        IntentRow(
            author, [IntentCell(group, figures.get((author, group)), best[group].get(author, 0)) for group in groups]
        )
        for author in order
    ]


def _mean(figures: Mapping[tuple[str, str], Figure], author: str, group: str) -> float | None:
    figure = figures.get((author, group))
    return None if figure is None else figure.value


class IntentOptions(ModelPageOptions, JudgeBoardOptions):
    """language: of the cases. criteria: an intent whose criteria are correlated. satisfied: intent -> satisfaction as
    typed, from the parameters `satisfied-INTENT`."""

    language: str = ALL
    criteria: str = ""
    satisfied: Mapping[str, str] = Field(default_factory=dict, exclude=True)

    @classmethod
    def known(cls, query: QueryDict, project: Project) -> dict[str, Any]:
        typed = {name.removeprefix(TYPED): word for name, word in query.items() if name.startswith(TYPED)}
        return super().known(query, project) | {"satisfied": typed}

    @property
    def parameters(self) -> list[tuple[str, str]]:
        typed = [(f"{TYPED}{intent}", word) for intent, word in self.satisfied.items() if word]
        return [*super().parameters, *typed]


def intent_reading(project: Project, options: IntentOptions) -> JudgeReading | None:
    """None if nobody has judged."""
    return readings(project, [options.judge])[0] if options.judge else None


def intents_page(reading: JudgeReading | None, options: IntentOptions, member: Member) -> BoardPage:
    """Means by what users wanted."""
    if reading is None:
        return BoardPage({"asked": options, "begun": board_basics(member.project)}, "intents/empty.html")
    case_scores = read_intents(member.project, reading.scores)
    rows, intent_names, spoken = by_intent(case_scores.said), intents(case_scores.said), languages(case_scores.said)
    language = options.language if options.language in spoken else ALL
    satisfaction, surveyed = _satisfaction(options, intent_names), people(member.project)
    criteria_intent = options.criteria if options.criteria in (ALL, *intent_names) else next(iter(intent_names), ALL)
    axes, correlations = cached(
        f"criteria:{_key(criteria_intent)}", reading.state, lambda: _criteria_matrix(reading.scores, criteria_intent)
    )
    author_lines = lines(rows, [ALL, *intent_names], language)
    tables = {
        "by-intent": author_lines,
        "by-language": by_language(rows, [ALL, *spoken]),
        "by-side": lines(by_side(case_scores.said), SIDES, ALL),
    }
    shown = intent_page(tables, satisfied(rows, intent_names, satisfaction or surveyed.means), options)
    context = {
        "model_page": shown.page,
        "asked": options,
        "found": case_scores,
        "forest": _forest(shown.tables["by-intent"], author_lines),
        "unread": sum(case_scores.unread.values()),
        "columns": [ALL, *intent_names],
        "lines": shown.tables["by-intent"],
        "language": language,
        "languages": spoken,
        "by_language": shown.tables["by-language"],
        "language_columns": [ALL, *spoken],
        "sides": shown.tables["by-side"],
        "side_columns": SIDES,
        "axes": axes,
        "criteria_of": criteria_intent,
        "correlations": list(zip(axes, correlations, strict=True)),
        "satisfaction": [(intent, satisfaction.get(intent)) for intent in intent_names],
        "by_hand": bool(satisfaction),
        "surveyed": _surveyed(surveyed, intent_names),
        "people": surveyed,
        "fewest": FEWEST,
        "satisfied": shown.satisfied,
        "satisfied_all": satisfied_all(rows, intent_names, satisfaction or surveyed.means),
        "items_address": f"{reverse('leaderboard_items', args=[member.project.slug])}?judge={reading.judge.pk}",
    }
    return BoardPage(context)


def _forest(page_lines: Sequence[IntentRow], all_lines: Sequence[IntentRow]) -> SafeString:
    """The mean of each author of the page over all cases, and the mean of all of them."""
    words = ForestWords(
        label=gettext("Means with 95 %% intervals; dotted line: their mean, %(reference)s"),
        name=gettext("Model"),
        value=gettext("Mean (95 %)"),
        n=gettext("Cases"),
        figure="{:.2f}".format,
    )
    figures = [(line.author, cell.figure) for line in page_lines for cell in line.cells[:1] if cell.figure]
    values = [cell.figure.value for line in all_lines for cell in line.cells[:1] if cell.figure]
    return mean_forest(figures, words, among=values)


def _key(intent: str) -> str:
    """A cache key for the intent: a project's own intents may be any words, which caches may not accept."""
    return sha256(intent.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _criteria_matrix(scores: JudgeScores, intent: str) -> tuple[Sequence[str], list[list[Figure]]]:
    """(axes, their correlations) over the answers to cases of this intent, or to all."""
    all_criteria = criteria(scores)
    intent_criteria = all_criteria if intent == ALL else all_criteria.of(intent)
    return intent_criteria.axes, criteria_correlations(intent_criteria.scores, intent_criteria.cases)


def _satisfaction(options: IntentOptions, intent_names: Sequence[str]) -> dict[str, float]:
    """intent -> reported satisfaction, for the values that are numbers."""
    numbers = {intent: _number(options.satisfied.get(intent, "")) for intent in intent_names}
    return {intent: value for intent, value in numbers.items() if value is not None}


def _number(typed: str) -> float | None:
    try:
        value = float(typed.replace(",", ".")) if len(typed) < 12 else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= 100 else None


def _surveyed(survey: People, intent_names: Sequence[str]) -> list[tuple[str, int, float | None]]:
    """intent, how many rated it, their mean: None if they are so few that it would reveal a person's rating."""
    counts = [(intent, len(survey.satisfaction.get(intent, ()))) for intent in intent_names]
    return [(intent, n, survey.means[intent] if n >= FEWEST else None) for intent, n in counts if n]


BOARD = Board(
    slug="intents",
    name=_("Intents"),
    suits=has_intents,
    place=Place(20, asks=_("How well do models serve what users wanted?"), needs=(ANSWERS, VERDICTS)),
    Options=IntentOptions,
    numbers=intent_reading,
    state=None,  # a reading caches each of its parts
    page=intents_page,
    template="intents/intents.html",
    formats=(),
    saves_views=False,
    reports=(IntentsReport(),),
)
