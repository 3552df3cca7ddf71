"""An answer of an assistant: the first one, or the one after the user's feedback."""

from typing import Any

from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import Asked
from lib.simulated.shapes.base import Shape, properties, wording


class Response(Shape):
    def answers(self, request: Asked) -> bool:
        return list(properties(request)) == ["response"]

    def improved(self, value: Any, request: Asked, draw: Draw, knobs: Knobs) -> Any:
        if request.material.of("feedback"):
            text = wording(request, draw, "first_response", "user_query").prose("response", opening="follow_up")
        else:
            text = wording(request, draw, "user_query").prose("response")
        return {"response": text}


SHAPE = Response()
