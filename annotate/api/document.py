"""The OpenAPI document of the API, and a page made of it that people can read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import override
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from annotate.web.error_pages import REMEDIES


@cache
def document() -> dict[str, Any]:
    """In English, like every name in it; made once a process."""
    with override("en"):
        openapi_schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return openapi_schema


@require_safe
@cache_control(max_age=3600)
def schema(request: HttpRequest) -> HttpResponse:
    return JsonResponse(document(), content_type="application/vnd.oai.openapi+json")


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    context = {"title": document()["info"], "groups": list(_groups()), "remedies": REMEDIES}
    return render(request, "api/docs.html", context)


def pieces(text: str) -> list[tuple[str, bool]]:
    return [(part, index % 2 == 1) for index, part in enumerate(text.split("`")) if part]


@dataclass(frozen=True)
class Line:
    """A parameter or field. path: its name, with those of what it stands in."""

    path: str
    sort: str
    required: bool
    text: str

    @property
    def pieces(self) -> list[tuple[str, bool]]:
        """The text in parts, each with whether it is a word of the protocol."""
        return pieces(self.text)


@dataclass(frozen=True)
class Operation:
    name: str
    method: str
    path: str
    summary: str
    text: str
    parameters: list[Line]
    takes: list[Line]
    media: list[str]
    gives: list[Line]
    status: str
    errors: list[tuple[str, str]]

    @property
    def pieces(self) -> list[tuple[str, bool]]:
        return pieces(self.text)


@dataclass(frozen=True)
class Group:
    name: str
    operations: list[Operation]


def _groups() -> Iterator[Group]:
    operations_by_tag: dict[str, list[Operation]] = {}
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            operations_by_tag.setdefault(operation["tags"][0], []).append(_operation(path, method, operation))
    yield from (Group(name, operations) for name, operations in operations_by_tag.items())


def _operation(path: str, method: str, operation: Mapping[str, Any]) -> Operation:
    answers = operation["responses"]
    good = min(answers)
    request_content = operation.get("requestBody", {}).get("content", {})
    form = next((content["schema"] for content in request_content.values() if "$ref" in content["schema"]), None)
    reply_shape: Mapping[str, Any] = next(
        (content["schema"] for content in answers[good].get("content", {}).values()), {}
    )
    return Operation(
        name=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        text=operation.get("description", ""),
        parameters=[
            _line(parameter["name"], parameter["schema"], parameter) for parameter in operation.get("parameters", [])
        ],
        takes=list(_lines(form)) if form else [],
        media=list(request_content),
        gives=list(_lines(reply_shape)),
        status=good,
        errors=[(code, answer["description"]) for code, answer in sorted(answers.items()) if code != good],
    )


def _line(path: str, shape: Mapping[str, Any], about: Mapping[str, Any]) -> Line:
    text = about.get("description") or shape.get("description") or ""
    return Line(path, _sort(shape), bool(about.get("required")), text.partition("\n\n")[0])


def _lines(shape: Mapping[str, Any], inside: str = "", depth: int = 0) -> Iterator[Line]:
    """The fields of an object, and of the objects in it."""
    shape, many = _resolved(shape)
    inside += "[]." if many and inside else "." if inside else ""
    required = shape.get("required", [])
    for name, field in shape.get("properties", {}).items():
        yield _line(inside + name, field, {"description": field.get("description"), "required": name in required})
        if depth < 3:
            yield from _lines(field, inside + name, depth + 1)


def _resolved(shape: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """The shape that a reference, a list or a choice with null leads to; and whether there are many of it."""
    many = False
    while True:
        if "$ref" in shape:
            shape = document()["components"]["schemas"][shape["$ref"].rpartition("/")[2]]
        elif "allOf" in shape:
            shape = shape["allOf"][0]
        elif "oneOf" in shape or "anyOf" in shape:
            parts = [part for part in shape.get("oneOf", shape.get("anyOf", [])) if part.get("type") != "null"]
            shape = parts[0]
        elif shape.get("type") == "array":
            shape, many = shape["items"], True
        else:
            return shape, many


def _sort(shape: Mapping[str, Any]) -> str:
    """What a field holds, in a few words."""
    schema, many = _resolved(shape)
    if "enum" in schema:
        word = " | ".join(str(value) for value in schema["enum"] if value is not None)
    else:
        kind = schema.get("type", "object")
        word = " or ".join(kind) if isinstance(kind, list) else str(kind)
        word = schema.get("format", word) if word == "string" else word
    return f"list of {word}" if many else word
