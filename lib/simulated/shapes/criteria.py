"""One answer scored by several criteria and as a whole: around what it is worth, each criterion a little its own way.

An answer as good as the reference gets 8, as such judges are told. Where the worth of both shows in their texts, the
answer is held against the reference; a lenient judge adds a point as often as it is lenient, a severe one takes one.
"""

from typing import Any

from lib.simulated.answering import merit
from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import Asked
from lib.simulated.shapes.base import Shape, properties
from lib.simulated.shapes.scores import Bench

ASKED = {"explanation", "scores", "needs", "score"}
AS_REFERENCE = 8
LOW, TOP = 1, 10
NEEDS = (
    ("The person has what they wanted.", "对方得到了想要的东西。"),
    ("Something is still missing.", "还缺少一些东西。"),
)


class Criteria(Shape):
    def answers(self, request: Asked) -> bool:
        tags = {block.tag for block in request.material.blocks}
        return set(properties(request)) == ASKED and {"answer", "reference"} <= tags

    def improved(self, value: Any, request: Asked, draw: Draw, knobs: Knobs) -> Any:
        bench = Bench(request, knobs)
        worth, sentences, is_shown = bench.worth_of_answer()
        trusted = merit(bench.blocks["reference"]) if is_shown else None
        if trusted is None:
            score = LOW + int(((TOP if is_shown else AS_REFERENCE) - LOW) * worth + 1e-9)
        else:
            score = AS_REFERENCE + round((TOP - LOW) * (worth - trusted))
        score = _within(score + (bench.leaning() if is_shown else 0))
        scores = {axis: self._near(bench, axis, score) for axis in value["scores"]}
        needs = NEEDS[score < AS_REFERENCE - 1][bench.in_chinese]
        return {"explanation": bench.words(sentences), "scores": scores, "needs": needs, "score": score}

    @staticmethod
    def _near(bench: Bench, axis: str, score: int) -> int:
        return _within(score + bench.draw.one([-1, 0, 0, 1], "criterion", axis))


def _within(score: int) -> int:
    return min(TOP, max(LOW, score))


SHAPE = Criteria()
