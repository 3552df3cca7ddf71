from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place
from judging.boards.intents.page import IntentOptions, intent_reading, intents_page
from judging.boards.intents.report import IntentsReport
from judging.ratings.intent_scores import has_intents

BOARD = Board(
    slug="intents",
    name=_("Intents"),
    suits=has_intents,
    place=Place(20),
    Options=IntentOptions,
    numbers=intent_reading,
    state=None,  # a reading caches each of its parts
    page=intents_page,
    template="intents/intents.html",
    formats=(),
    saves_views=False,
    reports=(IntentsReport(),),
)
