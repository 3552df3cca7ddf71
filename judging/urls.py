"""URLs of all pages of judging. Packages are listed; boards are discovered."""

from django.urls import URLPattern, URLResolver, include, path

from judging.boards.frame import board_urls
from judging.boards.registry import boards
from lib.discovery import module_names

ROOMS = ["judging.answers.urls", "judging.intake.urls", "judging.studies.urls", "judging.verdicts.urls"]

urlpatterns: list[URLPattern | URLResolver] = [
    *(path("", include(urls)) for urls in (*ROOMS, *module_names("judging.boards", "urls"))),
    *(pattern for board in boards().values() for pattern in board_urls(board)),
]
