"""Error answers: every error of the API as {"code", "message", "where", "remedy"}, and the error pages for people."""

import errno
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template import loader
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import exceptions, serializers
from rest_framework.response import Response

from annotate.errors import Refused, WrongState
from annotate.formats.rows import printable
from annotate.models import Member, User
from annotate.web.access import project_page
from lib.texts.sentences import paragraph

PREFIX = "/api/"

# code -> how to fix it. The list is closed: clients may rely on it.
REMEDIES = {
    "malformed": gettext_lazy("Follow the documentation: /api/v1/docs/."),
    "unauthenticated": gettext_lazy(
        "Send “Authorization: Bearer …” with a token created by a lead of the project. It must not be "
        "revoked or expired, and its creator must still have its role."
    ),
    "forbidden": gettext_lazy("Use a token with a role that allows it."),
    "not_found": gettext_lazy("Look up the address in the list it comes from. A token works only for its own project."),
    "method_not_allowed": gettext_lazy("Use GET to read and POST to change."),
    "not_acceptable": gettext_lazy("Accept application/json."),
    "conflict": gettext_lazy("Read it again, then decide again."),
    "key_reused": gettext_lazy("Use another Idempotency-Key for another request."),
    "unfinished": gettext_lazy(
        "Wait a moment and repeat the request. If this persists, check the list to see whether it was created."
    ),
    "gone": gettext_lazy("Use another version."),
    "too_large": gettext_lazy("Compress the file (.gz is accepted) or split it."),
    "unsupported_type": gettext_lazy("Send one of the media types that the documentation names."),
    "invalid": gettext_lazy("Correct the value that “where” names."),
    "throttled": gettext_lazy("Wait for the number of seconds in Retry-After."),
    "fault": gettext_lazy("Try again later. The server administrator can find the cause in the log."),
    "no_room": gettext_lazy("Ask the server administrator to free disk space."),
    "unavailable": gettext_lazy("Repeat the request after the number of seconds in Retry-After."),
}

CODES = {
    exceptions.ParseError: "malformed",
    exceptions.NotAuthenticated: "unauthenticated",
    exceptions.AuthenticationFailed: "unauthenticated",
    exceptions.PermissionDenied: "forbidden",
    exceptions.NotFound: "not_found",
    exceptions.MethodNotAllowed: "method_not_allowed",
    exceptions.NotAcceptable: "not_acceptable",
    exceptions.UnsupportedMediaType: "unsupported_type",
    exceptions.ValidationError: "invalid",
    exceptions.Throttled: "throttled",
}


class Error(serializers.Serializer):
    """What went wrong, for people and for programs."""

    code = serializers.ChoiceField(choices=sorted(REMEDIES), help_text="What sort of error; the list is closed.")
    message = serializers.CharField(help_text="What is wrong, in a sentence.")
    where = serializers.CharField(
        allow_blank=True, help_text="The field or parameter at fault, such as `splits.train`; empty for the whole."
    )
    remedy = serializers.CharField(help_text="What to do about it.")


class Fault(exceptions.APIException):
    """An error of ours with its code; `where` names what is at fault."""

    def __init__(self, status: int, code: str, message: str, where: str = "") -> None:
        super().__init__(message, code)
        self.status_code, self.code, self.message, self.where = status, code, message, where


def invalid(message: str, where: str = "") -> Fault:
    return Fault(422, "invalid", message, where)


def error_body(code: str, message: str, where: str = "") -> dict[str, str]:
    """The body of an error. Values from the client are included only as far as they can be printed."""
    return {
        "code": code,
        "message": printable(message, most=2000),
        "where": printable(where, most=200),
        "remedy": str(REMEDIES[code]),
    }


def answer_to(exc: Exception, context: dict[str, Any]) -> Response | None:
    """The answer to an exception in a view of the API; None for our own bugs, which Django reports and answers."""
    if isinstance(exc, Fault):
        return Response(error_body(exc.code, exc.message, exc.where), exc.status_code)
    if isinstance(exc, (WrongState, Refused)):
        return Response(error_body("conflict", str(exc)), 409)
    if isinstance(exc, Http404):
        exc = exceptions.NotFound(_("There is nothing at this address."))
    elif isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied(str(exc) or None)
    elif isinstance(exc, RequestDataTooBig):
        return Response(error_body("too_large", _("The form data is too large.")), 413)
    elif isinstance(exc, SuspiciousOperation):
        exc = exceptions.ParseError(_("The request could not be read."))
    if not isinstance(exc, exceptions.APIException):
        return None
    return _answer(exc)


def _answer(exc: exceptions.APIException) -> Response:
    code = next((code for kind, code in CODES.items() if isinstance(exc, kind)), "malformed")
    if isinstance(exc, exceptions.ValidationError):
        faults = list(_faults(exc.detail))
        where = ", ".join(dict.fromkeys(where for where, _message in faults if where))
        message = paragraph(f"{where}: {message}" if where else message for where, message in faults)
        return Response(error_body("invalid", message, where), 422)
    answer = Response(error_body(code, str(exc.detail)), exc.status_code)
    if isinstance(exc, exceptions.Throttled):
        answer["Retry-After"] = str(int(exc.wait or 60) + 1)
    if getattr(exc, "auth_header", None):
        answer["WWW-Authenticate"] = exc.auth_header  # set by APIView
    return answer


def _faults(detail: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """(path, message) of every error of a serializer."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            path = where if name == "non_field_errors" else f"{where}.{name}" if where else str(name)
            yield from _faults(inner, path)
    elif isinstance(detail, list):
        for index, inner in enumerate(detail):
            yield from _faults(inner, f"{where}[{index}]" if isinstance(inner, dict) and inner else where)
    else:
        yield where, str(detail)


def is_for_programs(request: HttpRequest) -> bool:
    return request.path.startswith(PREFIX)


def plain_answer(code: str, message: str, status: int) -> JsonResponse:
    """For errors that occur before or outside the views of the API."""
    return JsonResponse(error_body(code, message), status=status, json_dumps_params={"ensure_ascii": False})


IN_A_PROJECT = re.compile(r"/p/(?P<slug>[-\w]+)/")
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
# The messages of SQLite and PostgreSQL; neither has an exception class of its own for this error.
SOON = 10  # seconds after which the database may be back
AWAY_ON_SQLITE = ("database is locked", "unable to open database file")
NO_ROOM_IN_DATABASE = ("disk is full", "No space left on device", "readonly database")


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if is_for_programs(request):
        return plain_answer("malformed", _("The request could not be read."), 400)
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    member, reason = _member_here(request), {"reason": str(exception or "")}
    if member is not None:
        return project_page(request, member, "403_project.html", reason, tab="", status=403)
    return render(request, "403.html", reason, status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if is_for_programs(request):
        nothing = _("There is nothing at this address.")
        slash = "" if request.path.endswith("/") else _("API addresses end with a slash.")
        return plain_answer("not_found", f"{nothing} {slash}".strip(), 404)
    member = _member_here(request)
    if member is not None:
        return project_page(request, member, "404_project.html", {}, tab="", status=404)
    return render(request, "404.html", status=404)


def _member_here(request: HttpRequest) -> Member | None:
    """The reader's membership in the project of the address, even if the rest of the address leads nowhere."""
    match, user = IN_A_PROJECT.match(request.path_info), getattr(request, "user", None)
    if match is None or not isinstance(user, User):
        return None
    members = Member.objects.select_related("project__readiness", "user")
    return members.filter(project__slug=match["slug"], user=user).first()


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "403_csrf.html", status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django calls it while it handles the exception, so the cause is still available."""
    code, status = _kind_of_failure(sys.exc_info()[1])
    _drop_unfinished_uploads(request)
    if is_for_programs(request):
        away = _("The database does not answer at the moment.")
        answer: HttpResponse = plain_answer(code, away if status == 503 else _("The server failed."), status)
    else:
        # Without a request: context processors query the database, which may be what failed.
        answer = HttpResponse(loader.get_template(f"{status}.html").render(), status=status)
    if status == 503:
        answer["Retry-After"] = str(SOON)
    return answer


def _kind_of_failure(fault: BaseException | None) -> tuple[str, int]:
    """The code of the API, and the status, which is also the name of the page."""
    if is_full_disk(fault):
        return "no_room", 507
    return ("unavailable", 503) if is_database_away(fault) else ("fault", 500)


def _drop_unfinished_uploads(request: HttpRequest) -> None:
    """Django deletes only complete uploads; an incomplete one would keep the disk full."""
    for handler in request.upload_handlers:
        file = getattr(handler, "file", None)
        if file is not None:
            with suppress(OSError):
                file.close()


def is_database_away(fault: BaseException | None) -> bool:
    """Whether the database was restarted, cannot be reached, or was locked for too long: nothing that was asked for is
    wrong, and nothing of it was done.
    """
    while fault is not None:
        if isinstance(fault, OperationalError | InterfaceError):
            return connection.vendor != "sqlite" or any(words in str(fault) for words in AWAY_ON_SQLITE)
        fault = fault.__cause__ or fault.__context__
    return False


def is_full_disk(fault: BaseException | None) -> bool:
    """Whether a file or the database could not be written because the disk is full."""
    while fault is not None:
        if isinstance(fault, OSError) and fault.errno in NO_ROOM:
            return True
        if isinstance(fault, DatabaseError) and any(words in str(fault) for words in NO_ROOM_IN_DATABASE):
            return True
        fault = fault.__cause__ or fault.__context__
    return False
