"""The data of the page of trust as rows of a release, and read again without its project.

The rows are ratings, each answer's scores, and both orders of a pair. What an own question asks is in the manifest, and
ratings of sets, orders and spans hold them as `content` too, from which their similarity is counted.
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from annotate.kinds.questions.definition import question_of
from annotate.releases.files import line_of
from judging.models import Judge
from judging.ratings.grounds import AnswerInfo, Grounds, OrderedChoices, ScoredSide, SimilarAnswers, key_of
from judging.ratings.rating_subjects import QUESTION, RatingSubject, subject_of_question
from judging.ratings.release_rows import JUDGE, PERSON, BadRatingFile, RowContext, from_rows, rater_label, rows
from judging.ratings.tables import UnitTable
from judging.ratings.units import Unit, parse_unit
from judging.verdicts.judge_identity import judge_in_manifest
from lib.stats.averages import AverageCell

RATING, ANSWER, ORDER = "rating", "answer", "order"
NOBODY = RowContext({}, {})


def ground_rows(grounds: Grounds, *, pseudonyms: bool) -> Iterator[dict[str, Any]]:
    """Ratings first; then the judge's and people's scores of each answer, and the orders in which it saw pairs."""
    yield from _ratings(grounds, pseudonyms=pseudonyms)
    judge = str(grounds.judge)
    yield from (_answer(row, judge) for row in grounds.scored)
    if grounds.seen is not None:
        for unit, choice, swapped in zip(*grounds.seen, strict=True):
            yield {
                "unit": str(unit),
                "rater": judge,
                "value": _number_or_none(choice),
                "kind": ORDER,
                "swapped": _number_or_none(swapped),
            }


def _ratings(grounds: Grounds, *, pseudonyms: bool) -> Iterator[dict[str, Any]]:
    material, alike = grounds.given, grounds.alike
    rating_rows = rows(material, NOBODY, pseudonyms=pseudonyms)
    if alike is None or not material.subject.graded:
        yield from rating_rows
        return
    names = {rater_label(rater, pseudonyms=pseudonyms): rater.name for rater in material.raters}
    for row in rating_rows:
        answer = alike.answers[parse_unit(row["unit"])][names[row["rater"]]]
        yield row | {"content": sorted(answer) if isinstance(answer, frozenset) else list(answer)}


def _answer(row: ScoredSide, judge: str) -> dict[str, Any]:
    return {
        "unit": str(row.unit),
        "rater": judge,
        "value": _number_or_none(row.judged),
        "kind": ANSWER,
        "said": _number_or_none(row.said),
        "place": row.place,
        "first": row.first,
        "cell": [row.cell.scenario, row.cell.task],
        "answer": row.answer.pk,
        "author": row.answer.author,
        "family": row.answer.family,
        "group": row.answer.group,
        "length": row.answer.length,
    }


def _number_or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def ground_digest(grounds: Grounds, *, pseudonyms: bool) -> str:
    """SHA-256 of the file."""
    whole = hashlib.sha256()
    for row in ground_rows(grounds, pseudonyms=pseudonyms):
        whole.update(line_of(row))
    return whole.hexdigest()


def read_grounds(file_rows: Iterable[Mapping[str, Any]], manifest: Mapping[str, Any]) -> Grounds:
    """Raises BadRatingFile, KeyError, TypeError or ValueError if rows or manifest do not belong to such a release."""
    rows_of: dict[str, list[Mapping[str, Any]]] = {}
    for row in file_rows:
        kind = RATING if row["kind"] in (PERSON, JUDGE) else str(row["kind"])
        rows_of.setdefault(kind, []).append(row)
    rating_rows = rows_of.get(RATING, [])
    material = from_rows(rating_rows, _subject(manifest), manifest["left_out"])
    return Grounds(
        material,
        _judge_row(manifest["judge"], material),
        [_row(row) for row in rows_of.get(ANSWER, ())],
        str(manifest["family"]),
        _orders_seen(rows_of[ORDER]) if ORDER in rows_of else None,
        bool(manifest["drawn"]),
        _similar_answers(rating_rows, manifest, material.subject),
    )


def _subject(manifest: Mapping[str, Any]) -> RatingSubject:
    slug = str(manifest["what"])
    if not slug.startswith(QUESTION):
        return RatingSubject(slug, slug, slug)
    question = question_of(manifest["question"]) if "question" in manifest else None  # else it is a score
    return subject_of_question(slug.removeprefix(QUESTION), question)


def _similar_answers(
    rating_rows: Iterable[Mapping[str, Any]], manifest: Mapping[str, Any], subject: RatingSubject
) -> SimilarAnswers | None:
    if not subject.question or subject.scored:
        return None
    question = question_of(manifest["question"])
    answers: dict[Unit, dict[str, Any]] = defaultdict(dict)
    for row in rating_rows:
        if row["value"] is not None:
            answer = question.measured(row["content"]) if subject.graded else row["value"]
            answers[parse_unit(row["unit"])][row["rater"]] = answer
    return SimilarAnswers(answers, question.similarity)


def _judge_row(judge_entry: Mapping[str, Any], material: UnitTable) -> Judge:
    """The judge under the number that it has among the raters of the file."""
    number = next((rater.number for rater in material.judges if rater.name == judge_entry["rater"]), None)
    if number is None:
        raise BadRatingFile(
            f"The file has no rating of {judge_entry['rater']}, of which its manifest says that it is about it."
        )
    return judge_in_manifest(judge_entry, pk=number)


def _row(row: Mapping[str, Any]) -> ScoredSide:
    answer = AnswerInfo(int(row["answer"]), row["author"], row["family"], row["group"], int(row["length"]))
    cell, people_score, judged = AverageCell(*row["cell"]), _number(row["said"]), _number(row["value"])
    return ScoredSide(answer, parse_unit(row["unit"]), row["place"], cell, people_score, judged, bool(row["first"]))


def _orders_seen(order_rows: Sequence[Mapping[str, Any]]) -> OrderedChoices:
    choices, swapped = (np.array([_number(row[name]) for row in order_rows]) for name in ("value", "swapped"))
    return [parse_unit(row["unit"]) for row in order_rows], choices, swapped


def rater_of(grounds: Grounds) -> str:
    """The judge's name among the raters."""
    return next(rater.name for rater in grounds.given.judges if rater.key == key_of(grounds.judge))
