from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place, SubPage, everywhere
from judging.boards.ranking.page import RankingOptions, ranking_battles, ranking_page, ranking_query
from judging.boards.ranking.report import RankingReport

BOARD = Board(
    slug="ranking",
    name=_("Ranking"),
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    place=Place(60),
    Options=RankingOptions,
    numbers=ranking_query,
    state=None,
    page=ranking_page,
    template="ranking/ranking.html",
    formats=(),
    sub_pages=(SubPage("ranking/battles/", "ranking_battles", ranking_battles),),
    saves_views=False,
    reports=(RankingReport(),),
)
