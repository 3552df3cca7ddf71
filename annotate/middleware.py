from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.middleware.gzip import GZipMiddleware
from django.utils import translation

Answer = Callable[[HttpRequest], HttpResponse]


class OnlyReadAndPosted:
    """Pages are read and posted to. Whatever else a client sends would be taken for reading by a plain view."""

    METHODS = ("GET", "HEAD", "POST")

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in self.METHODS:
            return self.get_response(request)
        return HttpResponseNotAllowed(self.METHODS)


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
