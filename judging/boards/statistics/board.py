from django.utils.translation import gettext_lazy as _

from judging.access import answered
from judging.boards.board import Board, Place, SubPage
from judging.boards.options import BoardOptions
from judging.boards.statistics import page

BOARD: Board[BoardOptions, None] = Board(
    slug="statistics",
    name=_("Statistics"),
    place=Place(170, aside=True, led_to=answered),
    sub_pages=(
        SubPage("statistics/", "statistics", page.dataset_statistics),
        SubPage("statistics/statistics.csv", "statistics_csv", page.statistics_csv),
        SubPage("statistics/items/", "statistics_items", page.statistics_items),
    ),
    saves_views=False,
)
