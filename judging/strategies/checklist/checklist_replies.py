"""Replies to checklists: yes, no and weights as judges write them in English and Chinese, and the shape of a reply.

The schema is narrow and the parser lenient: judges write 是 for yes, weights as text, lists for objects.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, RootModel, WithJsonSchema, model_validator

YES = frozenset(
    [
        *("yes", "y", "true", "t", "1", "met", "satisfied", "fulfilled", "pass", "passed", "✓", "✔", "√", "✅"),
        *("是", "是的", "对", "有", "满足", "符合", "通过", "已满足", "完全满足"),
    ]
)
NO = frozenset(
    [
        *("no", "n", "false", "f", "0", "unmet", "unsatisfied", "fail", "failed", "✗", "✘", "×", "x", "❌"),
        *("partly", "partially", "partial", "partly met", "partially met"),
        *("否", "不", "不是", "没有", "未", "未满足", "不满足", "不符合", "未通过", "不通过"),
        *("部分", "部分是", "部分满足", "部分符合"),
    ]
)
# The beginning of a longer remark. 是否 is a question, not an answer.
BEGINS = re.compile(
    r"(?P<yes>(?:yes|true)(?![a-z])|是的?(?![\u3400-\u9fff]))"
    r"|(?P<no>(?:no|not|false)(?![a-z])|否|不是|不满足|未满足|没有)"
)
EITHER = re.compile(r"(?:yes|true|是)\s*(?:/|\||or|或|、|,)\s*(?:no|false|否)")
PARTLY = re.compile(r"\b(?:partly|partially|partial)\b|部分")
MARKS = " \t\r\n.。,，!！;；:：\"'“”‘’`*_()（）[]【】"
PERCENT = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*%")
FEW = 40  # characters within which a remark belongs to the answer


def yes_or_no(value: Any) -> bool | None:
    """Whether it says yes; "partly met" is not met. None if it says neither, or both."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    return _mark_of(value) if isinstance(value, str) else None


def _mark_of(text: str) -> bool | None:
    words = " ".join(unicodedata.normalize("NFKC", text).casefold().strip(MARKS).split())
    if words in YES or words in NO:
        return words in YES
    begins = None if EITHER.match(words) else BEGINS.match(words)
    if begins is None:
        return None
    return begins["yes"] is not None and not PARTLY.search(words[:FEW])


def weight_of(value: Any) -> float | None:
    """A number, also as text or percent; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, int | float):
        return float(value)
    text = unicodedata.normalize("NFKC", value).strip()
    percent = PERCENT.fullmatch(text)
    if percent:
        return float(percent[1]) / 100
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < 1e9 else None


# Shape of a reply: every question of the checklist with reason, yes or no, and its weight.


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
    elif isinstance(reply, Mapping) and not _has_name(
        reply, RESULT
    ):  # else it is a single verdict without a known question
        yield from ((key, _row(value)) for key, value in reply.items())


def _listed(verdicts: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A list of verdicts with their questions; those without a name get their position as name."""
    for number, verdict in enumerate(verdicts, start=1):
        if isinstance(verdict, Mapping) and _has_name(verdict, RESULT):
            question = _value(verdict, QUESTION)
            yield question if isinstance(question, str) else str(number), _row(verdict)
        elif isinstance(verdict, Mapping):
            yield from ((key, _row(value)) for key, value in verdict.items())


def _unwrapped(reply: Any) -> Any:
    """The content of a single key that wraps all verdicts; unchanged if there is no such key."""
    if not isinstance(reply, Mapping) or len(reply) != 1:
        return reply
    (inner,) = reply.values()
    is_around = isinstance(inner, list) or (isinstance(inner, Mapping) and inner and not _has_name(inner, RESULT))
    return inner if is_around else reply


def _row(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        return {"reason": "", "result": yes_or_no(value), "weight": None}
    return {
        "reason": _text(_value(value, REASON)),
        "result": yes_or_no(_value(value, RESULT)),
        "weight": weight_of(_value(value, WEIGHT)),
    }


def _has_name(fields: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    return any(_plain(name) in names for name in fields)


def _value(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value for name, value in fields.items() if _plain(name) in names), None)


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
