"""The form of a feedback sample: checks of the checklist, posted fields, choices, and the buttons of its editor."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from django.http import QueryDict

from annotate.kinds.feedback.shapes import FeedbackFacts, FeedbackOptions
from annotate.kinds.shapes import Finding
from annotate.kinds.values import number
from lib.texts.stored_sentences import say as _

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
    """Errors by entry, then of the whole list. tolerance: how far the sum of weights may be from 1."""
    rows = entries(checklist)
    if not rows:
        yield Finding("checklist", _("needs at least one question."))
        return
    for index, entry in enumerate(rows):
        if not _is_sound(entry, weighted):
            yield from _of_entry(index, entry, weighted)
    yield from _repeated(rows)
    total = math.fsum(entry.weight or 0 for entry in rows) if weighted else 0
    if weighted and all(entry.weight is not None for entry in rows) and abs(total - 1) > tolerance:
        yield Finding("checklist", _("the weights add up to %(sum)s, not to 1.") % {"sum": f"{total:.4g}"})


def _is_sound(entry: Entry, weighted: bool) -> bool:
    """Whether `_of_entry` has nothing to say, as of nearly all entries of an import."""
    weight = entry.weight
    return bool(entry.question.strip()) and (weight is not None and 0 <= weight <= 1 if weighted else weight is None)


def _of_entry(index: int, entry: Entry, weighted: bool) -> Iterator[Finding]:
    path = f"checklist[{index}]"
    if not entry.question.strip():
        yield Finding(path, _("the question is empty; write it or remove the row."))
    if weighted and entry.weight is None:
        yield Finding(path, _("weight missing; error-correction checklists need one per question."))
    if not weighted and entry.weight is not None:
        yield Finding(path, _("has a weight; response-maintenance checklists have none: write the question alone."))
    if weighted and entry.weight is not None and not 0 <= entry.weight <= 1:
        yield Finding(path, _("the weight is %(weight)s; it must be between 0 and 1.") % {"weight": entry.weight})


def _repeated(rows: Sequence[Entry]) -> Iterator[Finding]:
    questions = [" ".join(entry.question.split()) for entry in rows]
    if len(set(questions)) == len(questions):
        return
    index_by_question: dict[str, int] = {}
    for index, question in enumerate(questions):
        if question and question in index_by_question:
            yield Finding(
                f"checklist[{index}]", _("repeats question %(first)d.") % {"first": index_by_question[question] + 1}
            )
        index_by_question.setdefault(question, index)


def doubts(checklist: Sequence[Any], *, weighted: bool) -> Iterator[Finding]:
    """Questions that yes or no may not answer, and weights of zero."""
    for index, entry in enumerate(entries(checklist)):
        if _NOT_YES_OR_NO.search(entry.question):
            yield Finding(
                f"checklist[{index}]",
                _("question %(no)d may not be answerable with yes or no.") % {"no": index + 1},
            )
        if weighted and entry.weight == 0:
            yield Finding(f"checklist[{index}]", _("question %(no)d has weight 0.") % {"no": index + 1})


# The form: from posted fields to a draft, and from options to choices.


SUITABLE = {"yes": True, "no": False}


def posted_draft(data: QueryDict, *, weighted: bool) -> dict[str, Any]:
    """The draft in a posted form. A weight that is not a number stays as typed, so that the form can show it again."""
    task, _, subtask = data.get("task", "").partition(" / ")
    draft: dict[str, Any] = {
        "task_type": task,
        "sub_task_type": subtask,
        "feedback": _text(data.get("feedback", "")),
        "feedback_type": data.getlist("feedback_type"),
        "checklist": list(_posted_checklist(data, weighted)),
    }
    if weighted:
        draft["error_type"] = data.getlist("error_type")
    suitable = SUITABLE.get(data.get("suitable", ""))
    if suitable is not None:
        draft["suitable"] = suitable
    if suitable is False:
        draft["checklist"] = [_without_bad_weight(row) for row in draft["checklist"]]
    for name in ("reference_first_response", "reference_second_response"):
        text = data.get(name, "")
        if text.strip():
            draft[name] = _text(text)
    return draft


def _text(posted: str) -> str:
    """Browsers send CRLF; the published data, and everything compared with it, uses LF."""
    return posted.replace("\r\n", "\n")


def _posted_checklist(data: QueryDict, weighted: bool) -> Iterator[Any]:
    questions, weights = data.getlist("question"), data.getlist("weight") if weighted else []
    for question, weight in zip_longest(questions, weights, fillvalue=""):
        if question.strip() or weight.strip():
            yield [_text(question), number(weight)] if weighted else _text(question)


def _without_bad_weight(row: Any) -> Any:
    """Drops a half-typed weight: it must not stop somebody who calls an item unsuitable and is asked nothing else."""
    return row if isinstance(row, str) or isinstance(row[1], int | float) else row[0]


def choices_for(
    facts: FeedbackFacts, draft: Mapping[str, Any], options: FeedbackOptions, *, weighted: bool
) -> dict[str, Any]:
    """The choices of the form. A value of the draft that is not allowed any more is offered too, to keep it."""
    task = f"{draft.get('task_type', '')} / {draft.get('sub_task_type', '')}"
    allowed = [f"{task} / {subtask}" for task, subtasks in options.tasks.items() for subtask in subtasks]
    rows = [{"question": row, "weight": None} if isinstance(row, str) else {"question": row[0], "weight": row[1]}
            for row in draft.get("checklist", [])]  # fmt: skip
    return {
        "weighted": weighted,
        "task": task,
        "tasks": allowed if task in allowed or task == " / " else [*allowed, task],
        "error_types": _with(options.error_types, draft.get("error_type") or []),
        "feedback_types": _with(options.feedback_types.get(facts.bench_type, []), draft.get("feedback_type") or []),
        "rows": rows,
        "sum": _sum(draft.get("checklist", [])) if weighted else None,
    }


def _with(allowed: Sequence[str], values: Sequence[str]) -> list[str]:
    return [*allowed, *(value for value in values if value not in allowed)]


def _sum(rows: Sequence[Any]) -> float:
    numbers = [row for row in rows if not isinstance(row, str) and isinstance(row[1], int | float)]
    return sum_of_weights(numbers)


# The buttons of the checklist editor, applied to the rows of a draft if no script does it in the page.


# Weights are in hundredths; with more questions than this they are in thousandths.
PLACES = 2


def edited(rows: Sequence[Any], action: str, weighted: bool) -> list[Any]:
    """Rows after add-row, remove-N, up-N, down-N (N from 1), distribute or normalise; anything else changes nothing."""
    verb, _dash, number = action.partition("-")
    index = int(number) - 1 if number.isdecimal() else -1
    changed = list(rows)
    if action == "add-row":
        return [*changed, ["", None] if weighted else ""]
    if action == "distribute" and weighted:
        return _weighted(changed, [1.0] * len(changed))
    if action == "normalise" and weighted:
        return _weighted(changed, [_weight(row) for row in changed])
    if not 0 <= index < len(changed):
        return changed
    if verb == "remove":
        del changed[index]
    elif verb in ("up", "down"):
        to = min(max(index + (1 if verb == "down" else -1), 0), len(changed) - 1)
        changed.insert(to, changed.pop(index))
    return changed


def _question(row: Any) -> str:
    return row if isinstance(row, str) else str(row[0])


def _weight(row: Any) -> float:
    """A weight to share out; a value that is not a number, or is negative, counts as 0."""
    weight = None if isinstance(row, str) else row[1]
    return max(float(weight), 0.0) if isinstance(weight, int | float) else 0.0


def _weighted(rows: Sequence[Any], shares: list[float]) -> list[Any]:
    """The rows with weights in proportion to the shares; equal weights if all shares are 0."""
    if not any(shares):
        shares = [1.0] * len(rows)
    return [[_question(row), weight] for row, weight in zip(rows, shared_out(shares), strict=True)]


def shared_out(shares: Sequence[float]) -> list[float]:
    """Rounded weights in proportion to the shares that add up to exactly 1 (largest remainder)."""
    if not shares:
        return []
    unit = 10 ** (PLACES if len(shares) <= 10**PLACES else PLACES + 1)
    exact = [unit * share / math.fsum(shares) for share in shares]
    whole = [math.floor(part) for part in exact]
    rest = sorted(range(len(exact)), key=lambda index: (whole[index] - exact[index], index))
    for index in rest[: unit - sum(whole)]:
        whole[index] += 1
    return [part / unit for part in whole]
