from django.utils.translation import gettext_lazy as _

from annotate.web.access import LEADS
from judging.access import has_checklists
from judging.boards.board import POST, Board, Place, SubPage
from judging.boards.difficulty import page
from judging.boards.options import BoardOptions

BOARD: Board[BoardOptions, None] = Board(
    slug="difficulty",
    name=_("Difficulty"),
    suits=has_checklists,
    place=Place(150, aside=True),
    sub_pages=(
        SubPage("difficulty/", "difficulty", page.difficulty),
        SubPage("difficulty/apply/", "difficulty_apply", page.difficulty_apply, roles=LEADS, methods=POST),
        SubPage("difficulty/restore/", "difficulty_restore", page.difficulty_restore, roles=LEADS, methods=POST),
    ),
    saves_views=False,
)
