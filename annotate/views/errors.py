import errno
import re
import sys
from contextlib import suppress

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.utils.translation import gettext as _

from annotate.api.errors import is_for_programs, plain_answer
from annotate.models import Member, User
from annotate.views.pages import project_page

IN_A_PROJECT = re.compile(r"/p/(?P<slug>[-\w]+)/")
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
# As SQLite and PostgreSQL say it; neither has an exception of its own for it.
NO_ROOM_IN_DATABASE = ("disk is full", "No space left on device", "readonly database")


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if is_for_programs(request):
        return plain_answer("malformed", _("The request could not be read."), 400)
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "403.html", {"reason": str(exception or "")}, status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if is_for_programs(request):
        nothing = _("There is nothing at this address.")
        slash = "" if request.path.endswith("/") else _("Addresses of the API end with a slash.")
        return plain_answer("not_found", f"{nothing} {slash}".strip(), 404)
    member = _member_here(request)
    if member is not None:
        return project_page(request, member, "404_project.html", {}, tab="", status=404)
    return render(request, "404.html", status=404)


def _member_here(request: HttpRequest) -> Member | None:
    """The reader's place in the project of the address, whether or not the rest of it leads anywhere."""
    match, user = IN_A_PROJECT.match(request.path_info), getattr(request, "user", None)
    if match is None or not isinstance(user, User):
        return None
    return Member.objects.select_related("project__readiness").filter(project__slug=match["slug"], user=user).first()


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "403_csrf.html", status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    """Called by Django while it handles the exception, so its cause can still be asked for."""
    full = is_full_disk(sys.exc_info()[1])
    _drop_unfinished_uploads(request)
    if is_for_programs(request):
        code, status = ("no_room", 507) if full else ("fault", 500)
        return plain_answer(code, _("The server could not do it."), status)
    # Without a request: context processors ask the database, which may be what failed.
    page = loader.get_template("507.html" if full else "500.html").render()
    return HttpResponse(page, status=507 if full else 500)


def _drop_unfinished_uploads(request: HttpRequest) -> None:
    """Django closes, and so deletes, only files that came in whole; half of one would keep the disk full."""
    for handler in request.upload_handlers:
        file = getattr(handler, "file", None)
        if file is not None:
            with suppress(OSError):
                file.close()


def is_full_disk(fault: BaseException | None) -> bool:
    """Whether a file or the database could not be written for want of room."""
    while fault is not None:
        if isinstance(fault, OSError) and fault.errno in NO_ROOM:
            return True
        if isinstance(fault, DatabaseError) and any(words in str(fault) for words in NO_ROOM_IN_DATABASE):
            return True
        fault = fault.__cause__ or fault.__context__
    return False
