from django.utils.translation import gettext_lazy as _

from annotate.web.access import LEADS
from judging.boards.board import POST, Board, Place, SubPage
from judging.boards.judge_settings import page
from judging.boards.judge_settings.report import JudgeSettingsReport
from judging.boards.options import BoardOptions
from judging.ratings.intent_scores import has_intents

BOARD: Board[BoardOptions, None] = Board(
    slug="judge_settings",
    name=_("Judge settings"),
    suits=has_intents,
    place=Place(130, aside=True),
    sub_pages=(
        SubPage("judge-settings/", "judge_settings", page.judge_settings),
        SubPage("judge-settings/plan/", "judge_settings_plan", page.judge_settings_plan, roles=LEADS, methods=POST),
        SubPage("judge-settings/start/", "judge_settings_start", page.judge_settings_start, roles=LEADS, methods=POST),
    ),
    saves_views=False,
    reports=(JudgeSettingsReport(),),
)
