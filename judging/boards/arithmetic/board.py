from django.utils.translation import gettext_lazy as _

from annotate.web.access import LEADS
from judging.boards.arithmetic import page, report
from judging.boards.board import POST, Board, Place, SubPage
from judging.ratings.intent_scores import has_intents

BOARD = Board(
    slug="arithmetic",
    name=_("Arithmetic"),
    place=Place(160, aside=True, led_to=has_intents),
    Options=page.ProbeOptions,
    numbers=page.newest_probes,
    state=None,  # jobs end without a verdict
    page=page.arithmetic,
    template=page.TEMPLATE,
    as_json=page.probes_json,
    as_rows=page.probes_rows,
    columns=page.COLUMNS,
    sub_pages=(SubPage("arithmetic/plan/", "arithmetic_plan", page.arithmetic_plan, roles=LEADS, methods=POST),),
    saves_views=False,
    reports=(report.ArithmeticReport(),),
)
