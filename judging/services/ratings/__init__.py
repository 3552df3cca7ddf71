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

    def __init__(self, rating_list: Iterable[Rating] = (), skip_counts: dict[str, Counter[str]] | None = None) -> None:
        super().__init__(rating_list)
        self.left_out = skip_counts or {}


def ratings(project: Project, rating_kind: str, *, today: Today | None = None) -> Found:
    """What people and judges said of the answers of this project; `rating_kind` is CHECKLIST, SCORE or PREFERENCE.

    today: of this project, where somebody reads more of it than ratings. A number of queries that does not depend on
    how many there are. Raises ValueError for another `rating_kind`.
    """
    if rating_kind not in WHAT:
        raise ValueError(f"Nobody rates {rating_kind!r}; choose one of: {', '.join(WHAT)}.")
    skip_counts = {"people": Counter[str](), "judges": Counter[str]()}
    today = today or Today(project)
    people = list(of_people(project, rating_kind, left_out=skip_counts["people"], today=today))
    people += of_items(project, rating_kind, {rating.unit for rating in people}, left_out=skip_counts["people"])
    judges = list(of_judges(project, rating_kind, left_out=skip_counts["judges"], today=today))
    return Found([*people, *_told_apart(judges, people)], skip_counts)


def first_rated(project: Project) -> tuple[str, Found]:
    """What the project's votes are about; of a project of another kind, the first sort in which people have rated.

    Where no people have, the first sort of ratings that it has.
    """
    tried = [project.kind.voted] if project.kind.voted else WHAT
    judged: tuple[str, Found] | None = None
    for rating_kind in tried:
        project_ratings = ratings(project, rating_kind)
        if any(rating.rater.sort == "person" for rating in project_ratings):
            return rating_kind, project_ratings
        judged = judged or ((rating_kind, project_ratings) if project_ratings else None)
    return judged or (tried[0], Found())


def _told_apart(judges: Iterable[Rating], people: Iterable[Rating]) -> list[Rating]:
    """No judge is called like a person."""
    names = {rating.rater.name for rating in people}
    return [_renamed(rating) if rating.rater.name in names else rating for rating in judges]


def _renamed(rating: Rating) -> Rating:
    return replace(rating, rater=replace(rating.rater, name=f"{rating.rater.name} (judge)"))
