"""URLs of all pages of judging. Those of boards are discovered."""

from django.urls import URLPattern, URLResolver, include, path

from judging.answers import pages as answer_pages
from judging.boards.board import boards
from judging.boards.frame import board_urls
from judging.boards.navigation import all_results
from judging.boards.waiting import (
    board_computation,
    board_computation_again,
    board_computation_json,
    board_computation_stop,
)
from judging.intake.pages import import_judgements_page
from judging.studies import pages as study_pages
from judging.verdicts.pages import judges
from lib.discovery import module_names

ROOMS = [
    path("p/<slug:slug>/results/", all_results, name="results"),
    path("p/<slug:slug>/answers/", answer_pages.answers, name="answers"),
    path("p/<slug:slug>/answers/import/", answer_pages.answers_import, name="answers_import"),
    path("p/<slug:slug>/answers/authors/<int:pk>/", answer_pages.answer_author, name="answer_author"),
    path("p/<slug:slug>/answers/<int:pk>/", answer_pages.answer, name="answer"),
    path("p/<slug:slug>/judgements/import/", import_judgements_page, name="import_judgements"),
    path("p/<slug:slug>/studies/", study_pages.studies, name="studies"),
    path("p/<slug:slug>/studies/<int:pk>/", study_pages.study_live, name="study_live"),
    path("p/<slug:slug>/studies/<int:pk>/leaks/", study_pages.study_leaks, name="study_leaks"),
    path("p/<slug:slug>/studies/<int:pk>/close/", study_pages.study_close, name="study_close"),
    path("p/<slug:slug>/judges/", judges, name="judges"),
    path("p/<slug:slug>/computations/<int:pk>/", board_computation, name="board_computation"),
    path("p/<slug:slug>/computations/<int:pk>/status.json", board_computation_json, name="board_computation_json"),
    path("p/<slug:slug>/computations/<int:pk>/stop/", board_computation_stop, name="board_computation_stop"),
    path("p/<slug:slug>/computations/<int:pk>/again/", board_computation_again, name="board_computation_again"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    *ROOMS,
    *(path("", include(urls)) for urls in module_names("judging.boards", "urls")),
    *(pattern for board in boards().values() for pattern in board_urls(board)),
]
