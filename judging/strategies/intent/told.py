"""The shape in which a judge is asked to answer: narrow as a schema, wide in what it reads."""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, WithJsonSchema, create_model, model_validator

from judging.strategies.intent.criteria import Criterion
from judging.strategies.intent.reading import Found, from_json
from judging.strategies.scales import EXPLANATIONS

SCORE = {"type": "integer", "minimum": 1, "maximum": 10}
NEEDS = ("needs", "needs_met", "需求")


class Told(BaseModel):
    """score holds all that was read: the final score and those of the criteria."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": False}, arbitrary_types_allowed=True)
    criteria: ClassVar[tuple[Criterion, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _read(cls, reply: Any) -> dict[str, Any]:
        reading = from_json(reply, cls.criteria)
        if reading is None:
            raise ValueError("no final score from 1 to 10, or several")
        return {"explanation": _text(reply, EXPLANATIONS), "scores": {}, "needs": _text(reply, NEEDS), "score": reading}


@cache
def told(criteria: tuple[Criterion, ...]) -> type[Told]:
    """With a score for each of these criteria, in their order, before the final one."""
    axes = [criterion.axis for criterion in criteria]
    closed = {"type": "object", "additionalProperties": False, "required": axes}
    scores = WithJsonSchema(closed | {"properties": dict.fromkeys(axes, SCORE)})
    fields: dict[str, Any] = {
        "explanation": (str, ...),
        "scores": (Annotated[dict[str, int], scores], ...),
        "needs": (str, ...),
        "score": (Annotated[Found, WithJsonSchema(dict(SCORE))], ...),
    }
    shape = create_model("ScoredByCriteria", __base__=Told, **fields)
    shape.criteria = criteria
    return shape


def _text(reply: Any, names: Sequence[str]) -> str:
    return str(next((reply[name] for name in names if isinstance(reply.get(name), str)), ""))
