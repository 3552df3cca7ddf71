"""Which task a query is: recognised by its words as often as skill says, else another one of the list."""

from typing import Any

from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import Asked
from lib.simulated.shapes import task_words
from lib.simulated.shapes.base import Shape, labels, properties


class TaskLabel(Shape):
    def answers(self, request: Asked) -> bool:
        return list(properties(request)) == ["label"] and any(";" in label for label in self._listed(request))

    def improved(self, value: Any, request: Asked, draw: Draw, knobs: Knobs) -> Any:
        listed = self._listed(request)
        right = task_words.best(request.material.of("query") or request.material.main, listed)
        wrong = [label for label in listed if label != right]
        skilled = draw.happens(knobs.skill, "task") or not wrong
        return {"label": right if skilled else draw.one(wrong, "mistaken")}

    def _listed(self, request: Asked) -> list[str]:
        return labels(request, properties(request)["label"], "taxonomy")


SHAPE = TaskLabel()
