"""Checklist verdicts about a text: yes or no to every question, by the merit that can be read from the text.

Every question has its own threshold, the same for all texts: a better text meets every question that a worse one meets.
Severity, leniency, noise and carelessness are knobs; some model names are judges with fixed biases. A judge that is
told to quote before it decides has a quarter of its noise.
"""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from lib.simulated.candidate import merit
from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.material import is_chinese
from lib.simulated.requests import ChatRequest, Schema, resolved
from lib.simulated.shapes.base import ReplyShape

# model -> its biases, over those of the service.
JUDGES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "simulated-judge": {},
        "simulated-judge-severe": {"severity": 0.4},
        "simulated-judge-lenient": {"leniency": 0.4},
        "simulated-judge-noisy": {"noise": 0.4},
        "simulated-judge-careless": {"carelessness": 0.4},
        # Of answers that are scored or compared:
        "simulated-careful": {"blindness": 0.05},
        "simulated-careless": {"blindness": 0.6, "leniency": 0.2, "position": 0.25},
    }
)
RESULTS = (("no", "yes"), ("否", "是"))
REASONS = (
    ("The reply leaves this open: {part}", "回应没有处理这一点：{part}"),
    ("The reply deals with this: {part}", "回应处理了这一点：{part}"),
)
DECIDED = re.compile(r'"?result"?\s*[:：]\s*"?(yes|no|是|否)|\b(yes|no)\b|(?<!不)(是|否)(?!否)', re.IGNORECASE)
QUOTES = re.compile(r"\bquote\b|引用", re.IGNORECASE)
STEADIED = 0.25  # of the noise, where the instructions ask for quotes
NEAR = 600  # characters after a question in which its answer stands
QUOTED = 60


class Verdicts(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        return set(_each(request).get("properties", {})) == {"reason", "result", "weight"} and bool(_checklist(request))

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        reply = request.material.of("reply")
        if reply:
            return _repaired(request, reply)
        judge = _VerdictJudge(request, knobs)
        return dict(judge.verdict(row["question"], row.get("weight")) for row in _checklist(request))


class _VerdictJudge:
    """One judge in front of one text."""

    def __init__(self, request: ChatRequest, knobs: Knobs) -> None:
        self.text = request.material.of("answer")
        self.in_chinese = is_chinese(request.material.instructions)
        self.biases = {**knobs.biases, **JUDGES.get(request.model, {})}
        self.noise = self._bias("noise") * (STEADIED if QUOTES.search(request.material.instructions) else 1)
        self.common, self.own = Draw(knobs.seed, "thresholds"), Draw(knobs.seed, f"{request.model}\n{self.text}")
        text_merit = merit(self.text)
        self.merit = self._leaning(self.own.of("merit").random() if text_merit is None else text_merit)

    def _leaning(self, share: float) -> float:
        lean = self._bias("leniency") - self._bias("severity")
        return share + lean * (1 - share) if lean > 0 else share * (1 + lean)

    def _bias(self, name: str) -> float:
        return self.biases.get(name, 0.0)

    def verdict(self, question: str, weight: float | None) -> tuple[str, dict[str, Any]]:
        """(question as the judge repeats it, what it says about it)."""
        met = self.common.of(question).random() < self.merit
        if self.own.happens(self.noise, "noise", question):
            met = self.own.happens(0.5, "coin", question)
        verdict = {
            "reason": REASONS[met][self.in_chinese].replace("{part}", question[:QUOTED]),
            "result": RESULTS[self.in_chinese][met],
            "weight": weight,
        }
        if not self.own.happens(self._bias("carelessness"), "care", question):
            return question, verdict
        return self._repeated(question), verdict | {"weight": weight and round(weight / 2, 4)}

    def _repeated(self, question: str) -> str:
        """Other quotes, no mark at the end, a character less: what judges were seen to do."""
        spoiled = [
            question.translate({ord(sign): '"' for sign in "“”‘’「」'`"}),
            question.rstrip("?？。. "),
            question[: len(question) // 2] + question[len(question) // 2 + 1 :],
        ]
        changed = [text for text in spoiled if text and text != question]
        return self.own.one(changed, "spoiled", question) if changed else question


def _each(request: ChatRequest) -> Schema:
    """The schema of what is said about one question; empty where the answer is not keyed by questions."""
    assert request.schema is not None
    inner = resolved(request.schema, request.schema).get("additionalProperties")
    return resolved(inner, request.schema) if isinstance(inner, Mapping) else {}


def _checklist(request: ChatRequest) -> list[dict[str, Any]]:
    try:
        rows = json.loads(request.material.of("checklist"))
    except ValueError:
        return []
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("question"), str)]


def _repaired(request: ChatRequest, reply: str) -> dict[str, Any]:
    """What a reply that nobody could read says about those questions that stand in it word for word."""
    verdicts: dict[str, Any] = {}
    for row in _checklist(request):
        _before, separator, rest = reply.partition(row["question"])
        decided = DECIDED.search(rest[:NEAR]) if separator else None
        if decided is not None:
            result = next(group for group in decided.groups() if group).lower()
            verdicts[row["question"]] = {"reason": "", "result": result, "weight": row.get("weight")}
    return verdicts


SHAPE = Verdicts()
