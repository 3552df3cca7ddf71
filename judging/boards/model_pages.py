"""Pages of models: a board of more than a hundred shows them page by page, sorted and filtered by name at the server.

All tables of a board show the models of one page. Ranks and other numbers are those among all models.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _
from pydantic import Field

from annotate.web.number_formats import whole
from judging.boards.options import BoardOptions

MOST_MODELS = 100  # on one page; a row with its charts weighs up to ten kilobytes


class ModelPageOptions(BoardOptions):
    """sort: a column, with a minus for descending order; "" for the order of the board. find: a part of the names.
    start: how many models come before the page. rows: `all` for all of them on one page.

    Only `sort` counts where all models have room on one page.
    """

    sort: str = ""
    find: str = Field(default="", max_length=200)
    start: int = Field(default=0, ge=0, le=999_999_999)
    rows: Literal["", "all"] = ""

    def sorting(self, column: str) -> str:
        """The address of the same board sorted by this column: descending first, reversed if it already is."""
        return self.address_with(sort=column if self.sort == f"-{column}" else f"-{column}", start=0)

    @property
    def sorted_by(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def falling(self) -> bool:
        return self.sort.startswith("-")


@dataclass(frozen=True)
class ModelPage:
    """names: the models on the page, in their order. matching: how many have the name, of the `total` that the board
    shows.

    is_long: the models of the board do not have room on one page. is_split: so the server pages and sorts them.
    """

    names: Sequence[str]
    matching: int
    total: int
    start: int = 0
    is_long: bool = False
    is_split: bool = False

    def __str__(self) -> str:
        """Which of how many models these are."""
        first, end, matching, total = map(whole, (self.start + 1, self._end, self.matching, self.total))
        words = {"first": first, "last": end, "n": matching, "total": total}
        if not self.matching:
            return _("No model has this name; %(total)s in all") % words
        if self.matching < self.total:
            return _("Models %(first)s–%(last)s of %(n)s with this name; %(total)s in all") % words
        return _("Models %(first)s–%(last)s of %(n)s") % words

    @property
    def _end(self) -> int:
        return self.start + len(self.names)

    @property
    def before(self) -> int | None:
        return self.start - MOST_MODELS if self.start else None

    @property
    def after(self) -> int | None:
        return self._end if self._end < self.matching else None


def model_page(names: Sequence[str], options: ModelPageOptions, *, among: int = 0) -> ModelPage:
    """The page that the options name, the last one if it would begin behind it. names: in their order; among: how many
    models the board has, if these are some of them."""
    if max(len(names), among) <= MOST_MODELS:
        return ModelPage(names, len(names), len(names))
    matching = [name for name in names if _plain(options.find) in _plain(name)]
    if options.rows == "all":
        return ModelPage(matching, len(matching), len(names), is_long=True)
    start = min(options.start, max(len(matching) - 1, 0)) // MOST_MODELS * MOST_MODELS
    page_names = matching[start : start + MOST_MODELS]
    return ModelPage(page_names, len(matching), len(names), start, is_long=True, is_split=True)


def _plain(name: str) -> str:
    """As the filter of short tables compares names (static/js/tables.js)."""
    return unicodedata.normalize("NFKC", name).casefold().strip()
