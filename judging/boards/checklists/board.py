from django.utils.translation import gettext_lazy as _

from judging.access import has_checklists
from judging.boards.board import Board, Place, SubPage
from judging.boards.checklists import page

BOARD = Board(
    slug="checklists",
    name=_("Checklists"),
    about="how well every question of a judged checklist works, worst first",
    suits=has_checklists,
    place=Place(110),
    Options=page.ChecklistOptions,
    numbers=page.judged_questions,
    state=None,  # the statistics are cached by themselves
    page=page.checklists,
    template="checklists/checklists.html",
    as_json=page.questions_json,
    as_rows=page.questions_rows,
    columns=page.COLUMNS,
    sub_pages=(SubPage("items/<int:pk>/questions/", "checklist_question", page.checklist_question),),
)
