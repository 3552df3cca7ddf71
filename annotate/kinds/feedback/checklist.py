"""Checklist entries: reading them, and what can be wrong with them."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from annotate.kinds.shapes import Finding
from lib.texts.said import say as _

_NOT_YES_OR_NO = re.compile(
    r"^\s*(how|what|why|which|who|whom|whose|when|where)\b|^\s*(如何|怎么|怎样|为什么|为何|哪|什么|多少|谁)",
    re.IGNORECASE,
)


class Entry(NamedTuple):
    """One question; weight is None where the entry is a bare question."""

    question: str
    weight: int | float | None


def entries(checklist: Sequence[Any]) -> list[Entry]:
    return [Entry(row, None) if isinstance(row, str) else Entry(row[0], row[1]) for row in checklist]


def sum_of_weights(checklist: Sequence[Any]) -> float:
    return math.fsum(entry.weight or 0 for entry in entries(checklist))


def problems(checklist: Sequence[Any], *, weighted: bool, tolerance: float) -> Iterator[Finding]:
    """Faults by entry, then of the whole list. tolerance: how far the sum of weights may be from 1."""
    rows = entries(checklist)
    if not rows:
        yield Finding("checklist", _("needs at least one question."))
        return
    for index, entry in enumerate(rows):
        yield from _of_entry(f"checklist[{index}]", entry, weighted)
    yield from _repeated(rows)
    total = sum_of_weights(checklist)
    if weighted and all(entry.weight is not None for entry in rows) and abs(total - 1) > tolerance:
        yield Finding("checklist", _("the weights add up to %(sum)s, not to 1.") % {"sum": f"{total:.4g}"})


def _of_entry(path: str, entry: Entry, weighted: bool) -> Iterator[Finding]:
    if not entry.question.strip():
        yield Finding(path, _("the question is empty; write it or remove the row."))
    if weighted and entry.weight is None:
        yield Finding(path, _("weight missing; error-correction checklists need one per question."))
    if not weighted and entry.weight is not None:
        yield Finding(path, _("has a weight; response-maintenance checklists have none."))
    if weighted and entry.weight is not None and not 0 <= entry.weight <= 1:
        yield Finding(path, _("the weight is %(weight)s; it must lie between 0 and 1.") % {"weight": entry.weight})


def _repeated(rows: Sequence[Entry]) -> Iterator[Finding]:
    index_by_question: dict[str, int] = {}
    for index, entry in enumerate(rows):
        question = " ".join(entry.question.split())
        if question and question in index_by_question:
            yield Finding(
                f"checklist[{index}]", _("repeats question %(first)d.") % {"first": index_by_question[question] + 1}
            )
        index_by_question.setdefault(question, index)


def doubts(checklist: Sequence[Any], *, weighted: bool) -> Iterator[Finding]:
    """Questions that a yes or no may not answer, and weights of nothing."""
    for index, entry in enumerate(entries(checklist)):
        if _NOT_YES_OR_NO.search(entry.question):
            yield Finding(
                f"checklist[{index}]",
                _("question %(no)d may not be answerable with yes or no.") % {"no": index + 1},
            )
        if weighted and entry.weight == 0:
            yield Finding(f"checklist[{index}]", _("question %(no)d weighs nothing.") % {"no": index + 1})
