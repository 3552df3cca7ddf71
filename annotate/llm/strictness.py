"""The schema of an answer as strict structured output wants it."""

from functools import cache
from typing import Any

from pydantic import BaseModel

from annotate.kinds.protocol import schema_of

LEFT_OUT = {"title", "default"}


@cache
def response_format(answer: type[BaseModel]) -> dict[str, Any]:
    """Every property required and no other allowed; not strict where a shape has names that nobody knows before."""
    schema = _closed(schema_of(answer))
    return {
        "type": "json_schema",
        "json_schema": {"name": answer.__name__, "schema": schema, "strict": not _open_ended(schema)},
    }


def _closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    strict_schema: dict[str, Any] = {}
    for name, value in schema.items():
        if name in ("properties", "$defs"):  # their keys are names of fields, such as `title`
            strict_schema[name] = {field: _closed(part) for field, part in value.items()}
        elif name not in LEFT_OUT:
            strict_schema[name] = _closed(value)
    if "properties" in strict_schema and "additionalProperties" not in strict_schema:
        strict_schema["additionalProperties"] = False
    if strict_schema.get("additionalProperties") is False:
        strict_schema["required"] = list(strict_schema.get("properties", {}))
    return strict_schema


def _open_ended(schema: Any) -> bool:
    if isinstance(schema, list):
        return any(map(_open_ended, schema))
    if not isinstance(schema, dict):
        return False
    free = schema.get("type") == "object" and schema.get("additionalProperties") is not False
    return free or any(map(_open_ended, schema.values()))
