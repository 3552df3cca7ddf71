"""An assistant's answer: the first one, or the one after the user's feedback."""

from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape, properties, wording


class ResponseShape(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        return list(properties(request)) == ["response"]

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        if request.material.of("feedback"):
            text = wording(request, draw, "first_response", "user_query").prose("response", opening="follow_up")
        else:
            text = wording(request, draw, "user_query").prose("response")
        return {"response": text}


SHAPE = ResponseShape()
