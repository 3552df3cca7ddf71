from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.models import Member, Project
from judging.boards.board import Board, BoardPage, Place
from judging.boards.options import BoardOptions
from judging.boards.rating_bias.report import BiasRow, OfAuthor, RatingBiasReport, rating_biases
from judging.ratings.intent_scores import has_intents
from lib.charts.dot_plots import Leaning, leanings
from lib.stats.figures import FEW

PHONE = 330


def judge_biases(project: Project, options: BoardOptions) -> Sequence[BiasRow]:
    return rating_biases(project)


def rating_bias_page(rows: Sequence[BiasRow], options: BoardOptions, member: Member) -> BoardPage:
    """How far each judge deviates from the scale in its prompt; every number links to its answers."""
    items_address = reverse("leaderboard_items", args=[member.project.slug])
    context: dict[str, Any] = {
        "rows": [(row, f"{items_address}?judge={row.judge.pk}", _authors(row, items_address)) for row in rows],
        "charts": _charts(rows),
        "few": FEW,
        "simulated": any(row.judge.simulated for row in rows),
    }
    return BoardPage(context)


def _authors(row: BiasRow, items_address: str) -> list[tuple[OfAuthor, str]]:
    """Each with the address of its answers."""
    author_rows = [
        (author_bias, urlencode({"judge": row.judge.pk, "author": author_bias.author})) for author_bias in row.authors
    ]
    return [(author_bias, f"{items_address}?{words}") for author_bias, words in author_rows]


def _charts(rows: Sequence[BiasRow]) -> tuple[SafeString, SafeString] | None:
    """For wide and for narrow screens."""
    if not rows:
        return None
    bars = [Leaning(row.judge.name, row.bias.value, row.bias.low, row.bias.high, thin=row.bias.n < FEW) for row in rows]
    label = gettext("Rating bias by judge; intervals: 95 %")
    return leanings(bars, label=label), leanings(bars, label=label, wide=PHONE)


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
