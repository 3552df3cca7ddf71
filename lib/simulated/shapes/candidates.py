"""Several things that a user could say, all of the type that the request names."""

from typing import Any

from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import Asked
from lib.simulated.shapes import sayings
from lib.simulated.shapes.base import Shape, named, properties, wording

WANTED = 3


class Candidates(Shape):
    def answers(self, asked: Asked) -> bool:
        return list(properties(asked)) == ["candidates"] and bool(asked.material.of("feedback_type"))

    def improved(self, value: Any, asked: Asked, draw: Draw, knobs: Knobs) -> Any:
        said = wording(asked, draw, "first_response", "user_query")
        patterns = sayings.patterns(named(asked.material.of("feedback_type")), chinese=said.is_chinese)
        return {"candidates": said.several_of(patterns, WANTED, "candidates")}


SHAPE = Candidates()
