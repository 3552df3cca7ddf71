from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place
from judging.boards.branches import curves, decisive_criteria, gain, systems
from judging.boards.branches.tags import goes_by_branches
from judging.boards.options import BoardOptions

BOARD: Board[BoardOptions, None] = Board(
    slug="branches",
    name=_("Branches"),
    names_authors=False,
    shows_agreement=True,
    place=Place(50, led_to=goes_by_branches),
    saves_views=False,
    reports=(curves.REPORT, decisive_criteria.REPORT, gain.REPORT, systems.REPORT),
)
