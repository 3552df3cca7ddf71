"""Reading a request of the chat-completions protocol; what is not understood is refused in words."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lib.simulated import schemas
from lib.simulated.faults import ServiceFault
from lib.simulated.material import Material
from lib.simulated.schemas import BadSchema, Schema
from lib.simulated.tokens import PER_MESSAGE, tokens

# Taken without effect: what a service may do with them does not change the shape of the answer.
HARMLESS = frozenset(
    {
        *("temperature", "top_p", "seed", "user", "stop", "presence_penalty", "frequency_penalty", "metadata", "store"),
        *("service_tier", "reasoning_effort", "verbosity", "safety_identifier", "prompt_cache_key"),
    }
)
READ = frozenset({"model", "messages", "response_format", "max_tokens", "max_completion_tokens", "n", "stream"})
ANY_SHAPE: Schema = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
ROLES = frozenset({"system", "developer", "user", "assistant"})


class NotUnderstood(ValueError):
    """Refused. param: which part of the request; code: the protocol's word, if it has one."""

    def __init__(self, message: str, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.fault = ServiceFault(message, param=param, code=code)

    @classmethod
    def of(cls, fault: ServiceFault) -> "NotUnderstood":
        """The refusal of a service, in its words."""
        refusal = cls(fault.message)
        refusal.fault = fault
        return refusal


@dataclass(frozen=True)
class Asked:
    """One request. schema: None where prose is wanted. fenced: no `response_format` asked for the JSON, a text did."""

    model: str
    material: Material
    digest: str
    schema: Schema | None = None
    schema_name: str = ""
    fenced: bool = False
    most_tokens: int | None = None

    @cached_property
    def tokens(self) -> int:
        return sum(tokens(text) + PER_MESSAGE for _role, text in self.material.said)


def digest_of(body: Any) -> str:
    """Equal for equal requests, however their JSON is laid out."""
    whole = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(whole.encode()).hexdigest()


def read(body: Any, *, bare_json: bool = False) -> Asked:
    """bare_json: JSON of any shape is an answer where `json_object` wants one and no schema stands in the messages.

    Raises NotUnderstood.
    """
    if not isinstance(body, dict):
        raise NotUnderstood("The body of a request must be a JSON object.")
    unknown = sorted(set(body) - READ - HARMLESS)
    if unknown:
        raise NotUnderstood(f"The simulated model does not know the argument {unknown[0]!r}.", unknown[0])
    if body.get("stream"):
        raise NotUnderstood("The simulated model does not stream; leave 'stream' out.", "stream")
    if body.get("n") not in (None, 1):
        raise NotUnderstood("The simulated model gives one answer to a request; leave 'n' out.", "n")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise NotUnderstood("You must provide a model.", "model")
    material = Material(tuple(_messages(body.get("messages"))))
    name, schema, fenced = _shape(body.get("response_format"), material, ANY_SHAPE if bare_json else None)
    return Asked(body["model"], material, digest_of(body), schema, name, fenced, _most_tokens(body))


def _messages(messages: Any) -> list[tuple[str, str]]:
    if not isinstance(messages, list) or not messages:
        raise NotUnderstood("'messages' must be a list with at least one message.", "messages")
    return [(_role(message, index), _text(message, index)) for index, message in enumerate(messages)]


def _role(message: Any, index: int) -> str:
    role = message.get("role") if isinstance(message, Mapping) else None
    if role not in ROLES:
        raise NotUnderstood(f"A message needs a role, one of {', '.join(sorted(ROLES))}.", f"messages[{index}].role")
    return str(role)


def _text(message: Mapping[str, Any], index: int) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts: list[Any] = content if isinstance(content, list) else [None]
    if all(isinstance(part, Mapping) and isinstance(part.get("text"), str) for part in parts):
        return "\n".join(part["text"] for part in parts)
    raise NotUnderstood("The simulated model reads only texts.", f"messages[{index}].content")


def _shape(response_format: Any, material: Material, otherwise: Schema | None) -> tuple[str, Schema | None, bool]:
    """Name and schema of the answer, and whether only a text asked for it."""
    sort = response_format.get("type") if isinstance(response_format, Mapping) else response_format
    if sort in (None, "text"):
        written = schemas.schema_in(material.instructions)
        return (*_checked("", written, False), True) if written else ("", None, False)
    if sort == "json_object":
        written = schemas.schema_in(material.instructions) or otherwise
        if written is None:
            raise NotUnderstood("'json_object' says no shape and the messages hold no schema.", "response_format")
        return (*_checked("", written, False), False)
    if sort != "json_schema":
        raise NotUnderstood(f"'response_format' {sort!r} is not known.", "response_format")
    json_schema = response_format.get("json_schema")
    if not isinstance(json_schema, Mapping) or not NAME.fullmatch(str(json_schema.get("name", ""))):
        raise NotUnderstood("'json_schema' needs a name of 1 to 64 letters, digits, _ and -.", "response_format")
    return (*_checked(json_schema["name"], json_schema.get("schema"), json_schema.get("strict") is True), False)


def _checked(name: str, schema: Any, strict: bool) -> tuple[str, Schema]:
    try:
        schemas.check(schema, strict=strict)
    except BadSchema as fault:
        message = f"Invalid schema for response_format {name!r}: {fault}"
        raise NotUnderstood(message, "response_format", "invalid_json_schema") from fault
    return name or str(schema.get("title", "")), schema


def _most_tokens(body: Mapping[str, Any]) -> int | None:
    most = body.get("max_completion_tokens", body.get("max_tokens"))
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
        raise NotUnderstood("'max_tokens' must be a whole number above 0.", "max_tokens")
    return most
