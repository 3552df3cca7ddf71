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
    yield from (_answer(one, judge) for one in grounds.scored)
    if grounds.seen is not None:
        for unit, shown, swapped in zip(*grounds.seen, strict=True):
            yield {"unit": unit, "rater": judge, "value": _known(shown), "kind": ORDER, "swapped": _known(swapped)}


def _answer(one: Row, judge: str) -> dict[str, Any]:
    return {
        "unit": one.unit,
        "rater": judge,
        "value": _known(one.judged),
        "kind": ANSWER,
        "said": _known(one.said),
        "place": one.place,
        "first": one.first,
        "cell": [one.cell.scenario, one.cell.task],
        "answer": one.answer.pk,
        "author": one.answer.author,
        "family": one.answer.family,
        "group": one.answer.group,
        "length": one.answer.length,
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


def read_grounds(given: Iterable[Mapping[str, Any]], manifest: Mapping[str, Any]) -> Grounds:
    """Raises BadFile, KeyError, TypeError or ValueError where rows or manifest are none of such a release."""
    rows_of: dict[str, list[Mapping[str, Any]]] = {}
    for row in given:
        kind = RATING if row["kind"] in (PERSON, JUDGE) else str(row["kind"])
        rows_of.setdefault(kind, []).append(row)
    what = str(manifest["what"])
    found = from_rows(rows_of.get(RATING, []), Subject(what, what, what), manifest["left_out"])
    judge = _judge(manifest["judge"], found)
    seen = _seen(rows_of[ORDER]) if ORDER in rows_of else None
    family, drawn = str(manifest["family"]), bool(manifest["drawn"])
    return Grounds(found, judge, [_row(row) for row in rows_of.get(ANSWER, ())], family, seen, drawn)


def _judge(told: Mapping[str, Any], found: Material) -> Judge:
    """The judge under the number that it has among the raters of the file."""
    place = next((one.number for one in found.judges if one.name == told["rater"]), None)
    if place is None:
        raise BadFile(f"The file has no rating of {told['rater']}, of which its manifest says that it is about it.")
    return Judge(
        pk=place,
        name=told["name"],
        strategy=told["strategy"],
        variant=told["variant"],
        simulated=bool(told["simulated"]),
    )


def _row(row: Mapping[str, Any]) -> Row:
    answer = Written(int(row["answer"]), row["author"], row["family"], row["group"], int(row["length"]))
    cell, said, judged = Cell(*row["cell"]), _number(row["said"]), _number(row["value"])
    return Row(answer, row["unit"], row["place"], cell, said, judged, bool(row["first"]))


def _seen(given: Sequence[Mapping[str, Any]]) -> Seen:
    shown, swapped = (np.array([_number(row[name]) for row in given]) for name in ("value", "swapped"))
    return [row["unit"] for row in given], shown, swapped


def rater_of(grounds: Grounds) -> str:
    """What the judge is called among the raters."""
    return next(one.name for one in grounds.given.judges if one.key == key_of(grounds.judge))
