"""The page of intents: means of authors by intent and by language, correlated criteria, and reported satisfaction."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from pydantic import Field

from annotate.models import Member, Project
from judging.answers.cases import board_basics
from judging.boards.board import BoardPage
from judging.boards.options import JudgeBoardOptions
from judging.cache import cached
from judging.ratings.intent_scores import (
    ALL,
    SIDES,
    IntentMean,
    by_intent,
    by_side,
    criteria,
    intents,
    languages,
    read_intents,
)
from judging.ratings.leaderboards import JudgeReading, readings
from judging.ratings.satisfaction import People, people, satisfied, satisfied_all
from judging.verdicts.verdict_scores import JudgeScores
from lib.stats.figures import Figure
from lib.stats.folding import FEWEST
from lib.stats.intents import best_marked, criteria_correlations

TYPED = "satisfied-"  # before the intent, in the name of a parameter


@dataclass(frozen=True)
class IntentCell:
    """figure: None if the author has no case there. place: 1, 2 or 3 for the best three, else 0."""

    group: str
    figure: Figure | None
    place: int = 0


@dataclass(frozen=True)
class IntentRow:
    author: str
    cells: Sequence[IntentCell]


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


class IntentOptions(JudgeBoardOptions):
    """language: of the cases. criteria: an intent whose criteria are correlated. satisfied: intent -> satisfaction as
    typed, from the parameters `satisfied-INTENT`."""

    language: str = ALL
    criteria: str = ""
    satisfied: Mapping[str, str] = Field(default_factory=dict, exclude=True)

    @classmethod
    def known(cls, query: QueryDict, project: Project) -> dict[str, Any]:
        typed = {name.removeprefix(TYPED): word for name, word in query.items() if name.startswith(TYPED)}
        return super().known(query, project) | {"satisfied": typed}


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
        f"criteria:{_key(criteria_intent)}", reading.state, lambda: _correlated(reading.scores, criteria_intent)
    )
    context = {
        "asked": options,
        "found": case_scores,
        "unread": sum(case_scores.unread.values()),
        "columns": [ALL, *intent_names],
        "lines": lines(rows, [ALL, *intent_names], language),
        "language": language,
        "languages": spoken,
        "by_language": by_language(rows, [ALL, *spoken]),
        "language_columns": [ALL, *spoken],
        "sides": lines(by_side(case_scores.said), SIDES, ALL),
        "side_columns": SIDES,
        "axes": axes,
        "criteria_of": criteria_intent,
        "correlations": list(zip(axes, correlations, strict=True)),
        "satisfaction": [(intent, satisfaction.get(intent)) for intent in intent_names],
        "by_hand": bool(satisfaction),
        "surveyed": _surveyed(surveyed, intent_names),
        "people": surveyed,
        "fewest": FEWEST,
        "satisfied": satisfied(rows, intent_names, satisfaction or surveyed.means),
        "satisfied_all": satisfied_all(rows, intent_names, satisfaction or surveyed.means),
        "items_address": f"{reverse('leaderboard_items', args=[member.project.slug])}?judge={reading.judge.pk}",
    }
    return BoardPage(context)


def _key(intent: str) -> str:
    """A cache key for the intent: a project's own intents may be any words, which caches may not accept."""
    return sha256(intent.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _correlated(scores: JudgeScores, intent: str) -> tuple[Sequence[str], list[list[Figure]]]:
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
