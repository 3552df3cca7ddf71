"""The addresses that a project's tabs lead to, for rendering the tabs alone."""

from django.http import HttpRequest, HttpResponse
from django.urls import path

NAMES = [
    "overview",
    "items",
    "work",
    "review",
    "import",
    "runs",
    "leaderboard",
    "releases",
    "people",
    "guidelines",
    "project_settings",
]


def somewhere(request: HttpRequest, slug: str) -> HttpResponse:
    return HttpResponse()


urlpatterns = [path(f"p/<slug:slug>/{name}/", somewhere, name=name) for name in NAMES]
