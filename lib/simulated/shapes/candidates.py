"""Several things that a user could say, all of the type that the request names."""

from typing import Any

from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import Asked
from lib.simulated.shapes import sayings
from lib.simulated.shapes.base import Shape, named, properties, wording

WANTED = 3


class Candidates(Shape):
    def answers(self, request: Asked) -> bool:
        return list(properties(request)) == ["candidates"] and bool(request.material.of("feedback_type"))

    def improved(self, value: Any, request: Asked, draw: Draw, knobs: Knobs) -> Any:
        phrasing = wording(request, draw, "first_response", "user_query")
        patterns = sayings.patterns(named(request.material.of("feedback_type")), chinese=phrasing.is_chinese)
        return {"candidates": phrasing.several_of(patterns, WANTED, "candidates")}


SHAPE = Candidates()
