from django.utils.translation import gettext_lazy as _

from annotate.web.access import LEADS
from judging.boards.board import POST, Board, Place, SubPage
from judging.boards.judge_settings import page, report
from judging.ratings.intent_scores import has_intents

BOARD = Board(
    slug="judge_settings",
    name=_("Judge settings"),
    suits=has_intents,
    place=Place(130, aside=True),
    Options=page.ComparisonOptions,
    numbers=page.comparison,
    state=None,  # jobs end without a verdict
    page=page.judge_settings,
    template=page.TEMPLATE,
    as_json=page.comparison_json,
    as_rows=page.comparison_rows,
    sub_pages=(
        SubPage("judge-settings/plan/", "judge_settings_plan", page.judge_settings_plan, roles=LEADS, methods=POST),
        SubPage("judge-settings/start/", "judge_settings_start", page.judge_settings_start, roles=LEADS, methods=POST),
    ),
    saves_views=False,
    reports=(report.JudgeSettingsReport(),),
)
