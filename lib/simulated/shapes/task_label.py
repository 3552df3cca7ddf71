"""The task of a query: recognised by words of task_words.toml for FB-Bench's taxonomy, else by the label's name."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape, labels, properties

# The instruction is at the beginning or the end of a request; the material is between them.
EDGE = 160

Rules = Sequence[tuple[float, re.Pattern[str]]]


@cache
def words() -> Mapping[str, Rules]:
    """`Task;Subtask` -> weights with what has to be found for them."""
    rules_by_label = tomllib.loads(Path(__file__).with_name("task_words.toml").read_text(encoding="utf-8"))
    return {
        label: [(float(weight), re.compile("|".join(patterns), re.IGNORECASE)) for weight, patterns in rules.items()]
        for label, rules in rules_by_label.items()
    }


def best(text: str, labels: Sequence[str]) -> str:
    """The label whose words are found most; the first of the labels where nothing is found."""
    edges = text if len(text) <= 2 * EDGE else f"{text[:EDGE]}\n{text[-EDGE:]}"
    scores = [_score(edges.strip(), label) for label in labels]
    return labels[scores.index(max(scores))]


def _score(text: str, label: str) -> float:
    rules = words().get(label)
    if rules is None:
        label_words = re.findall(r"\w{4,}", label.lower()) or [label.lower()]
        return sum(2.0 for word in label_words if word in text.lower())
    return sum(weight for weight, pattern in rules if pattern.search(text))


# The shape: the task is recognised as often as skill says, else another one of the list is chosen.


class TaskLabelShape(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        return list(properties(request)) == ["label"] and any(";" in label for label in self._listed(request))

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        listed = self._listed(request)
        right = best(request.material.of("query") or request.material.main, listed)
        wrong = [label for label in listed if label != right]
        skilled = draw.happens(knobs.skill, "task") or not wrong
        return {"label": right if skilled else draw.one(wrong, "mistaken")}

    def _listed(self, request: ChatRequest) -> list[str]:
        return labels(request, properties(request)["label"], "taxonomy")


SHAPE = TaskLabelShape()
