"""What the views of the API share."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate.api.access import member_for
from annotate.api.errors import invalid
from annotate.api.paging import PageQuery, newest_first
from annotate.models import Member, Project
from annotate.views.access import LEADS, READERS

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
        message = _("There is no such field or parameter. Known ones: %(known)s.")
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
