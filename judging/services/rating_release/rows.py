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
    named = {pk: (key, group, language) for pk, key, group, language in items.iterator(2000)}
    return About(named, authors(today))


def authors(today: Today) -> dict[int, str]:
    return {pk: row.author for pk, row in today.answers.items()}


def rows(found: Material, given: About, *, pseudonyms: bool) -> Iterator[dict[str, Any]]:
    """By unit, and in it people by their numbers, then judges by name: the order in which the page counts them.

    pseudonyms: people are called by their numbers. A rating without a value is a row too.
    """
    raters = {one.key: (place, one, called(one, pseudonyms=pseudonyms)) for place, one in enumerate(found.raters)}
    for unit, said in found.said.items():
        for key in sorted(said, key=lambda name: raters[name][0]):
            row = _row(unit, said[key], raters[key][1], raters[key][2], given)
            yield row | ({"cluster": found.clusters[unit]} if unit in found.clusters else {})


def called(one: Somebody, *, pseudonyms: bool) -> str:
    return f"{PERSON}-{one.number}" if pseudonyms and not one.is_judge else one.name


def _row(unit: str, one: Rating, rater: Somebody, name: str, given: About) -> dict[str, Any]:
    item, group, language = given.items.get(one.item, ("", "", ""))
    row: dict[str, Any] = {"unit": unit, "rater": name, "value": one.value}
    row |= {"kind": JUDGE, "strategy": rater.strategy} if rater.is_judge else {"kind": PERSON, "number": rater.number}
    if rater.simulated:
        row["simulated"] = True
    if rater.not_fenced:
        row["not_fenced"] = True
    row |= {"item": item, "axis": one.axis, "group": group, "language": language}
    wrote = [given.authors.get(int(pk), "") for pk in answers_of(unit)]
    return row | ({"authors": wrote} if len(wrote) > 1 else {"author": wrote[0]} if wrote else {})


def digest(project: Project, found: Material, today: Today, *, pseudonyms: bool) -> str:
    """SHA-256 of the file that a release of these ratings would be now. Remembered until something changes."""
    names = sorted(set(authors(today).values()))
    state = hashlib.sha256(repr([found.state, names, pseudonyms]).encode("utf-8", "surrogatepass")).hexdigest()

    def counted() -> str:
        whole = hashlib.sha256()
        for row in rows(found, about(today), pseudonyms=pseudonyms):
            whole.update(line_of(row))
        return whole.hexdigest()

    return remembered("ratings-file", f"{project.pk}:{state}", counted)
