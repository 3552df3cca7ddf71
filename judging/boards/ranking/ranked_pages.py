"""The ranked models of a page: which, in which order, and the heads that sort them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from judging.boards.model_pages import ModelPageOptions, model_page
from lib.stats.ranking.standings import RankedModel

Row = tuple[RankedModel, RankedModel | None]  # a model, and the same with style held constant
Head = tuple[str, str | Promise, str]  # by what the server sorts, "" for nothing; the words; the class
STYLE_HEAD: Head = ("style", _("Style-controlled Elo"), "num")
FIRST_HEADS: Sequence[Head] = (
    ("rank", _("Rank"), "num"),
    ("author", _("Model"), "stick"),
    ("strength", _("Strength"), "num"),
    ("", "95 %", "num"),
    ("elo", "Elo", "num"),
    ("", "95 %", "num"),
)
LAST_HEADS: Sequence[Head] = (("battles", _("Battles"), "num"), ("won", _("Won"), "num"), ("ties", _("Ties"), "num"))
SORTED_FIGURES: Mapping[str, Callable[[Row], float | None]] = {
    "rank": lambda row: None if row[0].rank_low is None else row[0].rank_low + (row[0].rank_high or 0),
    "strength": lambda row: row[0].strength,
    "elo": lambda row: row[0].elo,
    "style": lambda row: row[1].elo if row[1] else None,
    "battles": lambda row: row[0].battles,
    "won": lambda row: row[0].wins,
    "ties": lambda row: row[0].ties,
}


def ranked_page(rows: Sequence[Row], options: ModelPageOptions, *, among: int, styled: bool) -> dict[str, Any]:
    """The rows of the page in their order, for the template. rows: those that the filters show, the strongest first;
    among: how many models are ranked. styled: there is a ranking with style held constant."""
    ordered_rows = _ordered(rows, options)
    page = model_page([standing.name for standing, _adjusted in ordered_rows], options, among=among)
    names = set(page.names)
    return {
        "model_page": page,
        "rows": [row for row in ordered_rows if row[0].name in names],
        "heads": [*FIRST_HEADS, *([STYLE_HEAD] if styled else []), *LAST_HEADS],
    }


def _ordered(rows: Sequence[Row], options: ModelPageOptions) -> list[Row]:
    """Rows without the figure come last in both directions."""
    if options.sorted_by == "author":
        return sorted(rows, key=lambda row: row[0].name.casefold(), reverse=options.falling)
    value = SORTED_FIGURES.get(options.sorted_by)
    if value is None:
        return list(rows)
    valued = [(value(row), row) for row in rows]
    known = [(number, row) for number, row in valued if number is not None]
    known.sort(key=lambda pair: pair[0], reverse=options.falling)
    return [row for _number, row in known] + [row for number, row in valued if number is None]
