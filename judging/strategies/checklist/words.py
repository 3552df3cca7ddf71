"""What judges write for yes, no and a weight, in English and Chinese, however they spell it."""

import re
import unicodedata
from typing import Any

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
# What stands at the beginning of a longer remark. 是否 is a question and no answer.
BEGINS = re.compile(
    r"(?P<yes>(?:yes|true)(?![a-z])|是的?(?![\u3400-\u9fff]))"
    r"|(?P<no>(?:no|not|false)(?![a-z])|否|不是|不满足|未满足|没有)"
)
EITHER = re.compile(r"(?:yes|true|是)\s*(?:/|\||or|或|、|,)\s*(?:no|false|否)")
PARTLY = re.compile(r"\b(?:partly|partially|partial)\b|部分")
MARKS = " \t\r\n.。,，!！;；:：\"'“”‘’`*_()（）[]【】"
PERCENT = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*%")
FEW = 40  # characters in which a remark belongs to the answer


def yes_or_no(value: Any) -> bool | None:
    """Whether it says yes; what is met in part only is not met. None where it says neither, or both."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    return _said(value) if isinstance(value, str) else None


def _said(text: str) -> bool | None:
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
