from django.utils.translation import gettext_lazy as _

from annotate.web.access import LEADS
from judging.boards.arithmetic import page
from judging.boards.arithmetic.report import ArithmeticReport
from judging.boards.board import POST, Board, Place, SubPage
from judging.boards.options import BoardOptions
from judging.ratings.intent_scores import has_intents

BOARD: Board[BoardOptions, None] = Board(
    slug="arithmetic",
    name=_("Arithmetic"),
    place=Place(160, aside=True, led_to=has_intents),
    sub_pages=(
        SubPage("arithmetic/", "arithmetic", page.arithmetic),
        SubPage("arithmetic/plan/", "arithmetic_plan", page.arithmetic_plan, roles=LEADS, methods=POST),
    ),
    saves_views=False,
    reports=(ArithmeticReport(),),
)
