"""Yes-or-no questions about a second answer, with weights if the request asks for them.

A right reply has questions that yes or no can answer, and weights that add up; skill decides how often it is right.
"""

from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.filling import shared_out
from lib.simulated.knobs import Knobs
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape, entry, entry_properties, properties, wording

SLIP = 0.1  # what the weights miss of 1 where they are wrong
OPEN = ("How does the answer deal with “{part}”?", "回答如何处理“{part}”？")


class ChecklistShape(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        if list(properties(request)) != ["checklist"]:
            return False
        weighted = set(entry_properties(request, "checklist")) == {"question", "weight"}
        return weighted or entry(request, "checklist").get("type") == "string"

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        questions = self._questions(request, draw, knobs)
        if entry(request, "checklist").get("type") == "string":
            return {"checklist": questions}
        weights = shared_out([draw.of("weight", index).uniform(1, 4) for index in range(len(questions))])
        if not draw.happens(knobs.skill, "sum"):
            heaviest = weights.index(max(weights))
            weights[heaviest] = round(weights[heaviest] - SLIP, 2)
        rows = [{"question": question, "weight": weight} for question, weight in zip(questions, weights, strict=True)]
        return {"checklist": rows}

    def _questions(self, request: ChatRequest, draw: Draw, knobs: Knobs) -> list[str]:
        phrasing = wording(request, draw, "first_response", "user_query")
        questions = phrasing.several("question", draw.of("how many").randint(2, 4), "checklist")
        if not draw.happens(knobs.skill, "open question"):
            questions[-1] = phrasing.filled(OPEN[phrasing.is_chinese], "open")
        return questions


SHAPE = ChecklistShape()
