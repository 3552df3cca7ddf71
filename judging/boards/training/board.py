from judging.boards.board import Board, SubPage, everywhere
from judging.boards.options import BoardOptions
from judging.boards.training import page
from judging.boards.training.report import Training

BOARD: Board[BoardOptions, None] = Board(
    slug="training",
    name="Training",
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    sub_pages=(
        SubPage("training/", "training", page.training_page),
        SubPage("training/files.zip", "training_files", page.training_files),
    ),
    saves_views=False,
    reports=(Training(),),
)
