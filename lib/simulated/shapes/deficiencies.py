"""Deficiencies of a first answer: types, each once, with a reason that names a place in the answer."""

from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape, entry_properties, labels, properties, wording

SHARE_OF_ONE = 0.6  # most answers have one fault; the others have two


class DeficienciesShape(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        return list(properties(request)) == ["deficiencies"] and set(entry_properties(request, "deficiencies")) == {
            "type",
            "reason",
        }

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        listed = labels(request, entry_properties(request, "deficiencies")["type"], "deficiency_types")
        if not listed:
            return value
        types = draw.some(listed, 1 if draw.happens(SHARE_OF_ONE, "one") else 2, "types")
        reasons = wording(request, draw, "first_response").several("reason", len(types), "deficiencies")
        deficiencies = [
            {"type": deficiency_type, "reason": reason} for deficiency_type, reason in zip(types, reasons, strict=False)
        ]
        return {"deficiencies": deficiencies}


SHAPE = DeficienciesShape()
