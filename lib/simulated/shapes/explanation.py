"""Whether an explanation names a mistake: what the simulated judge writes about one is known."""

from typing import Any

from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.material import sentences
from lib.simulated.requests import Asked
from lib.simulated.shapes.base import Shape, properties

SIGNS = ("something is wrong at", "处有误")
CALLED = ("calls it {}:", "称之为回答 {}：", "a mistake in {}?", "报告了回答 {}中")
OTHERS = {"A": ("Answer B", "回答 B"), "B": ("Answer A", "回答 A")}


class Explanation(Shape):
    def answers(self, asked: Asked) -> bool:
        wanted = set(properties(asked))
        return wanted in ({"quote", "found"}, {"reason", "found"}) and bool(asked.material.of("explanation"))

    def improved(self, value: Any, asked: Asked, draw: Draw, knobs: Knobs) -> Any:
        around = asked.material.instructions
        called = next((one for one in "AB" if any(sign.format(one) in around for sign in CALLED)), "")
        others = OTHERS.get(called, ())
        named = [
            sentence
            for sentence in sentences(asked.material.of("explanation"))
            if any(sign in sentence for sign in SIGNS) and not sentence.startswith(others or ("\0",))
        ]
        why = "quote" if "quote" in properties(asked) else "reason"
        return {why: named[0] if named else "", "found": "yes" if named else "no"}


SHAPE = Explanation()
