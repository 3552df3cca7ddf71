"""A release of all that the page of trust is made of: ratings, each answer's scores, and both orders of a pair."""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from annotate.services.releasing.files import line_of
from judging.models import Judge
from judging.services.comparing_raters.material import Material
from judging.services.comparing_raters.subjects import Subject
from judging.services.rating_files import BadFile
from judging.services.rating_release.reading import from_rows
from judging.services.rating_release.rows import JUDGE, PERSON, About, rows
from judging.services.trust.grounds import Grounds
from judging.services.trust.places import Seen
from judging.services.trust.rows import Row, Written, key_of
from lib.stats.averages import Cell

RATING, ANSWER, ORDER = "rating", "answer", "order"
NOBODY = About({}, {})


def ground_rows(grounds: Grounds, *, pseudonyms: bool) -> Iterator[dict[str, Any]]:
    """Ratings first; then what the judge and people gave each answer, and what stood first in the judge's sight."""
    yield from rows(grounds.given, NOBODY, pseudonyms=pseudonyms)
    judge = str(grounds.judge)
    yield from (_answer(row, judge) for row in grounds.scored)
    if grounds.seen is not None:
        for unit, choice, swapped in zip(*grounds.seen, strict=True):
            yield {"unit": unit, "rater": judge, "value": _known(choice), "kind": ORDER, "swapped": _known(swapped)}


def _answer(row: Row, judge: str) -> dict[str, Any]:
    return {
        "unit": row.unit,
        "rater": judge,
        "value": _known(row.judged),
        "kind": ANSWER,
        "said": _known(row.said),
        "place": row.place,
        "first": row.first,
        "cell": [row.cell.scenario, row.cell.task],
        "answer": row.answer.pk,
        "author": row.answer.author,
        "family": row.answer.family,
        "group": row.answer.group,
        "length": row.answer.length,
    }


def _known(value: float) -> float | None:
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
    """Raises BadFile, KeyError, TypeError or ValueError where rows or manifest are none of such a release."""
    rows_of: dict[str, list[Mapping[str, Any]]] = {}
    for row in file_rows:
        kind = RATING if row["kind"] in (PERSON, JUDGE) else str(row["kind"])
        rows_of.setdefault(kind, []).append(row)
    rating_kind = str(manifest["what"])
    material = from_rows(rows_of.get(RATING, []), Subject(rating_kind, rating_kind, rating_kind), manifest["left_out"])
    judge = _judge(manifest["judge"], material)
    orders = _seen(rows_of[ORDER]) if ORDER in rows_of else None
    family, is_drawn = str(manifest["family"]), bool(manifest["drawn"])
    return Grounds(material, judge, [_row(row) for row in rows_of.get(ANSWER, ())], family, orders, is_drawn)


def _judge(judge_entry: Mapping[str, Any], material: Material) -> Judge:
    """The judge under the number that it has among the raters of the file."""
    number = next((rater.number for rater in material.judges if rater.name == judge_entry["rater"]), None)
    if number is None:
        raise BadFile(
            f"The file has no rating of {judge_entry['rater']}, of which its manifest says that it is about it."
        )
    return Judge(
        pk=number,
        name=judge_entry["name"],
        strategy=judge_entry["strategy"],
        variant=judge_entry["variant"],
        simulated=bool(judge_entry["simulated"]),
    )


def _row(row: Mapping[str, Any]) -> Row:
    answer = Written(int(row["answer"]), row["author"], row["family"], row["group"], int(row["length"]))
    cell, people_score, judged = Cell(*row["cell"]), _number(row["said"]), _number(row["value"])
    return Row(answer, row["unit"], row["place"], cell, people_score, judged, bool(row["first"]))


def _seen(order_rows: Sequence[Mapping[str, Any]]) -> Seen:
    choices, swapped = (np.array([_number(row[name]) for row in order_rows]) for name in ("value", "swapped"))
    return [row["unit"] for row in order_rows], choices, swapped


def rater_of(grounds: Grounds) -> str:
    """What the judge is called among the raters."""
    return next(rater.name for rater in grounds.given.judges if rater.key == key_of(grounds.judge))
