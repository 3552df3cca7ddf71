"""The form of a feedback sample: from posted fields to a draft, and from options to choices."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from django.http import QueryDict

from annotate.kinds.feedback import checklist
from annotate.kinds.feedback.shapes import FeedbackFacts, FeedbackOptions

# A weight of more characters is a slip of the keyboard, and may be more than a float can hold.
LONGEST_NUMBER = 30
SUITABLE = {"yes": True, "no": False}


def posted_draft(data: QueryDict, *, weighted: bool) -> dict[str, Any]:
    """The draft in a posted form. A weight that is no number stays as typed, so that the form can show it again."""
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
    """Browsers send CRLF; the published data, and everything that is compared with it, says LF."""
    return posted.replace("\r\n", "\n")


def _posted_checklist(data: QueryDict, weighted: bool) -> Iterator[Any]:
    questions, weights = data.getlist("question"), data.getlist("weight") if weighted else []
    for question, weight in zip_longest(questions, weights, fillvalue=""):
        if question.strip() or weight.strip():
            yield [_text(question), number(weight)] if weighted else _text(question)


def _without_bad_weight(row: Any) -> Any:
    """Whoever calls an item unsuitable is asked nothing else, so a half-typed weight must not stop them."""
    return row if isinstance(row, str) or isinstance(row[1], int | float) else row[0]


def number(typed: str) -> int | float | str | None:
    """A weight as typed: 1 stays whole, a decimal comma counts as a point, an empty field is None."""
    text = typed.strip().replace(",", ".")
    for convert in (int, float) if len(text) < LONGEST_NUMBER else ():
        try:
            value = convert(text)
        except ValueError:
            continue
        if math.isfinite(value):
            return value
    return typed if text else None


def choices_for(
    facts: FeedbackFacts, draft: Mapping[str, Any], options: FeedbackOptions, *, weighted: bool
) -> dict[str, Any]:
    """What the form offers. A value in the draft that is no longer allowed is offered too, so that it is not lost."""
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
    return checklist.sum_of_weights(numbers)
