"""One answer scored by several criteria and as a whole: criteria vary a little around its quality.

An answer as good as the reference gets 8, as such judges are told. If the quality of both can be read from their texts,
the answer is compared with the reference. A lenient judge adds a point, a severe one subtracts one, as often as the
bias says.
"""

from typing import Any

from lib.simulated.candidate import merit
from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape, properties
from lib.simulated.shapes.scores import Bench

ASKED = {"explanation", "scores", "needs", "score"}
AS_REFERENCE = 8
LOW, TOP = 1, 10
NEEDS = (
    ("The person has what they wanted.", "对方得到了想要的东西。"),
    ("Something is still missing.", "还缺少一些东西。"),
)


class CriteriaShape(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        tags = {block.tag for block in request.material.blocks}
        return set(properties(request)) == ASKED and {"answer", "reference"} <= tags

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
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


SHAPE = CriteriaShape()
