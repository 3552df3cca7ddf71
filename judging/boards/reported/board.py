from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place
from judging.boards.options import BoardOptions
from judging.boards.reported.page import reported, reported_cases
from judging.boards.reported.report import ReportedReport
from judging.ratings.intent_scores import has_intents

BOARD = Board(
    slug="reported",
    name=_("Cases and participants"),
    suits=has_intents,
    place=Place(140, aside=True),
    Options=BoardOptions,
    numbers=reported_cases,
    state=None,
    page=reported,
    template="reported/reported.html",
    formats=(),
    saves_views=False,
    reports=(ReportedReport(),),
)
