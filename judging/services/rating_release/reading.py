"""A release of ratings read again: the raters and ratings that the page of agreement has, without their project."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from annotate.formats.registry import find_format
from annotate.formats.rows import Problem, Row
from judging.services.comparing_raters.clusters import UNIT
from judging.services.comparing_raters.material import Material, Somebody
from judging.services.comparing_raters.subjects import Subject
from judging.services.rating_files import BadFile, name_in, value_in
from judging.services.rating_release.rows import JUDGE, PERSON
from judging.services.ratings import Rater, Rating


def read(path: Path) -> Material:
    """Raises BadFile where a row does not say which kind of rater it is of, or is no rating."""
    return _made(_rows(path), Subject("", ""), {})


def from_rows(
    rows: Iterable[Mapping[str, Any]], subject: Subject, skip_counts: Mapping[str, Mapping[str, int]]
) -> Material:
    """Of rows that are read already. Raises BadFile."""
    return _made((Row(line, dict(row)) for line, row in enumerate(rows, 1)), subject, skip_counts)


def _made(rows: Iterable[Row], subject: Subject, skip_counts: Mapping[str, Mapping[str, int]]) -> Material:
    raters: dict[str, Somebody] = {}
    ratings_by_unit: dict[str, dict[str, Rating]] = {}
    clusters: dict[str, str] = {}
    turned: set[str] = set()
    for row in rows:
        unit, name = name_in(row, "unit"), name_in(row, "rater")
        entry = raters.setdefault(name, _somebody(row, name, len(raters)))
        rater = Rater(row.value["kind"], name)
        axis = str(row.value.get("axis", ""))
        ratings_by_unit.setdefault(unit, {})[entry.key] = Rating(unit, rater, value_in(row), item=0, axis=axis)
        if isinstance(row.value.get("cluster"), str):
            clusters[unit] = row.value["cluster"]
        wrote = row.value.get("authors")
        if isinstance(wrote, list) and len(wrote) == 2 and str(wrote[0]) > str(wrote[1]):
            turned.add(unit)
    people = sorted((entry for entry in raters.values() if not entry.is_judge), key=lambda entry: entry.number)
    judges = sorted((entry for entry in raters.values() if entry.is_judge), key=lambda entry: entry.name)
    name = next(iter(clusters.values()), UNIT).partition(" ")[0]
    return Material(subject, "", people, judges, ratings_by_unit, skip_counts, clusters, name, frozenset(turned))


def _rows(path: Path) -> Iterator[Row]:
    for row in find_format("jsonl").read(path):
        if isinstance(row, Problem):
            where = "" if row.line is None else f"Line {row.line}: "
            raise BadFile(f"{where}{row.message}")
        if row.value.get("kind") not in (PERSON, JUDGE):
            why = "people can be set beside judges only where every row says so, as files of export_ratings do"
            raise BadFile(f"Line {row.line}, kind: it must be {PERSON} or {JUDGE}; {why}.")
        yield row


def _somebody(row: Row, name: str, index: int) -> Somebody:
    value: Mapping[str, Any] = row.value
    if value["kind"] == JUDGE:
        marks = bool(value.get("simulated")), bool(value.get("not_fenced"))
        return Somebody(f"j{index}", name, index, True, str(value.get("strategy", "")), *marks)
    number = value.get("number")
    if isinstance(number, bool) or not isinstance(number, int):
        raise BadFile(f"Line {row.line}, number: a person's row must have one, a whole number.")
    return Somebody(f"p{index}", name, number, False)
