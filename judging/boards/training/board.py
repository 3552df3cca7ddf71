from judging.boards.board import Board, everywhere
from judging.boards.options import BoardOptions
from judging.boards.training.report import Training

BOARD: Board[BoardOptions, None] = Board(
    slug="training",
    name="Training",
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    saves_views=False,
    reports=(Training(),),
)
