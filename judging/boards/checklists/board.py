from django.utils.translation import gettext_lazy as _

from judging.access import has_checklists
from judging.boards.board import Board, Place
from judging.boards.options import BoardOptions

BOARD: Board[BoardOptions, None] = Board(
    slug="checklists",
    name=_("Checklists"),
    suits=has_checklists,
    place=Place(110),
    saves_views=False,
)
