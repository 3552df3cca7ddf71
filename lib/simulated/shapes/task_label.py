"""Which task a query is: recognised by its words as often as skill says, else another one of the list."""

from typing import Any

from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import Asked
from lib.simulated.shapes import task_words
from lib.simulated.shapes.base import Shape, labels, properties


class TaskLabel(Shape):
    def answers(self, asked: Asked) -> bool:
        return list(properties(asked)) == ["label"] and any(";" in label for label in self._listed(asked))

    def improved(self, value: Any, asked: Asked, draw: Draw, knobs: Knobs) -> Any:
        listed = self._listed(asked)
        right = task_words.best(asked.material.of("query") or asked.material.main, listed)
        wrong = [label for label in listed if label != right]
        skilled = draw.happens(knobs.skill, "task") or not wrong
        return {"label": right if skilled else draw.one(wrong, "mistaken")}

    def _listed(self, asked: Asked) -> list[str]:
        return labels(asked, properties(asked)["label"], "taxonomy")


SHAPE = TaskLabel()
