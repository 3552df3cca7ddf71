from django.utils.translation import gettext_lazy as _

from judging.access import answered
from judging.boards.board import Board, Place, SubPage
from judging.boards.statistics.page import (
    COLUMNS,
    StatisticsOptions,
    csv_table,
    dataset_statistics,
    file_name,
    project_statistics,
    statistics_items,
)

BOARD = Board(
    slug="statistics",
    name=_("Statistics"),
    place=Place(170, aside=True, led_to=answered),
    Options=StatisticsOptions,
    numbers=project_statistics,
    state=None,  # the table of items is cached by itself
    page=dataset_statistics,
    template="statistics/statistics.html",
    formats=("csv",),
    as_rows=csv_table,
    columns=COLUMNS,
    file_name=file_name,
    sub_pages=(SubPage("statistics/items/", "statistics_items", statistics_items),),
    saves_views=False,
)
