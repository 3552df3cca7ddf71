"""What a user says next, and which types of feedback that is."""

from typing import Any

from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import Asked
from lib.simulated.shapes import sayings
from lib.simulated.shapes.base import Shape, entry, labels, properties, wording


class Feedback(Shape):
    def answers(self, request: Asked) -> bool:
        return set(properties(request)) == {"feedback", "types"}

    def improved(self, value: Any, request: Asked, draw: Draw, knobs: Knobs) -> Any:
        listed = labels(request, entry(request, "types"), "feedback_types")
        if not listed:
            return value
        kind = draw.one(listed, "type")
        phrasing = wording(request, draw, "first_response", "user_query")
        text = phrasing.filled(draw.one(sayings.patterns(kind, chinese=phrasing.is_chinese), "saying"), "feedback")
        return {"feedback": text, "types": [kind]}


SHAPE = Feedback()
