from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place, everywhere
from judging.boards.options import BoardOptions
from judging.boards.ranking.report import RankingReport

BOARD: Board[BoardOptions, None] = Board(
    slug="ranking",
    name=_("Ranking"),
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    place=Place(60),
    saves_views=False,
    reports=(RankingReport(),),
)
