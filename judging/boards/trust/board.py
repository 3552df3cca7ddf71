from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place, everywhere
from judging.boards.options import BoardOptions
from judging.boards.trust.report import TrustReport

BOARD: Board[BoardOptions, None] = Board(
    slug="trust",
    name=_("Trust"),
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    place=Place(80),
    reports=(TrustReport(),),
)
