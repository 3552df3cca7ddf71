from django.utils.translation import gettext_lazy as _

from judging.boards.arithmetic.report import ArithmeticReport
from judging.boards.board import Board, Place
from judging.boards.options import BoardOptions
from judging.ratings.intent_scores import has_intents

BOARD: Board[BoardOptions, None] = Board(
    slug="arithmetic",
    name=_("Arithmetic"),
    place=Place(160, aside=True, led_to=has_intents),
    saves_views=False,
    reports=(ArithmeticReport(),),
)
