"""Judgements of gold and perturbed answers, one pair a row: two scores, two choices, or one score with a reference.

The fields of a row decide which of the three it is, not its strategy, which is free text. Source of the counting: FBI
(arXiv 2406.13439).
"""

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.json_array import JsonRows
from annotate.formats.rows import ImportRow, Problem, printable
from judging.formats.format import BadJudgementValue, JudgementFormat, PairJudgement
from lib.stats.blindspots import PAIRWISE, REFERENCE, SINGLE
from lib.texts.stored_sentences import say as _

GOLD_FIRST = {"A": "first", "B": "second", "C": "both_good", "D": "both_bad"}
PERTURBED_FIRST = {**GOLD_FIRST, "A": "second", "B": "first"}
FIELDS = {
    SINGLE.name: ("score_gold", "score_perturbed"),
    PAIRWISE.name: ("verdict_gold_first", "verdict_perturbed_first"),
    REFERENCE.name: ("score_perturbed", "top"),
}
ALL_FIELDS = {field for fields in FIELDS.values() for field in fields}
MOST_JUDGE, MOST_STRATEGY, MOST_NAME = 120, 80, 200


class _FbiRows(JsonRows):
    slug = name = "fbi"


class FbiJudgements(JudgementFormat):
    slug = "fbi"
    name = gettext_lazy("Blind spots: gold and perturbed answers")
    said_in = "judge"
    of_pairs = True

    def read(
        self, path: Path, *, name: str, options: Mapping[str, str] | None = None
    ) -> Iterator[PairJudgement | Problem]:
        for row in _FbiRows().read(path, name=name):
            if isinstance(row, Problem):
                yield row
                continue
            try:
                yield _judgement(row)
            except BadJudgementValue as bad:
                yield Problem(name, row.line, bad.path, str(bad))


def _judgement(row: ImportRow) -> PairJudgement:
    shape = _shape(row.value)
    return PairJudgement(
        line=row.line,
        judge=_name(row.value, "judge", MOST_JUDGE),
        strategy=_name(row.value, "strategy", MOST_STRATEGY),
        key=f"{_name(row.value, 'category')}/{_id(row.value)}",
        shape=shape,
        found=_flag(row.value, "found_in_explanation"),
        **SAID[shape](row.value),
    )


def _shape(value: Mapping[str, Any]) -> str:
    """The shape of a row, by the fields that it has, whatever their values."""
    present_fields = ALL_FIELDS & value.keys()
    for shape, fields in FIELDS.items():
        if present_fields == set(fields):
            return shape
    missing = [
        set(fields) - present_fields for fields in FIELDS.values() if present_fields and present_fields < set(fields)
    ]
    if len(missing) == 1:
        raise BadJudgementValue(missing[0].pop(), _("is missing; use null where nothing could be read."))
    shapes = "; ".join(" + ".join(fields) for fields in FIELDS.values())
    raise BadJudgementValue(
        "", _("a row must have the fields of exactly one strategy: %(wanted)s.") % {"wanted": shapes}
    )


def _single(value: Mapping[str, Any]) -> dict[str, Any]:
    return {"gold": _number(value, "score_gold"), "perturbed": _number(value, "score_perturbed")}


def _pairwise(value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "gold_first": _letter(value, "verdict_gold_first", GOLD_FIRST),
        "perturbed_first": _letter(value, "verdict_perturbed_first", PERTURBED_FIRST),
    }


def _reference(value: Mapping[str, Any]) -> dict[str, Any]:
    score, top = _number(value, "score_perturbed"), _number(value, "top")
    if top is None:
        raise BadJudgementValue("top", _("must be the highest score of the scale."))
    if score is not None and score > top:
        raise BadJudgementValue("score_perturbed", _("is above the highest score, %(top)g.") % {"top": top})
    return {"perturbed": score, "top": top}


SAID: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    SINGLE.name: _single,
    PAIRWISE.name: _pairwise,
    REFERENCE.name: _reference,
}


def _letter(value: Mapping[str, Any], field: str, meanings: Mapping[str, str]) -> str | None:
    letter = value[field]
    if letter is None:
        return None
    meaning = meanings.get(letter.strip().upper()) if isinstance(letter, str) else None
    if meaning is None:
        message = _("must be A, B, C, D, or null where nothing could be read; it is “%(said)s”.")
        raise BadJudgementValue(field, message % {"said": printable(str(letter), most=40)})
    return meaning


def _number(value: Mapping[str, Any], field: str) -> float | None:
    number = value[field]
    if number is None:
        return None
    if (
        isinstance(number, bool)
        or not isinstance(number, int | float)
        or abs(number) > 1e9
        or not math.isfinite(number)
    ):
        raise BadJudgementValue(field, _("must be a number, or null where nothing could be read."))
    return float(number)


def _flag(value: Mapping[str, Any], field: str) -> bool | None:
    flag = value.get(field)
    if flag is not None and not isinstance(flag, bool):
        raise BadJudgementValue(field, _("must be true, false or null."))
    return flag


def _id(value: Mapping[str, Any]) -> str:
    """A number or a name."""
    identifier = value.get("id")
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        return str(identifier)
    return _name(value, "id")


def _name(value: Mapping[str, Any], field: str, most: int = MOST_NAME) -> str:
    raw_name = value.get(field)
    name = raw_name.strip() if isinstance(raw_name, str) else ""
    if not name or not name.isprintable() or len(name) > most:
        raise BadJudgementValue(field, _("must be a one-line name of at most %(most)d characters.") % {"most": most})
    return name


FORMAT = FbiJudgements()
