"""What a judge is asked to answer: every question of the checklist with reason, yes or no, and its weight.

The schema is narrow and the reading wide: judges write 是 for yes, weights as text, lists for objects.
"""

import json
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, RootModel, WithJsonSchema, model_validator

from judging.strategies.checklist.words import weight_of, yes_or_no

RESULT = (
    "result",
    "answer",
    "verdict",
    "met",
    "satisfied",
    "judgement",
    "judgment",
    "结果",
    "结论",
    "判断",
    "是否满足",
)
REASON = ("reason", "reasoning", "explanation", "rationale", "analysis", "理由", "原因", "解释", "分析")
WEIGHT = ("weight", "权重")
WRAPPINGS = 2  # such as {"checklist": [{…}]}
QUESTION = ("question", "criterion", "item", "问题", "检查项")


class Given(BaseModel):
    """What is said about one question. result: whether it is met; None where it says neither yes nor no."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})

    reason: str
    result: Annotated[bool | None, WithJsonSchema({"type": "string", "enum": ["yes", "no", "是", "否"]})]
    weight: Annotated[float | None, WithJsonSchema({"type": ["number", "null"]})]


class Verdicts(RootModel[dict[str, Given]]):
    """question, as the judge wrote it -> what it said; at least one of them says yes or no."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, reply: Any) -> dict[str, dict[str, Any]]:
        """Raises ValueError, which is the fault that people read."""
        rows = dict(_rows(reply))
        if not any(row["result"] is not None for row in rows.values()):
            raise ValueError("no question is answered with yes or no")
        return rows


def _rows(reply: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for _layer in range(WRAPPINGS):
        reply = _unwrapped(reply)
    if isinstance(reply, list):
        yield from _listed(reply)
    elif isinstance(reply, Mapping) and not _named(reply, RESULT):  # else it is one verdict, and nobody knows on what
        yield from ((key, _row(value)) for key, value in reply.items())


def _listed(verdicts: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A list of verdicts that name their questions; those without a name are called by their place."""
    for number, verdict in enumerate(verdicts, start=1):
        if isinstance(verdict, Mapping) and _named(verdict, RESULT):
            question = _value(verdict, QUESTION)
            yield question if isinstance(question, str) else str(number), _row(verdict)
        elif isinstance(verdict, Mapping):
            yield from ((key, _row(value)) for key, value in verdict.items())


def _unwrapped(reply: Any) -> Any:
    """What lies inside a single name that is around all verdicts; the same where there is no such name."""
    if not isinstance(reply, Mapping) or len(reply) != 1:
        return reply
    (inner,) = reply.values()
    is_around = isinstance(inner, list) or (isinstance(inner, Mapping) and inner and not _named(inner, RESULT))
    return inner if is_around else reply


def _row(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        return {"reason": "", "result": yes_or_no(value), "weight": None}
    return {
        "reason": _text(_value(value, REASON)),
        "result": yes_or_no(_value(value, RESULT)),
        "weight": weight_of(_value(value, WEIGHT)),
    }


def _named(fields: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    return any(_plain(name) in names for name in fields)


def _value(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value for name, value in fields.items() if _plain(name) in names), None)


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
