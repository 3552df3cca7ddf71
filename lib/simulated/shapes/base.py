"""The interface of shapes: which requests a shape answers, and how it improves a randomly filled answer."""

import re
from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import ChatRequest, Schema, resolved
from lib.simulated.wording import SentenceWording


class ReplyShape:
    """One sort of request, recognised by its schema and its messages."""

    def answers(self, request: ChatRequest) -> bool:
        raise NotImplementedError  # every shape says it

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        """The value with what this shape knows put in. value: fits the schema already, and must do so afterwards."""
        raise NotImplementedError  # every shape says it


def block_text(request: ChatRequest, name: str) -> str:
    """The text of the block of the request with this tag; "" if it has none."""
    return next((block.text for block in request.material.blocks if block.tag == name), "")


def properties(request: ChatRequest) -> dict[str, Schema]:
    """name -> schema of the properties of the answer, references followed."""
    assert request.schema is not None
    top = resolved(request.schema, request.schema)
    return {name: resolved(part, request.schema) for name, part in top.get("properties", {}).items()}


def entry(request: ChatRequest, name: str) -> Schema:
    """The schema of the entries of a list."""
    assert request.schema is not None
    return resolved(properties(request).get(name, {}).get("items") or {}, request.schema)


def entry_properties(request: ChatRequest, name: str) -> dict[str, Schema]:
    """The same of the objects in a list."""
    assert request.schema is not None
    return {key: resolved(part, request.schema) for key, part in entry(request, name).get("properties", {}).items()}


def labels(request: ChatRequest, schema: Schema, *blocks: str) -> list[str]:
    """What may be chosen: the schema's own list, else the lines of the block in which the request lists it."""
    if "enum" in schema:
        return [str(label) for label in schema["enum"]]
    return [named(line) for line in request.material.of(*blocks).splitlines() if line.strip()]


def named(line: str) -> str:
    """The label of a line such as `- Label: what it means`."""
    return re.split(r": |：", line.strip().removeprefix("-").strip(), maxsplit=1)[0].strip()


def wording(request: ChatRequest, draw: Draw, *sources: str) -> SentenceWording:
    """Sentences that quote the first of these blocks that there is."""
    return SentenceWording(request.material, draw, request.material.of(*sources))
