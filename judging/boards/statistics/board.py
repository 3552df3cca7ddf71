from django.utils.translation import gettext_lazy as _

from judging.access import answered
from judging.boards.board import Board, Place
from judging.boards.options import BoardOptions

BOARD: Board[BoardOptions, None] = Board(
    slug="statistics",
    name=_("Statistics"),
    place=Place(170, aside=True, led_to=answered),
    saves_views=False,
)
