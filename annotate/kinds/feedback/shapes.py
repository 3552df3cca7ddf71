"""Facts, draft and options of a feedback sample, under the names of the published data."""

import math
from typing import Annotated, Any, Literal, Self

from django.utils.translation import gettext as _
from pydantic import Field, PlainValidator, model_validator

from annotate.kinds.definitions import Definition
from annotate.kinds.feedback import taxonomy
from annotate.kinds.feedback.definitions import DEFINITIONS, MEANINGS
from annotate.kinds.shapes import LenientOptions, Shape

Text = Annotated[str, Field(min_length=1)]


def _entry(value: Any) -> str | list[Any]:
    """A checklist entry as published: a question, or a [question, weight] pair whose number stays as written."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise ValueError(_("must be a question or a [question, weight] pair."))
    if len(value) != 2:
        raise ValueError(_("weight missing; write [question, weight]."))
    question, weight = value
    if not isinstance(question, str):
        raise ValueError(_("the question must be text."))
    if weight is None:
        raise ValueError(_("weight missing; write a number between 0 and 1."))
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight):
        raise ValueError(_("the weight must be a number."))
    return value


Entry = Annotated[str | list[Any], PlainValidator(_entry)]


class FeedbackFacts(Shape):
    """A first question and the preset first answer to it."""

    bench_type: Literal["Error Correction", "Response Maintenance"]
    user_query: Text
    origin_first_response: Text


class FeedbackDraft(Shape):
    """What people refine. checklist: [question, weight] pairs in error correction, else questions."""

    suitable: bool | None = None
    task_type: str
    sub_task_type: str
    error_type: list[str] | None = None
    feedback: str
    feedback_type: list[str]
    checklist: list[Entry]
    reference_first_response: str | None = None
    reference_second_response: str | None = None


class FeedbackOptions(LenientOptions):
    """Taxonomies and tolerances of one project."""

    tasks: dict[str, list[str]] = taxonomy.TASKS
    error_types: list[str] = taxonomy.DEFICIENCIES
    feedback_types: dict[str, list[str]] = taxonomy.FEEDBACK_TYPES
    # What deficiency and feedback types mean, for models that draft: label -> text, or label -> language -> text. A
    # label that a project does not define means what the shipped taxonomy says of its name.
    definitions: dict[str, Definition] = DEFINITIONS
    weight_tolerance: float = Field(default=0.001, ge=0, lt=0.1)
    # When a follow-up in response maintenance is worth 1: the published figures count any question that is met.
    maintenance_rule: Literal["any", "all"] = "any"
    # Of candidates, by task; any other task has 0, and null leaves it to the service.
    temperatures: dict[str, float | None] = taxonomy.TEMPERATURES

    @model_validator(mode="after")
    def _checked(self) -> Self:
        types = {label for labels in self.feedback_types.values() for label in labels}
        MEANINGS.check(self.definitions, {*self.error_types, *types})
        return self
