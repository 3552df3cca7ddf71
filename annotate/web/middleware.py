"""Middleware: request ids, who acts, cache headers, methods, redirects, limits of transfers, gzip, language."""

import re
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from uuid import uuid4

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext as _

from annotate.acting import Actor, acting, client_address
from annotate.audit.trail import record_reading
from annotate.web.error_pages import plain_answer
from lib.log_lines import bind

Answer = Callable[[HttpRequest], HttpResponse]


PROGRAMS = "/api/"  # the API has its own error format


class RequestIds:
    """Gives each request an id: the one that a proxy sent in X-Request-ID, else a new one.

    It is in every log line that the request causes, and in the header X-Request-ID of the answer.
    """

    HEADER = "X-Request-ID"
    PLAUSIBLE = re.compile(r"[A-Za-z0-9._-]{8,64}")  # nothing that could break a log line

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent = request.headers.get(self.HEADER, "")
        request_id = sent if self.PLAUSIBLE.fullmatch(sent) else uuid4().hex
        release = bind(request=request_id)
        response = self.get_response(request)
        response.headers[self.HEADER] = request_id
        # Django writes the lines of refusals after all middleware, and what is streamed is made even later.
        response._resource_closers.append(release)  # type: ignore[attr-defined]
        return response


class Acting:
    """Says who acts while a request is processed: see annotate/acting.py. Access checks add the role and the project.

    A file that a member of a project or an administrator gets leaves an entry in the audit trail. Here, so that no page
    with a download can forget it.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user if request.user.is_authenticated else None
        actor = Actor(user=user, address=client_address(request), channel="page")
        with acting(actor):
            response = self.get_response(request)
            disposition = response.headers.get("Content-Disposition", "")
            if request.method == "GET" and disposition.startswith("attachment") and actor.role_name:
                name = request.resolver_match.url_name if request.resolver_match else ""
                file = disposition.partition("filename=")[2].strip('"')
                record_reading("read.file", actor.project, file=file, page=name)
        return response


class GuardedAnswers:
    """Comes before all other middleware, because their own answers (400, 405, 301) need the security headers too.

    No browser and no proxy caches an answer, unless its view or WhiteNoise says how long: after signing out, the back
    button must show nothing.
    """

    HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        for name, value in self.HEADERS.items():
            response.headers.setdefault(name, value)
        return response


class OnlyReadAndPosted:
    """Pages accept only reads and POST. A plain view would treat any other method as a read."""

    METHODS = ("GET", "HEAD", "POST")

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in self.METHODS or request.path.startswith(PROGRAMS):
            return self.get_response(request)
        return HttpResponseNotAllowed(self.METHODS)


class NamedRedirects:
    """Tells a script that posts a form where the answer leads: a redirect would make it load that page in vain."""

    ASKED_BY = "X-Names-Redirect"
    NAMED_IN = "X-Redirects-To"

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if self.ASKED_BY in request.headers and response.has_header("Location"):
            response.status_code = 204
            response.headers[self.NAMED_IN] = response.headers["Location"]
            del response.headers["Location"]
            response.content = b""
        return response


class SlashAppended(CommonMiddleware):
    """Redirects people who leave out the final slash. Programs get an error: a redirect would lose what they post."""

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        return not request.path.startswith(PROGRAMS) and super().should_redirect_with_slash(request)


class UploadLimit:
    """Refuses a request whose declared size exceeds the upload limit, before anything of it is read."""

    FORM_AROUND = 64 * 1024

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and int(length) > settings.UPLOAD_MAX_BYTES + self.FORM_AROUND:
            if request.path.startswith(PROGRAMS):
                return plain_answer("too_large", _("The upload is too large."), 413)
            return render(request, "413.html", {"limit": settings.UPLOAD_MAX_BYTES}, status=413)
        return self.get_response(request)


class DownloadLimit:
    """Limits concurrent downloads for each person: a file occupies a web server thread as long as its reader takes.

    Downloads that read from the database also occupy a connection: all people together may use half of the connections
    for them. Each web process counts both limits separately.
    """

    EACH = 4
    RETRY_AFTER = "30"  # seconds

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        self._lock = threading.Lock()
        self._under_way: Counter[object] = Counter()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not response.streaming or not response.headers.get("Content-Disposition", "").startswith("attachment"):
            return response
        takes: list[tuple[object, int]] = [(request.user.pk, self.EACH)]
        if not isinstance(response, FileResponse):
            takes.append(("database", max(1, settings.DATABASE_CONNECTIONS // 2)))
        if not self._begin(takes):
            response.close()
            return self._refused(request)
        response._resource_closers.append(partial(self._end, takes))  # type: ignore[attr-defined] # the stubs leave it out
        return response

    def _begin(self, takes: list[tuple[object, int]]) -> bool:
        with self._lock:
            if any(self._under_way[client] >= most for client, most in takes):
                return False
            self._under_way.update(client for client, _most in takes)
            return True

    def _end(self, takes: list[tuple[object, int]]) -> None:
        with self._lock:
            self._under_way.subtract(client for client, _most in takes)
            self._under_way += Counter()  # removes users whose count is 0

    def _refused(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(PROGRAMS):
            answer: HttpResponse = plain_answer("throttled", _("Other downloads are still under way."), 429)
        else:
            answer = render(request, "429_downloads.html", status=429)
        answer.headers["Retry-After"] = self.RETRY_AFTER
        return answer


class CompressedPages(GZipMiddleware):
    """Compress pages. BREACH is met by Django's masked CSRF token and by the random bytes gzip adds to its header."""

    max_random_bytes = 100
    COMPRESSED_ALREADY = ("image/png", "image/jpeg", "image/webp", "image/gif", "audio/", "application/pdf")

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.headers.get("Content-Type", "").startswith(self.COMPRESSED_ALREADY):
            return response
        return super().process_response(request, response)


class PersonLocaleMiddleware:
    """The language that a person chose, else the language cookie, else the browser's language."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        language = self._wanted(request)
        with translation.override(language):
            request.LANGUAGE_CODE = language
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        return response

    @staticmethod
    def _wanted(request: HttpRequest) -> str:
        language = getattr(request.user, "language", "")
        if language in dict(settings.LANGUAGES):
            return str(language)
        return translation.get_language_from_request(request)
