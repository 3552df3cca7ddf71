from django.utils.translation import gettext_lazy as _

from judging.boards.blindspots.numbers import has_blind_spots
from judging.boards.blindspots.report import BlindSpotsReport
from judging.boards.board import Board, Place
from judging.boards.options import BoardOptions

BOARD: Board[BoardOptions, None] = Board(
    slug="blindspots",
    name=_("Blind spots"),
    suits=has_blind_spots,
    place=Place(30),
    reports=(BlindSpotsReport(),),
)
