"""A gold answer with one mistake, or reworded, and a description of the change; with less skill only reworded."""

from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.material import is_chinese
from lib.simulated.perturbations import perturbed
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape, properties

CARELESS = ("score invariant",)  # what a model without skill does instead: nothing that hurts


class PerturbationShape(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        names = {"perturbed_answer", "explanation"}
        return set(properties(request)) == names and bool(request.material.of("gold_answer").strip())

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        gold = request.material.of("gold_answer")
        # The kind of mistake stands in blocks of its own; its name alone may say too little.
        descriptions = [request.material.of(name) for name in ("category", "definition")]
        change = perturbed(gold, descriptions if draw.happens(knobs.skill, "as told") else CARELESS, draw)
        return {"perturbed_answer": change.text, "explanation": change.explanation(chinese=is_chinese(gold))}


SHAPE = PerturbationShape()
