from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place
from judging.boards.intents.report import IntentsReport
from judging.boards.options import BoardOptions
from judging.ratings.intent_scores import has_intents

BOARD: Board[BoardOptions, None] = Board(
    slug="intents",
    name=_("Intents"),
    suits=has_intents,
    place=Place(20),
    saves_views=False,
    reports=(IntentsReport(),),
)
