"""What models are asked to answer about a feedback sample: one shape a step.

Labels of the project's taxonomy stand in the schema as its only values; a reply with another one is read all the same.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema, create_model

from annotate.kinds.shapes import Told


class Response(Told):
    """An answer of an assistant, as the user would read it."""

    response: str


class Deficiency(Told):
    """type: a deficiency type of the project; reason: what exactly is wrong, with the place."""

    type: str
    reason: str


class Deficiencies(Told):
    deficiencies: list[Deficiency]


class SimulatedFeedback(Told):
    """What the user says next; types: feedback types of the project."""

    feedback: str
    types: list[str]


class WeightedQuestion(Told):
    question: str
    weight: float = Field(description="between 0 and 1; the weights of all questions add up to 1")


class WeightedChecklist(Told):
    checklist: list[WeightedQuestion]


class Candidates(Told):
    """Feedback that a user could give, each in words of its own."""

    candidates: list[str]


class Checklist(Told):
    checklist: list[str]


class TaskLabel(Told):
    """label: task and subtask with a semicolon between."""

    label: str


def deficiencies(labels: Sequence[str]) -> type[Deficiencies]:
    return _deficiencies(tuple(labels))


def feedback(labels: Sequence[str]) -> type[SimulatedFeedback]:
    return _feedback(tuple(labels))


def task_label(labels: Sequence[str]) -> type[TaskLabel]:
    return _task_label(tuple(labels))


@lru_cache(maxsize=128)
def _deficiencies(labels: tuple[str, ...]) -> type[Deficiencies]:
    deficiency_shape = create_model("Deficiency", __base__=Deficiency, type=(_one_of(labels), ...))
    return create_model("Deficiencies", __base__=Deficiencies, deficiencies=(list[deficiency_shape], ...))  # type: ignore[valid-type]


@lru_cache(maxsize=128)
def _feedback(labels: tuple[str, ...]) -> type[SimulatedFeedback]:
    return create_model("SimulatedFeedback", __base__=SimulatedFeedback, types=(_many_of(labels), ...))


@lru_cache(maxsize=128)
def _task_label(labels: tuple[str, ...]) -> type[TaskLabel]:
    return create_model("TaskLabel", __base__=TaskLabel, label=(_one_of(labels), ...))


def _many_of(labels: tuple[str, ...]) -> Any:
    label_type = _one_of(labels)
    return list[label_type]  # type: ignore[valid-type]  # made at run time


def _one_of(labels: tuple[str, ...]) -> Any:
    """Text for us, one of the labels for a service that keeps to schemas."""
    return Annotated[str, WithJsonSchema({"type": "string", "enum": list(labels)})] if labels else str
