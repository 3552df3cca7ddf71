"""The consistency rate of FB-Bench: people and judges on the questions of checklists, an author at a time."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotate.models import Project
from judging.models import Answer
from judging.services.ratings import CHECKLIST, Found, Rater, ratings
from judging.services.ratings.labels import first_said
from lib.stats.consistency import Place, Rate, consistency_rate
from lib.stats.labels import majority


@dataclass(frozen=True)
class JudgeRate:
    """One judge against what most people said of each question. split: questions on which people have no majority."""

    judge: Rater
    rate: Rate
    split: int


def consistency_rates(project: Project, *, given: Found | None = None) -> list[JudgeRate]:
    """By judge; none where nobody has voted on checklists. given: the project's ratings of checklists, if at hand."""
    first_ratings = first_said(ratings(project, CHECKLIST) if given is None else given)
    authors = _authors(project)
    people: dict[Place, list[str]] = defaultdict(list)
    judges: dict[Rater, dict[Place, bool | None]] = defaultdict(dict)
    for (rater, unit), rating in first_ratings.items():
        question_key = _place(unit, authors)
        if rater.sort == "judge":
            judges[rater][question_key] = None if rating.value is None else bool(rating.value)
        elif rating.value is not None:
            people[question_key].append("met" if rating.value else "not met")
    if not people:
        return []
    settled = {question_key: _settled(given_there) for question_key, given_there in people.items()}
    split = sum(value is None for value in settled.values())
    return [
        JudgeRate(judge, consistency_rate(settled, _where(values, settled)), split)
        for judge, values in sorted(judges.items(), key=lambda entry: entry[0].name)
    ]


def _settled(votes: Sequence[str]) -> bool | None:
    most = majority(votes)
    return None if most is None else most == "met"


def _where(judged: Mapping[Place, bool | None], settled: Mapping[Place, bool | None]) -> dict[Place, bool | None]:
    """Only what people have voted on too: a study is about a sample of what a judge has seen."""
    return {question_key: value for question_key, value in judged.items() if question_key in settled}


def _authors(project: Project) -> dict[str, str]:
    """answer -> who wrote it."""
    answers = Answer.objects.filter(author__project=project)
    return {str(pk): author for pk, author in answers.values_list("pk", "author__name")}


def _place(unit: str, authors: Mapping[str, str]) -> Place:
    """Of `answer/12/3`."""
    _word, answer, question = unit.split("/", 2)
    return authors[answer], answer, question
