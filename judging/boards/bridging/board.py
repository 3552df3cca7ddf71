from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place
from judging.boards.bridging.report import Bridging
from judging.boards.bridging.tags import takes_judgements
from judging.boards.options import BoardOptions

BOARD: Board[BoardOptions, None] = Board(
    slug="bridging",
    name=_("Bridging"),
    suits=takes_judgements,
    place=Place(40),
    saves_views=False,
    reports=(Bridging(),),
)
