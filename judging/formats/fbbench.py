"""Judgements as FB-Bench publishes them: compact rows without answers, or raw rows with all texts.

Source of the shapes: FB-Bench (arXiv 2410.09412), its released judgements. A compact row identifies its item by the
index in the published dataset; a raw row repeats the item's texts, which may be older than those of today's dataset.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.json_array import JsonRows
from annotate.formats.rows import ImportRow, Problem, printable
from judging.formats.format import BadJudgementValue, ChecklistMark, Judgement, JudgementFormat
from judging.strategies.checklist.checklist_replies import weight_of, yes_or_no
from lib.texts.stored_sentences import say as _

RESULT, REASON = ("result", "评判结果"), ("reason", "评判理由")
MESSAGES = ("user_query", "origin_first_response", "feedback")
MOST_NAME = 120


class _FbBenchRows(JsonRows):
    slug = name = "fbbench"


class FbBenchJudgements(JudgementFormat):
    slug = "fbbench"
    name = gettext_lazy("FB-Bench, compact or raw")
    strategy = "checklist"
    said_in = "judgement"

    def read(self, path: Path, *, name: str, options: Mapping[str, str] | None = None) -> Iterator[Judgement | Problem]:
        for row in _FbBenchRows().read(path, name=name):
            if isinstance(row, Problem):
                yield row
                continue
            try:
                yield _compact(row) if "sample_index" in row.value else _raw(row)
            except BadJudgementValue as bad:
                yield Problem(name, row.line, bad.path, str(bad))


def _compact(row: ImportRow) -> Judgement:
    index = row.value["sample_index"]
    if isinstance(index, bool) or not isinstance(index, int) or index < 0:
        raise BadJudgementValue(
            "sample_index", _("must be the sample's index in the published dataset, counted from 0.")
        )
    key = f"fbbench-{index:04}"
    return Judgement(author=_name(row.value, "model"), named_in="sample_index", key=key, **_judged(row))


def _raw(row: ImportRow) -> Judgement:
    return Judgement(
        author=_name(row.value, "infer_model"),
        named_in="user_query",
        text=_text(row.value, "second_response"),
        texts={name: _text(row.value, name) for name in MESSAGES},
        checklist=_checklist(row.value.get("checklist")),
        **_judged(row),
    )


def _judged(row: ImportRow) -> dict[str, Any]:
    """The values that both shapes have."""
    if "judgement" not in row.value:
        raise BadJudgementValue("judgement", _("is missing: this is not a row of judgements."))
    judgement = row.value["judgement"]
    is_read = isinstance(judgement, dict) and any(isinstance(value, dict) for value in judgement.values())
    return {
        "line": row.line,
        "judge": _name(row.value, "judge_model"),
        "said": {key: _checklist_mark(value) for key, value in judgement.items()} if is_read else {},
        "failed": "" if is_read else _instead(judgement),
        "score": _number(row.value.get("score"), "score"),
    }


def _checklist_mark(value: Any) -> ChecklistMark:
    if not isinstance(value, dict):
        return ChecklistMark(yes_or_no(value))
    reason = _first(value, REASON)
    return ChecklistMark(
        yes_or_no(_first(value, RESULT)), reason if isinstance(reason, str) else "", weight_of(value.get("weight"))
    )


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if name in value), None)


def _instead(judgement: Any) -> str:
    """The text in place of a judgement: never empty, and short enough for a message."""
    if isinstance(judgement, dict) and judgement:
        return printable("; ".join(f"{key}: {value}" for key, value in judgement.items()), most=200)
    return printable(str(judgement), most=200) or _("nothing")


def _name(value: Mapping[str, Any], field: str) -> str:
    name = _text(value, field).strip()
    if not name or not name.isprintable() or len(name) > MOST_NAME:
        raise BadJudgementValue(
            field, _("must be a one-line name of at most %(most)d characters.") % {"most": MOST_NAME}
        )
    return name


def _text(value: Mapping[str, Any], field: str) -> str:
    text = value.get(field)
    if not isinstance(text, str):
        raise BadJudgementValue(field, _("is missing or not text."))
    return text


def _number(value: Any, field: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadJudgementValue(field, _("must be a number."))
    return float(value)


def _checklist(entries: Any) -> list[str] | None:
    """The questions, with or without weights; None if there is no such list."""
    if not isinstance(entries, list):
        return None
    questions = [entry[0] if isinstance(entry, list) and entry else entry for entry in entries]
    return [question for question in questions if isinstance(question, str)]


FORMAT = FbBenchJudgements()
