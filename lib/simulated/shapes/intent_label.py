"""The intent of a question: recognised by its words as often as skill says, else another intent of the list."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape, labels, properties

Rules = Sequence[tuple[float, re.Pattern[str]]]


class IntentLabel(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        return list(properties(request)) == ["intent"] and bool(self._listed(request))

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        listed = self._listed(request)
        right = best(request.material.of("query") or request.material.main, listed)
        wrong = [intent for intent in listed if intent != right]
        skilled = draw.happens(knobs.skill, "intent") or not wrong
        return {"intent": right if skilled else draw.one(wrong, "mistaken")}

    def _listed(self, request: ChatRequest) -> list[str]:
        return [
            re.split("[:：]", label)[0].strip() for label in labels(request, properties(request)["intent"], "intents")
        ]


def best(text: str, listed: Sequence[str]) -> str:
    """The intent whose words are found most; the first of the list where none is."""
    scores = [_score(text[:2000], intent) for intent in listed]
    return listed[scores.index(max(scores))]


def _score(text: str, intent: str) -> float:
    rules = _words().get(intent)
    if rules is None:
        return sum(2.0 for word in re.findall(r"\w{4,}", intent.lower().replace("_", " ")) if word in text.lower())
    return sum(weight for weight, pattern in rules if pattern.search(text))


@cache
def _words() -> Mapping[str, Rules]:
    """intent -> weights with what has to be found for them."""
    rules_by_intent = tomllib.loads(Path(__file__).with_name("intent_words.toml").read_text(encoding="utf-8"))
    return {
        intent: [(float(weight), re.compile("|".join(patterns), re.IGNORECASE)) for weight, patterns in rules.items()]
        for intent, rules in rules_by_intent.items()
    }


SHAPE = IntentLabel()
