"""An answer of an assistant: the first one, or the one after the user's feedback."""

from typing import Any

from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import Asked
from lib.simulated.shapes.base import Shape, properties, wording


class Response(Shape):
    def answers(self, asked: Asked) -> bool:
        return list(properties(asked)) == ["response"]

    def improved(self, value: Any, asked: Asked, draw: Draw, knobs: Knobs) -> Any:
        if asked.material.of("feedback"):
            text = wording(asked, draw, "first_response", "user_query").prose("response", opening="follow_up")
        else:
            text = wording(asked, draw, "user_query").prose("response")
        return {"response": text}


SHAPE = Response()
