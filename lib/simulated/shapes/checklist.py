"""Yes-or-no questions about a second answer, with weights where they are asked for.

Questions that yes or no can answer, and weights that add up, are what is right here: skill decides how often.
"""

from typing import Any

from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import Asked
from lib.simulated.shapes.base import Shape, entry, entry_properties, properties, wording
from lib.simulated.weights import shared_out

SLIP = 0.1  # what the weights miss of 1 where they are wrong
OPEN = ("How does the answer deal with “{part}”?", "回答如何处理“{part}”？")


class Checklist(Shape):
    def answers(self, asked: Asked) -> bool:
        if list(properties(asked)) != ["checklist"]:
            return False
        weighted = set(entry_properties(asked, "checklist")) == {"question", "weight"}
        return weighted or entry(asked, "checklist").get("type") == "string"

    def improved(self, value: Any, asked: Asked, draw: Draw, knobs: Knobs) -> Any:
        questions = self._questions(asked, draw, knobs)
        if entry(asked, "checklist").get("type") == "string":
            return {"checklist": questions}
        weights = shared_out([draw.of("weight", place).uniform(1, 4) for place in range(len(questions))])
        if not draw.happens(knobs.skill, "sum"):
            heaviest = weights.index(max(weights))
            weights[heaviest] = round(weights[heaviest] - SLIP, 2)
        rows = [{"question": one, "weight": weight} for one, weight in zip(questions, weights, strict=True)]
        return {"checklist": rows}

    def _questions(self, asked: Asked, draw: Draw, knobs: Knobs) -> list[str]:
        said = wording(asked, draw, "first_response", "user_query")
        questions = said.several("question", draw.of("how many").randint(2, 4), "checklist")
        if not draw.happens(knobs.skill, "open question"):
            questions[-1] = said.filled(OPEN[said.is_chinese], "open")
        return questions


SHAPE = Checklist()
