"""What is wrong with a first answer: types, each once, with a reason that names a place in it."""

from typing import Any

from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import Asked
from lib.simulated.shapes.base import Shape, entry_properties, labels, properties, wording

SHARE_OF_ONE = 0.6  # most answers have one fault; the others have two


class Deficiencies(Shape):
    def answers(self, request: Asked) -> bool:
        return list(properties(request)) == ["deficiencies"] and set(entry_properties(request, "deficiencies")) == {
            "type",
            "reason",
        }

    def improved(self, value: Any, request: Asked, draw: Draw, knobs: Knobs) -> Any:
        listed = labels(request, entry_properties(request, "deficiencies")["type"], "deficiency_types")
        if not listed:
            return value
        types = draw.some(listed, 1 if draw.happens(SHARE_OF_ONE, "one") else 2, "types")
        reasons = wording(request, draw, "first_response").several("reason", len(types), "deficiencies")
        deficiencies = [
            {"type": deficiency_type, "reason": reason} for deficiency_type, reason in zip(types, reasons, strict=False)
        ]
        return {"deficiencies": deficiencies}


SHAPE = Deficiencies()
