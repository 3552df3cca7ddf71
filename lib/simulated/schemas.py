"""JSON schemas of requests: which of them the service takes, where references lead, schemas written into a text."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

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
