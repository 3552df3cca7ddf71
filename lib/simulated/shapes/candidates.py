"""Several possible user messages, all of the type that the request names."""

from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes import feedback
from lib.simulated.shapes.base import ReplyShape, named, properties, wording

WANTED = 3


class CandidatesShape(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        return list(properties(request)) == ["candidates"] and bool(request.material.of("feedback_type"))

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        phrasing = wording(request, draw, "first_response", "user_query")
        patterns = feedback.patterns(named(request.material.of("feedback_type")), chinese=phrasing.is_chinese)
        return {"candidates": phrasing.several_of(patterns, WANTED, "candidates")}


SHAPE = CandidatesShape()
