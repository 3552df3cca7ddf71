"""Whether an explanation names a mistake; the wording of the simulated judge is known."""

from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.material import sentences
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape, properties

SIGNS = ("something is wrong at", "处有误")
CALLED = ("calls it {}:", "称之为回答 {}：", "a mistake in {}?", "报告了回答 {}中")
OTHERS = {"A": ("Answer B", "回答 B"), "B": ("Answer A", "回答 A")}


class Explanation(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        names = set(properties(request))
        return names in ({"quote", "found"}, {"reason", "found"}) and bool(request.material.of("explanation"))

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        around = request.material.instructions
        called = next((letter for letter in "AB" if any(sign.format(letter) in around for sign in CALLED)), "")
        other_openings = OTHERS.get(called, ())
        mentions = [
            sentence
            for sentence in sentences(request.material.of("explanation"))
            if any(sign in sentence for sign in SIGNS) and not sentence.startswith(other_openings or ("\0",))
        ]
        why = "quote" if "quote" in properties(request) else "reason"
        return {why: mentions[0] if mentions else "", "found": "yes" if mentions else "no"}


SHAPE = Explanation()
