"""Requests: token counts, JSON schemas, and parsing of the chat-completions protocol.

Token counts are estimates, accurate enough for prices, limits and context lengths. A request that is not understood is
refused with a message.
"""

import hashlib
import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lib.simulated.faults import ServiceFault
from lib.simulated.material import MessageMaterial

_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
# Common tokenisers take about two thirds of a token for an East Asian character, a quarter for any other.
HAN, OTHER = 0.67, 0.25
PER_MESSAGE = 4


def tokens(text: str) -> int:
    if text.isascii():
        return -(-len(text) // 4)
    han = len(_HAN.findall(text))
    return max(1, round(HAN * han + OTHER * (len(text) - han)))


def cut_to(text: str, most: int) -> str:
    """The beginning of the text with at most `most` tokens."""
    if tokens(text) <= most:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens(text[:middle]) <= most else (low, middle - 1)
    return text[:low]


# JSON schemas: which schemas the service accepts, resolving references, and schemas written into a text.


Schema = Mapping[str, Any]

UNDERSTOOD = frozenset(
    {
        *("$ref", "$defs", "definitions", "$schema", "$id", "title", "description", "default", "examples"),
        *("type", "enum", "const", "anyOf", "oneOf", "allOf", "discriminator", "nullable", "deprecated"),
        *("properties", "required", "additionalProperties", "minProperties", "maxProperties"),
        *("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
        *("minLength", "maxLength", "pattern", "format"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    }
)
TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})


class BadSchema(ValueError):
    """A schema that the service refuses; the message says where and why."""


def check(schema: Any, *, strict: bool) -> None:
    """Raises BadSchema. strict: as with the real service, objects are closed and all their properties required."""
    if not isinstance(schema, Mapping):
        raise BadSchema("The schema must be an object.")
    for path, part in _parts(schema, "#"):
        unknown = sorted(set(part) - UNDERSTOOD)
        if unknown:
            raise BadSchema(f"In {path}: the keyword {unknown[0]!r} is not supported.")
        types = part.get("type", [])
        wrong = sorted({str(name) for name in (types if isinstance(types, list) else [types])} - TYPES)
        if wrong:
            raise BadSchema(f"In {path}: {wrong[0]!r} is not a type.")
        if "$ref" in part:
            resolved(part, schema)
        if strict and part.get("type") == "object":
            _check_closed(path, part)


def _check_closed(path: str, part: Schema) -> None:
    if part.get("additionalProperties") is not False:
        raise BadSchema(f"In {path}: 'additionalProperties' is required to be supplied and to be false.")
    missing = sorted(set(part.get("properties", {})) - set(part.get("required", [])))
    if missing:
        raise BadSchema(f"In {path}: 'required' is to include every property; {missing[0]!r} is missing.")


def _parts(schema: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    """The schema and every one inside it, with its path."""
    yield path, schema
    for word in ("properties", "$defs", "definitions"):
        for name, inner in (schema.get(word) or {}).items():
            yield from _inner(inner, f"{path}/{word}/{name}")
    for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for index, inner in enumerate(schema.get(word) or []):
            yield from _inner(inner, f"{path}/{word}/{index}")
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), Mapping):
            yield from _inner(schema[word], f"{path}/{word}")


def _inner(inner: Any, path: str) -> Iterator[tuple[str, Schema]]:
    if not isinstance(inner, Mapping):
        raise BadSchema(f"In {path}: a schema must be an object.")
    yield from _parts(inner, path)


def resolved(schema: Schema, root: Schema) -> Schema:
    """The schema with its reference followed and its only `allOf` merged. Raises BadSchema."""
    hops = 0
    while "$ref" in schema:
        target, hops = _target(str(schema["$ref"]), root), hops + 1
        schema = {**target, **{word: value for word, value in schema.items() if word != "$ref"}}
        if hops > 20:
            raise BadSchema("A reference leads to itself.")
    for part in schema.get("allOf", []):
        merged = resolved(part, root)
        schema = {**merged, **{word: value for word, value in schema.items() if word != "allOf"}}
    return schema


def _target(reference: str, root: Schema) -> Schema:
    node: Any = root
    for name in reference.removeprefix("#").strip("/").split("/"):
        if name:
            node = node.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or not reference.startswith("#"):
        raise BadSchema(f"The reference {reference!r} leads nowhere.")
    return node


def schema_in(text: str) -> Schema | None:
    """The last JSON object in the text that is a schema of an object; services without json_schema are asked so."""
    reader, schema, offset = json.JSONDecoder(), None, text.find("{")
    while offset >= 0:
        try:
            value, end = reader.raw_decode(text, offset)
        except (ValueError, RecursionError):
            end = offset + 1
        else:
            if _is_of_an_object(value):
                schema = value
        offset = text.find("{", end)
    return schema


def _is_of_an_object(value: Any) -> bool:
    """Also where only the shape of the values is given, and the names are the model's own."""
    if not isinstance(value, dict):
        return False
    has_properties = isinstance(value.get("properties"), dict)
    return has_properties or (value.get("type") == "object" and isinstance(value.get("additionalProperties"), dict))


# Parsing a request of the chat-completions protocol.


# Arguments accepted without effect: they do not change the shape of the answer.
HARMLESS = frozenset(
    {
        *("temperature", "top_p", "seed", "user", "stop", "presence_penalty", "frequency_penalty", "metadata", "store"),
        *("service_tier", "reasoning_effort", "verbosity", "safety_identifier", "prompt_cache_key"),
    }
)
READ = frozenset({"model", "messages", "response_format", "max_tokens", "max_completion_tokens", "n", "stream"})
DATA_URL = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,(?P<data>[A-Za-z0-9+/=]+)", re.ASCII)
IMAGE_TOKENS = 258  # of an image, whatever its size
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
class ChatRequest:
    """One request. schema: None where prose is wanted. fenced: no `response_format` asked for the JSON, a text did."""

    model: str
    material: MessageMaterial
    digest: str
    schema: Schema | None = None
    schema_name: str = ""
    fenced: bool = False
    most_tokens: int | None = None
    images: int = 0  # how many

    @cached_property
    def tokens(self) -> int:
        return sum(tokens(text) + PER_MESSAGE for _role, text in self.material.said) + IMAGE_TOKENS * self.images


def is_image(part: Any) -> bool:
    image = part.get("image_url") if isinstance(part, Mapping) and part.get("type") == "image_url" else None
    return isinstance(image, Mapping) and isinstance(image.get("url"), str)


def images_in(body: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """(where, part) of each image in the messages of a request."""
    messages = body.get("messages") if isinstance(body, Mapping) else None
    for index, message in enumerate(messages if isinstance(messages, list) else ()):
        content = message.get("content") if isinstance(message, dict) else None
        for place, part in enumerate(content if isinstance(content, list) else ()):
            if is_image(part):
                yield f"messages[{index}].content[{place}].image_url", part


def without_images(body: Any) -> Any:
    """The request with the SHA-256 of each image in place of its data, which the log could not keep.

    Raises NotUnderstood for what is no image in a data URL. Changes the body itself.
    """
    for where, part in images_in(body):
        match = DATA_URL.fullmatch(part["image_url"]["url"])
        if match is None:
            raise NotUnderstood(
                "The simulated model takes PNG, JPEG, GIF and WebP as data URLs and fetches none.", where
            )
        try:
            data = b64decode(match["data"], validate=True)
        except ValueError as fault:
            raise NotUnderstood("The data of the image is no base64.", where, "invalid_base64") from fault
        part["image_url"] = {"url": f"sha256:{hashlib.sha256(data).hexdigest()}"}
    return body


def digest_of(body: Any) -> str:
    """Equal for equal requests, however their JSON is laid out."""
    whole = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(whole.encode()).hexdigest()


def read(body: Any, *, bare_json: bool = False) -> ChatRequest:
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
    material = MessageMaterial(tuple(_messages(body.get("messages"))))
    name, schema, fenced = _shape(body.get("response_format"), material, ANY_SHAPE if bare_json else None)
    images = sum(1 for _image in images_in(body))
    return ChatRequest(body["model"], material, digest_of(body), schema, name, fenced, _most_tokens(body), images)


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
    """Of parts the texts. Images change the answer by their digests, as everything in a request does."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts: list[Any] = content if isinstance(content, list) else [None]
    texts = [part for part in parts if not is_image(part)]
    if all(isinstance(part, Mapping) and isinstance(part.get("text"), str) for part in texts):
        return "\n".join(part["text"] for part in texts)
    raise NotUnderstood("The simulated model reads only texts and images.", f"messages[{index}].content")


def _shape(
    response_format: Any, material: MessageMaterial, otherwise: Schema | None
) -> tuple[str, Schema | None, bool]:
    """Name and schema of the answer, and whether only a text asked for it."""
    sort = response_format.get("type") if isinstance(response_format, Mapping) else response_format
    if sort in (None, "text"):
        written = schema_in(material.instructions)
        return (*_checked("", written, False), True) if written else ("", None, False)
    if sort == "json_object":
        written = schema_in(material.instructions) or otherwise
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
        check(schema, strict=strict)
    except BadSchema as fault:
        message = f"Invalid schema for response_format {name!r}: {fault}"
        raise NotUnderstood(message, "response_format", "invalid_json_schema") from fault
    return name or str(schema.get("title", "")), schema


def _most_tokens(body: Mapping[str, Any]) -> int | None:
    most = body.get("max_completion_tokens", body.get("max_tokens"))
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
        raise NotUnderstood("'max_tokens' must be a whole number above 0.", "max_tokens")
    return most
