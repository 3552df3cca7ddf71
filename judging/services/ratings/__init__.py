"""Ratings of people and judges side by side: the one door to them for reports and dashboards."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from annotate.models import Project
from judging.services.ratings.base import CHECKLIST, PREFERENCE, SCORE, WHAT, Rater, Rating
from judging.services.ratings.items import of_items
from judging.services.ratings.judges import of_judges
from judging.services.ratings.people import of_people
from judging.services.ratings.today import Today

__all__ = ["CHECKLIST", "PREFERENCE", "SCORE", "WHAT", "Found", "Rater", "Rating", "Today", "first_rated", "ratings"]


class Found(list[Rating]):
    """Ratings, people's first.

    left_out: sort of rater -> reason -> how many votes or verdicts are no rating. Ratings without a value are among
    the ratings: their raters could not tell, or nothing could be read.
    """

    def __init__(self, given: Iterable[Rating] = (), left_out: dict[str, Counter[str]] | None = None) -> None:
        super().__init__(given)
        self.left_out = left_out or {}


def ratings(project: Project, what: str, *, today: Today | None = None) -> Found:
    """What people and judges said of the answers of this project; `what` is CHECKLIST, SCORE or PREFERENCE.

    today: of this project, where somebody reads more of it than ratings. A number of queries that does not depend on
    how many there are. Raises ValueError for another `what`.
    """
    if what not in WHAT:
        raise ValueError(f"Nobody rates {what!r}; choose one of: {', '.join(WHAT)}.")
    left_out = {"people": Counter[str](), "judges": Counter[str]()}
    today = today or Today(project)
    people = list(of_people(project, what, left_out=left_out["people"], today=today))
    people += of_items(project, what, {one.unit for one in people}, left_out=left_out["people"])
    judges = list(of_judges(project, what, left_out=left_out["judges"], today=today))
    return Found([*people, *_told_apart(judges, people)], left_out)


def first_rated(project: Project) -> tuple[str, Found]:
    """What the project's votes are about; of a project of another kind, the first sort in which people have rated.

    Where no people have, the first sort of ratings that it has.
    """
    tried = [project.kind.voted] if project.kind.voted else WHAT
    judged: tuple[str, Found] | None = None
    for what in tried:
        given = ratings(project, what)
        if any(one.rater.sort == "person" for one in given):
            return what, given
        judged = judged or ((what, given) if given else None)
    return judged or (tried[0], Found())


def _told_apart(judges: Iterable[Rating], people: Iterable[Rating]) -> list[Rating]:
    """No judge is called like a person."""
    names = {one.rater.name for one in people}
    return [_renamed(one) if one.rater.name in names else one for one in judges]


def _renamed(one: Rating) -> Rating:
    return replace(one, rater=replace(one.rater, name=f"{one.rater.name} (judge)"))
