"""Ratings as rows of a file. The same ratings give the same bytes: nothing in a row says when it was written."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotate.models import Item, Project
from annotate.services.releasing.files import line_of
from judging.services.comparing_raters.comparing import answers_of
from judging.services.comparing_raters.material import Material, Somebody
from judging.services.ratings import Rating, Today
from judging.services.remembering import remembered

PERSON, JUDGE = "person", "judge"


@dataclass(frozen=True)
class About:
    """What rows say beside the ratings. items: item -> key, group, language; authors: answer -> who wrote it."""

    items: Mapping[int, tuple[str, str, str]]
    authors: Mapping[int, str]


def about(today: Today) -> About:
    """Two queries, one where the answers are at hand."""
    items = Item.objects.filter(project=today.project).values_list("pk", "key", "group", "language")
    names_by_item = {pk: (key, group, language) for pk, key, group, language in items.iterator(2000)}
    return About(names_by_item, authors(today))


def authors(today: Today) -> dict[int, str]:
    return {pk: row.author for pk, row in today.answers.items()}


def rows(material: Material, lookups: About, *, pseudonyms: bool) -> Iterator[dict[str, Any]]:
    """By unit, and in it people by their numbers, then judges by name: the order in which the page counts them.

    pseudonyms: people are called by their numbers. A rating without a value is a row too.
    """
    raters = {
        rater.key: (index, rater, called(rater, pseudonyms=pseudonyms)) for index, rater in enumerate(material.raters)
    }
    for unit, rating_by_rater in material.said.items():
        for key in sorted(rating_by_rater, key=lambda name: raters[name][0]):
            row = _row(unit, rating_by_rater[key], raters[key][1], raters[key][2], lookups)
            yield row | ({"cluster": material.clusters[unit]} if unit in material.clusters else {})


def called(rater: Somebody, *, pseudonyms: bool) -> str:
    return f"{PERSON}-{rater.number}" if pseudonyms and not rater.is_judge else rater.name


def _row(unit: str, rating: Rating, rater: Somebody, name: str, lookups: About) -> dict[str, Any]:
    item, group, language = lookups.items.get(rating.item, ("", "", ""))
    row: dict[str, Any] = {"unit": unit, "rater": name, "value": rating.value}
    row |= {"kind": JUDGE, "strategy": rater.strategy} if rater.is_judge else {"kind": PERSON, "number": rater.number}
    if rater.simulated:
        row["simulated"] = True
    if rater.not_fenced:
        row["not_fenced"] = True
    row |= {"item": item, "axis": rating.axis, "group": group, "language": language}
    wrote = [lookups.authors.get(int(pk), "") for pk in answers_of(unit)]
    return row | ({"authors": wrote} if len(wrote) > 1 else {"author": wrote[0]} if wrote else {})


def digest(project: Project, material: Material, today: Today, *, pseudonyms: bool) -> str:
    """SHA-256 of the file that a release of these ratings would be now. Remembered until something changes."""
    names = sorted(set(authors(today).values()))
    state = hashlib.sha256(repr([material.state, names, pseudonyms]).encode("utf-8", "surrogatepass")).hexdigest()

    def counted() -> str:
        whole = hashlib.sha256()
        for row in rows(material, about(today), pseudonyms=pseudonyms):
            whole.update(line_of(row))
        return whole.hexdigest()

    return remembered("ratings-file", f"{project.pk}:{state}", counted)
