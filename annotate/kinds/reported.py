"""Cases that the public reports: which facts they make of them, and what is left of facts that are taken back."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from annotate.kinds.shapes import Shape

ERASED = "[withdrawn]"  # stands where a text stood


@dataclass(frozen=True)
class Reported:
    """A conversation as its user reports it. turns: [{"role": "user" | "assistant", "content"}], a user's first.

    difficulty of the task, satisfaction with the answer: 1 to 5; None where the user did not say.
    """

    turns: Sequence[Mapping[str, str]]
    intent: str
    language: str
    service: str
    difficulty: int | None = None
    satisfaction: int | None = None


def erased(shape: type[Shape], stored: Mapping[str, Any], *, names: Sequence[str] = ()) -> dict[str, Any]:
    """The same shape with no word of its own: every text is ERASED, but those that only a closed list allows.

    names: fields that hold no words of people, such as numbers of cases. Numbers, flags and lengths of lists stay.
    """
    blank = {name: value if name in names else _blank(value) for name, value in stored.items()}
    for _attempt in range(len(stored) + 1):
        try:
            shape.model_validate(blank)
        except ValidationError as error:
            blank = _restored(blank, stored, [fault["loc"] for fault in error.errors() if _is_closed(fault["type"])])
        else:
            break
    return blank


def _is_closed(fault: str) -> bool:
    return fault in ("literal_error", "enum")


def _blank(value: Any) -> Any:
    if isinstance(value, str):
        return ERASED if value else ""
    if isinstance(value, Mapping):
        return {name: _blank(inner) for name, inner in value.items()}
    return [_blank(inner) for inner in value] if isinstance(value, list) else value


def _restored(blank: dict[str, Any], stored: Mapping[str, Any], paths: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    whole = deepcopy(blank)
    for path in paths:
        ours, source_part = whole, stored
        for step in path[:-1]:
            ours, source_part = ours[step], source_part[step]
        ours[path[-1]] = source_part[path[-1]]
    return whole
