from django.utils.translation import gettext_lazy as _

from judging.boards.agreement.report import AgreementReport
from judging.boards.board import Board, Place, everywhere
from judging.boards.options import BoardOptions

BOARD: Board[BoardOptions, None] = Board(
    slug="agreement",
    name=_("Agreement"),
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    place=Place(70),
    reports=(AgreementReport(),),
)
