from judging.boards.board import Board, everywhere
from judging.boards.consistency.report import Consistency
from judging.boards.options import BoardOptions

BOARD: Board[BoardOptions, None] = Board(
    slug="consistency",
    name="Consistency",
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    saves_views=False,
    reports=(Consistency(),),
)
