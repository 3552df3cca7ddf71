"""URLs of all pages of judging. Packages are listed; boards are discovered."""

from importlib.util import find_spec
from pkgutil import iter_modules

from django.urls import URLPattern, URLResolver, include, path

import judging.boards
from judging.boards.frame import board_urls
from judging.boards.registry import boards

ROOMS = ["judging.answers", "judging.intake", "judging.studies", "judging.verdicts"]
BOARDS = sorted(module.name for module in iter_modules(judging.boards.__path__, "judging.boards.") if module.ispkg)

urlpatterns: list[URLPattern | URLResolver] = [
    *(path("", include(f"{room}.urls")) for room in (*ROOMS, *BOARDS) if find_spec(f"{room}.urls")),
    *(pattern for board in boards().values() for pattern in board_urls(board)),
]
