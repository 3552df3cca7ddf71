"""How views say what they take and give: shared parts of the OpenAPI document."""

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers

from annotate.web.error_pages import Error

F = TypeVar("F", bound=Callable[..., Any])

WHY = {
    400: "The request could not be read.",
    401: "No token, or one that opens nothing.",
    403: "The token's role does not allow it.",
    404: "Nothing at this address, in the project of this token.",
    406: "Only JSON is spoken here.",
    409: "It is not in the state that this starts from, or the Idempotency-Key was used otherwise.",
    410: "The release was withdrawn.",
    413: "More than an upload may be.",
    415: "A media type that is not understood here.",
    422: "A field or parameter is not right; `where` names it.",
    429: "Too many requests; `Retry-After` says how long to wait.",
}
ALWAYS = (400, 401, 403, 404, 406, 429)
KEY = OpenApiParameter(
    "Idempotency-Key",
    location="header",
    required=False,
    type={"type": "string", "minLength": 1, "maxLength": 80, "pattern": "^[A-Za-z0-9_.:-]{1,80}$"},
    description="A name of your own for this request. Repeated within a day it makes nothing new and is answered "
    "alike.",
)


def operation(
    name: str, summary: str, answer: Any, *, status: int = 200, errors: tuple[int, ...] = (), **more: Any
) -> Callable[[F], F]:
    """One operation of the document. errors: status codes beside those that are always possible."""
    wrong = {code: OpenApiResponse(Error, WHY[code]) for code in sorted({*ALWAYS, *errors})}
    good = answer if isinstance(answer, dict) else {status: answer}
    decorate: Callable[[F], F] = extend_schema(operation_id=name, summary=summary, responses=good | wrong, **more)
    return decorate


def page_of(name: str, row: type[serializers.Serializer]) -> serializers.Serializer:
    """The shape of one page of a list."""
    following = serializers.CharField(
        allow_null=True, help_text="The cursor of the next page; null where this is the last one."
    )
    return inline_serializer(f"{name}Page", {"results": row(many=True), "next": following})


class Schema(AutoSchema):
    """One tag a resource: the first word after the project."""

    def get_description(self) -> str:
        """Only what `operation` says: docstrings of views speak to whoever reads the code."""
        return ""

    def get_tags(self) -> list[str]:
        words = [word for word in self.path.split("/") if word and not word.startswith("{")]
        return [words[3] if len(words) > 3 else words[2]]


class BearerScheme(OpenApiAuthenticationExtension):
    target_class = "annotate.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A token of one project, made by one of its leads on the page “API tokens”.",
        }
