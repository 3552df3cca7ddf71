from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place
from judging.boards.judge_settings.report import JudgeSettingsReport
from judging.boards.options import BoardOptions
from judging.ratings.intent_scores import has_intents

BOARD: Board[BoardOptions, None] = Board(
    slug="judge_settings",
    name=_("Settings of judges"),
    suits=has_intents,
    place=Place(130, aside=True),
    saves_views=False,
    reports=(JudgeSettingsReport(),),
)
