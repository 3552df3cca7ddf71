from django.utils.translation import gettext_lazy as _

from annotate.web.access import LEADS, REVIEWERS
from judging.boards.board import POST, Board, Place, SubPage
from judging.boards.bridging import pages
from judging.boards.bridging.report import Bridging
from judging.boards.bridging.tags import takes_judgements
from judging.boards.options import BoardOptions

BOARD: Board[BoardOptions, None] = Board(
    slug="bridging",
    name=_("Bridging"),
    suits=takes_judgements,
    place=Place(40),
    sub_pages=(
        SubPage("bridging/", "bridging", pages.bridging),
        SubPage("bridging/make/", "bridging_make", pages.bridging_make, roles=LEADS, methods=POST),
        SubPage("bridging/approve/", "bridging_approve", pages.bridging_approve, roles=LEADS, methods=POST),
        SubPage("bridging/next/", "bridging_next", pages.bridging_next, roles=REVIEWERS, methods=POST),
        SubPage("bridging/take/<int:pk>/", "bridging_take", pages.bridging_take, roles=REVIEWERS, methods=POST),
        SubPage("bridging/gain/", "bridging_gain", pages.bridging_gain),
        SubPage("bridging/gain/items/", "bridging_gain_items", pages.bridging_gain_items),
    ),
    saves_views=False,
    reports=(Bridging(),),
)
