"""Pages by key: a cursor names the last row that a client has seen, so pages neither skip nor repeat rows."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate.api.authentication import member_for
from annotate.models import Member, Project
from annotate.web.access import LEADS, READERS
from annotate.web.error_pages import invalid
from annotate.web.pager import row_page

MOST, USUAL = 200, 50
Row = TypeVar("Row", bound=Model)


class PageQuery(serializers.Serializer):
    """Which page."""

    cursor = serializers.CharField(
        required=False, max_length=400, help_text="`next` of the page before. Without it, the first page."
    )
    limit = serializers.IntegerField(
        required=False, default=USUAL, min_value=1, max_value=MOST, help_text="Rows on a page."
    )


def sealed(position: str) -> str:
    """A place in a list as a cursor. Its text says nothing that a client should rely on."""
    return base64.urlsafe_b64encode(position.encode()).decode().rstrip("=")


def opened(cursor: str) -> str:
    """Raises Fault where it is none of ours."""
    try:
        return base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError) as fault:
        raise bad_cursor() from fault


def bad_cursor() -> Exception:
    return invalid(_("This cursor does not belong to this list. Start without a cursor."), "cursor")


def newest_first(rows: QuerySet[Row], query: dict[str, Any], *, column: str = "pk") -> tuple[list[Row], str | None]:
    """A page in falling order of a unique column of whole numbers, and the cursor of the next page."""
    if query.get("cursor"):
        rows = rows.filter(**{f"{column}__lt": _number(query["cursor"])})
    rows_page = row_page(rows.order_by(f"-{column}"), query["limit"])
    return rows_page.rows, sealed(str(getattr(rows_page.next, column))) if rows_page.next else None


def _number(cursor: str) -> int:
    text = opened(cursor)
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise bad_cursor()
    return int(text)


# What several resources of the API say alike.


class Name(serializers.CharField):
    """A person as others see them: never an e-mail address or an account."""

    def __init__(self, **options: Any) -> None:
        super().__init__(read_only=True, **options)

    def to_representation(self, value: Any) -> str:
        return str(value)


@extend_schema_field(OpenApiTypes.OBJECT)
class Thing(serializers.JSONField):
    """A JSON object whose fields depend on the project's kind (docs/formats.md)."""


class Money(serializers.DecimalField):
    """US dollars, as text, so that no digit is lost."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_digits=16, decimal_places=8, **options)


class ByRole(serializers.Serializer):
    """Leaves out what a role may not see. HIDDEN: role -> names of fields. The context holds the role."""

    HIDDEN: ClassVar[dict[str, tuple[str, ...]]] = {}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in self.HIDDEN.get(self.context.get("role", ""), ()):
            self.fields.pop(name)


# What the views of the API share.


READ_BY_READERS = {"GET": READERS}
ONLY_LEADS = {"GET": LEADS, "POST": LEADS}
CHANGED_BY_LEADS = {"GET": READERS, "POST": LEADS}


class View(APIView):
    """GET reads, POST changes; nothing else is listened to."""

    http_method_names = ["get", "head", "post"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        # First of all, so that a method that is not there is not there for strangers either.
        if str(request.method) not in self.allowed_methods:
            raise MethodNotAllowed(str(request.method))
        super().initial(request, *args, **kwargs)

    @property
    def allowed_methods(self) -> list[str]:
        return [name.upper() for name in self.http_method_names if hasattr(self, name)]

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        answer = super().finalize_response(request, response, *args, **kwargs)
        answer.headers.setdefault("Cache-Control", "no-store")
        return answer


class ProjectView(View):
    """A view inside the project of the address. roles: method -> who may."""

    roles: ClassVar[Mapping[str, tuple[str, ...]]]
    member: Member

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        method = "GET" if request.method == "HEAD" else str(request.method)
        self.member = member_for(request, kwargs["slug"], self.roles[method])

    @property
    def project(self) -> Project:
        return self.member.project


def read_query(serializer: type[serializers.Serializer], request: Request) -> dict[str, Any]:
    """The parameters of the address, checked. Raises Fault for one that is not listed: a typing mistake in the name of
    a filter must not give the whole list."""
    form = serializer(data=request.query_params)
    _refuse_unknown(form, request.query_params)
    form.is_valid(raise_exception=True)
    return dict(form.validated_data)


def read_body(serializer: serializers.Serializer) -> dict[str, Any]:
    """The body, checked. Raises Fault for a field that is not listed."""
    _refuse_unknown(serializer, serializer.initial_data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def _refuse_unknown(form: serializers.Serializer, payload: Any, inside: str = "") -> None:
    """What has another shape altogether is left to the serializer to complain about."""
    if not isinstance(payload, Mapping):
        return
    unknown = [f"{inside}{name}" for name in payload if name not in form.fields]
    if unknown:
        message = _("Unknown field or parameter. Known ones: %(known)s.")
        raise invalid(message % {"known": ", ".join(form.fields)}, ", ".join(unknown[:20]))
    for name, field in form.fields.items():
        if isinstance(field, serializers.Serializer):
            _refuse_unknown(field, payload.get(name), f"{inside}{name}.")


def newest_page(
    request: Request, rows: QuerySet[Any], row: type[serializers.Serializer], *, column: str = "pk"
) -> Response:
    """The page of a list that the request asks for, newest first. column: unique and rising, such as `version`."""
    page_rows, following = newest_first(rows, read_query(PageQuery, request), column=column)
    return page(row(page_rows, many=True).data, following)


def page(rows: Any, following: str | None) -> Response:
    return Response({"results": rows, "next": following})
