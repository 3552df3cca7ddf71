from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place, SubPage
from judging.boards.leaderboard.options import LeaderboardOptions
from judging.boards.leaderboard.page import (
    as_json,
    as_rows,
    board_readings,
    file_name,
    fragments,
    leaderboard,
    printed,
)
from judging.boards.leaderboard.report import LeaderboardReport
from judging.boards.leaderboard.scored_pages import item_verdicts_page, leaderboard_items

BOARD = Board(
    slug="leaderboard",
    name=_("Leaderboard"),
    place=Place(10),
    Options=LeaderboardOptions,
    numbers=board_readings,
    state=None,  # a reading caches each of its parts
    page=leaderboard,
    template="leaderboard/leaderboard.html",
    fragments=fragments(),
    as_json=as_json,
    as_rows=as_rows,
    file_name=file_name,
    printed=printed,
    sub_pages=(
        SubPage("leaderboard/items/", "leaderboard_items", leaderboard_items),
        SubPage("items/<int:pk>/verdicts/", "item_verdicts", item_verdicts_page),
    ),
    reports=(LeaderboardReport(),),
)
