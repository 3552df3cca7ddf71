from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place
from judging.boards.options import BoardOptions
from judging.boards.rating_bias.page import judge_biases, rating_bias_page
from judging.boards.rating_bias.report import RatingBiasReport
from judging.ratings.intent_scores import has_intents

BOARD = Board(
    slug="rating_bias",
    name=_("Rating bias"),
    suits=has_intents,
    place=Place(120, aside=True),
    Options=BoardOptions,
    numbers=judge_biases,
    page=rating_bias_page,
    template="rating_bias/rating_bias.html",
    formats=(),
    saves_views=False,
    reports=(RatingBiasReport(),),
)
