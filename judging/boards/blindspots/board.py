from django.utils.translation import gettext_lazy as _

from annotate.web.access import REVIEWERS
from judging.boards.blindspots.numbers import has_blind_spots
from judging.boards.blindspots.page import BlindSpotOptions, blindspots, spot_columns
from judging.boards.blindspots.report import BlindSpotsReport
from judging.boards.blindspots.sighting_pages import (
    blindspot_check,
    blindspot_checked,
    blindspot_explanations,
    blindspot_pairs,
)
from judging.boards.board import Board, Place, SubPage

BOARD = Board(
    slug="blindspots",
    name=_("Blind spots"),
    suits=has_blind_spots,
    place=Place(30),
    Options=BlindSpotOptions,
    numbers=spot_columns,
    state=None,
    page=blindspots,
    template="blindspots/blindspots.html",
    formats=(),
    sub_pages=(
        SubPage("blindspots/pairs/", "blindspot_pairs", blindspot_pairs),
        SubPage("blindspots/explanations/", "blindspot_explanations", blindspot_explanations),
        SubPage(
            "blindspots/explanations/check/",
            "blindspot_check",
            blindspot_check,
            roles=REVIEWERS,
            methods=("GET", "HEAD", "POST"),
        ),
        SubPage("blindspots/explanations/checked/", "blindspot_checked", blindspot_checked),
    ),
    reports=(BlindSpotsReport(),),
)
