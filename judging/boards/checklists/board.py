from django.utils.translation import gettext_lazy as _

from judging.access import has_checklists
from judging.boards.board import Board, Place, SubPage
from judging.boards.checklists import page
from judging.boards.options import BoardOptions

BOARD: Board[BoardOptions, None] = Board(
    slug="checklists",
    name=_("Checklists"),
    suits=has_checklists,
    place=Place(110),
    sub_pages=(
        SubPage("checklists/", "checklists", page.checklists),
        SubPage("items/<int:pk>/questions/", "checklist_question", page.checklist_question),
    ),
    saves_views=False,
)
