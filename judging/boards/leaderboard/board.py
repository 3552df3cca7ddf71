from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place
from judging.boards.leaderboard.report import Leaderboard
from judging.boards.options import BoardOptions

BOARD: Board[BoardOptions, None] = Board(
    slug="leaderboard",
    name=_("Leaderboard"),
    place=Place(10),
    reports=(Leaderboard(),),
)
