from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place, SubPage
from judging.boards.branches import curves, decisive_criteria, gain, pages, systems
from judging.boards.branches.tags import goes_by_branches

BOARD = Board(
    slug="branches",
    name=_("Branches"),
    names_authors=False,
    shows_agreement=True,
    place=Place(50, led_to=goes_by_branches),
    Options=pages.CurveOptions,
    numbers=pages.judge_curves,
    state=None,
    page=pages.branches_page,
    template="branches/curves.html",
    formats=(),
    sub_pages=(
        SubPage("branches/pairs/", "branch_pairs", pages.branch_pairs),
        SubPage("branches/criteria/", "branch_criteria", pages.branch_criteria),
        SubPage("branches/gain/", "branch_gain", pages.branch_gain),
        SubPage("branches/gain/items/", "branch_corrections", pages.branch_corrections),
        SubPage("branches/systems/", "branch_systems", pages.branch_systems),
    ),
    saves_views=False,
    reports=(curves.REPORT, decisive_criteria.REPORT, gain.REPORT, systems.REPORT),
)
