from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.middleware.common import CommonMiddleware
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext as _

from annotate.api.errors import plain_answer

Answer = Callable[[HttpRequest], HttpResponse]


PROGRAMS = "/api/"  # answers in its own words, whatever is wrong


class OnlyReadAndPosted:
    """Pages are read and posted to. Whatever else a client sends would be taken for reading by a plain view."""

    METHODS = ("GET", "HEAD", "POST")

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in self.METHODS or request.path.startswith(PROGRAMS):
            return self.get_response(request)
        return HttpResponseNotAllowed(self.METHODS)


class SlashAppended(CommonMiddleware):
    """People who leave the slash at the end out are led on. Programs are told: led on, what they post would be lost."""

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        return not request.path.startswith(PROGRAMS) and super().should_redirect_with_slash(request)


class UploadLimit:
    """Refuses a request that says it is larger than an upload may be, before anything of it is read."""

    FORM_AROUND = 64 * 1024

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and int(length) > settings.UPLOAD_MAX_BYTES + self.FORM_AROUND:
            if request.path.startswith(PROGRAMS):
                return plain_answer("too_large", _("This is more than an upload may be."), 413)
            return render(request, "413.html", {"limit": settings.UPLOAD_MAX_BYTES}, status=413)
        return self.get_response(request)


class CompressedPages(GZipMiddleware):
    """Compress pages. BREACH is met by Django's masked CSRF token and by the random bytes gzip adds to its header."""

    max_random_bytes = 100


class PersonLocaleMiddleware:
    """The language a person chose, else the language cookie, else what the browser asks for."""

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
        own = getattr(request.user, "language", "")
        if own in dict(settings.LANGUAGES):
            return str(own)
        return translation.get_language_from_request(request)
