"""Files of ratings: ratings as rows, a judge's scores as rows, and readers that need no project.

A plain file has one {"unit","rater","value"} a line.
"""

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, MutableSequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotate.formats.registry import find_format
from annotate.formats.rows import ImportRow, Problem, printable
from annotate.models import Item, Project
from annotate.releases.files import line_of
from judging.cache import cached
from judging.ratings.rating_subjects import RatingSubject
from judging.ratings.tables import UNIT, Somebody, UnitTable
from judging.ratings.units import AnswerUnit, Rater, Rating, Today, Unit, parse_unit
from judging.verdicts.judge_identity import judge_in_manifest
from judging.verdicts.verdict_scores import JudgeScores, ScoredAnswer
from lib.stats.agreement import BadRatings, Level, RatingTable, ratings

MISSING: Any = object()


class BadRatingFile(Exception):
    """A file that is not a valid file of ratings; the message names the line and what to do."""


def read_ratings(path: Path, level: Level) -> RatingTable:
    """The ratings of a file of JSON lines, also gzipped; other fields are ignored. Raises BadRatingFile."""
    lines = array("q")
    try:
        return ratings(_file_rows(path, lines), level)
    except BadRatings as bad:
        again = "" if bad.first is None else f" The first is on line {lines[bad.first]}."
        raise BadRatingFile(f"Line {lines[bad.row]}: {printable(bad.message, most=500)}{again}") from None


def _file_rows(path: Path, lines: MutableSequence[int]) -> Iterator[tuple[str, str, Any]]:
    """unit, rater, value; the line of each is kept in `lines`."""
    for row in find_format("jsonl").read(path):
        if isinstance(row, Problem):
            raise BadRatingFile(_problem(row))
        lines.append(row.line)
        yield name_in(row, "unit"), name_in(row, "rater"), value_in(row)


def _problem(problem: Problem) -> str:
    location = "" if problem.line is None else f"Line {problem.line}"
    location += f", {problem.path}" if location and problem.path else ""
    return f"{location}: {problem.message}" if location else problem.message


def name_in(row: ImportRow, field: str) -> str:
    """A text; a whole number is taken as text. Raises BadRatingFile."""
    value = row.value.get(field, MISSING)
    if value is MISSING:
        raise BadRatingFile(f'Line {row.line}: {field} missing; a row is {{"unit": …, "rater": …, "value": …}}.')
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise BadRatingFile(f"Line {row.line}, {field}: it must be a text that is not empty, or a whole number.")
    return str(value)


def value_in(row: ImportRow) -> Any:
    value = row.value.get("value", MISSING)
    if value is MISSING:
        raise BadRatingFile(f"Line {row.line}: value missing; write null where somebody gave no rating.")
    return value


# Ratings as rows. Equal ratings give equal bytes: no row says when it was written.


PERSON, JUDGE = "person", "judge"


@dataclass(frozen=True)
class RowContext:
    """Further data of the rows. items: item -> key, group, language; authors: answer -> its author."""

    items: Mapping[int, tuple[str, str, str]]
    authors: Mapping[int, str]


def about(today: Today) -> RowContext:
    """The context, in two queries, or one if the answers are at hand."""
    items = Item.objects.filter(project=today.project).values_list("pk", "key", "group", "language")
    names_by_item = {pk: (key, group, language) for pk, key, group, language in items.iterator(2000)}
    return RowContext(names_by_item, authors(today))


def authors(today: Today) -> dict[int, str]:
    return {pk: row.author for pk, row in today.answers.items()}


def rows(material: UnitTable, lookups: RowContext, *, pseudonyms: bool) -> Iterator[dict[str, Any]]:
    """Rows by unit, then people by their numbers, then judges by name: the order in which the page computes.

    pseudonyms: people appear under their numbers. A rating without a value is a row too.
    """
    raters = {
        rater.key: (index, rater, rater_label(rater, pseudonyms=pseudonyms))
        for index, rater in enumerate(material.raters)
    }
    for unit, rating_by_rater in material.said.items():
        for key in sorted(rating_by_rater, key=lambda name: raters[name][0]):
            row = _row(unit, rating_by_rater[key], raters[key][1], raters[key][2], lookups)
            yield row | ({"cluster": material.clusters[unit]} if unit in material.clusters else {})


def rater_label(rater: Somebody, *, pseudonyms: bool) -> str:
    return f"{PERSON}-{rater.number}" if pseudonyms and not rater.is_judge else rater.name


def _row(unit: Unit, rating: Rating, rater: Somebody, name: str, lookups: RowContext) -> dict[str, Any]:
    item, group, language = lookups.items.get(rating.item, ("", "", ""))
    row: dict[str, Any] = {"unit": str(unit), "rater": name, "value": rating.value}
    row |= {"kind": JUDGE, "strategy": rater.strategy} if rater.is_judge else {"kind": PERSON, "number": rater.number}
    if rater.simulated:
        row["simulated"] = True
    if rater.not_fenced:
        row["not_fenced"] = True
    row |= {"item": item, "axis": rating.axis, "group": group, "language": language}
    wrote = [lookups.authors.get(pk, "") for pk in unit.answers]
    return row | ({"authors": wrote} if len(wrote) > 1 else {"author": wrote[0]} if wrote else {})


def digest(project: Project, material: UnitTable, today: Today, *, pseudonyms: bool) -> str:
    """SHA-256 of the file that a release of these ratings would be now. Cached until something changes."""
    names = sorted(set(authors(today).values()))
    state = hashlib.sha256(repr([material.state, names, pseudonyms]).encode("utf-8", "surrogatepass")).hexdigest()

    def counted() -> str:
        whole = hashlib.sha256()
        for row in rows(material, about(today), pseudonyms=pseudonyms):
            whole.update(line_of(row))
        return whole.hexdigest()

    return cached("ratings-file", f"{project.pk}:{state}", counted)


# Scores as rows: the data of one judge's leaderboard, one answer a row.


SCORE = "score"


def score_rows(scores: JudgeScores) -> Iterator[dict[str, Any]]:
    """Rows in the order in which the leaderboard reads them: by author and item."""
    judge = str(scores.judge)
    for row in scores.rows:
        yield {
            "unit": str(AnswerUnit(row.answer_id)),
            "rater": judge,
            "value": row.score,
            "kind": SCORE,
            "item": row.item_id,
            "author": row.author,
            "scenario": row.scenario,
            "labels": {name: list(values) for name, values in row.labels.items()},
            "failed": row.failed,
            "flagged": row.flagged,
            "unparsed": row.unparsed,
            "what_if": dict(row.what_if),
        }


def score_digest(scores: JudgeScores) -> str:
    """SHA-256 of the file."""
    whole = hashlib.sha256()
    for row in score_rows(scores):
        whole.update(line_of(row))
    return whole.hexdigest()


def read_scores(rows: Iterable[Mapping[str, Any]], manifest: Mapping[str, Any]) -> JudgeScores:
    """Raises KeyError, TypeError or ValueError if rows or manifest do not belong to such a release."""
    judge_entry, skip_counts = manifest["judge"], manifest["left_out"]["verdicts"]
    judge = judge_in_manifest(judge_entry)
    scored = [_scored(row) for row in rows]
    return JudgeScores(judge, scored, outdated=int(skip_counts["outdated"]), unjudged=int(skip_counts["unjudged"]))


def _scored(row: Mapping[str, Any]) -> ScoredAnswer:
    return ScoredAnswer(
        author=str(row["author"]),
        item_id=int(row["item"]),
        answer_id=_answer_of(row["unit"]),
        verdict_id=None,
        scenario=str(row["scenario"]),
        labels={name: tuple(values) for name, values in row["labels"].items()},
        score=float(row["value"]),
        failed=bool(row["failed"]),
        flagged=bool(row["flagged"]),
        what_if={name: float(value) for name, value in row["what_if"].items()},
        unparsed=bool(row["unparsed"]),
    )


def _answer_of(name: str) -> int:
    """The answer in the name of a unit. Raises ValueError if it is about none, or about a pair."""
    (answer,) = parse_unit(name).answers
    return answer


# Reading a release: the raters and ratings of the page of agreement, without their project.


def read_release(path: Path) -> UnitTable:
    """Raises BadRatingFile if a row is not a rating or does not say which kind of rater it is from."""
    return _material(_release_rows(path), RatingSubject("", ""), {})


def from_rows(
    rows: Iterable[Mapping[str, Any]], subject: RatingSubject, skip_counts: Mapping[str, Mapping[str, int]]
) -> UnitTable:
    """The table of rows that are parsed already. Raises BadRatingFile."""
    return _material((ImportRow(line, dict(row)) for line, row in enumerate(rows, 1)), subject, skip_counts)


def _material(
    rows: Iterable[ImportRow], subject: RatingSubject, skip_counts: Mapping[str, Mapping[str, int]]
) -> UnitTable:
    raters: dict[str, Somebody] = {}
    ratings_by_unit: dict[Unit, dict[str, Rating]] = {}
    clusters: dict[Unit, str] = {}
    turned: set[Unit] = set()
    for row in rows:
        unit, name = parse_unit(name_in(row, "unit")), name_in(row, "rater")
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
    return UnitTable(subject, "", people, judges, ratings_by_unit, skip_counts, clusters, name, frozenset(turned))


def _release_rows(path: Path) -> Iterator[ImportRow]:
    for row in find_format("jsonl").read(path):
        if isinstance(row, Problem):
            where = "" if row.line is None else f"Line {row.line}: "
            raise BadRatingFile(f"{where}{row.message}")
        if row.value.get("kind") not in (PERSON, JUDGE):
            why = "people can be set beside judges only where every row says so, as files of export_ratings do"
            raise BadRatingFile(f"Line {row.line}, kind: it must be {PERSON} or {JUDGE}; {why}.")
        yield row


def _somebody(row: ImportRow, name: str, index: int) -> Somebody:
    value: Mapping[str, Any] = row.value
    if value["kind"] == JUDGE:
        marks = bool(value.get("simulated")), bool(value.get("not_fenced"))
        return Somebody(f"j{index}", name, index, True, str(value.get("strategy", "")), *marks)
    number = value.get("number")
    if isinstance(number, bool) or not isinstance(number, int):
        raise BadRatingFile(f"Line {row.line}, number: a person's row must have one, a whole number.")
    return Somebody(f"p{index}", name, number, False)
