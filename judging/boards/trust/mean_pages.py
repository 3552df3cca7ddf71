"""The corrected means of a page of models: which, in which order, and the heads that sort them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from judging.boards.model_pages import ModelPageOptions, model_page
from lib.stats.prediction_powered import CorrectedMean, LabelledRow

# By what the server sorts: `author`, else a column and one of these, as `overall/corrected`.
SORTED_FIGURES: Mapping[str, Callable[[CorrectedMean], float | None]] = {
    "corrected": lambda mean: mean.corrected.value,
    "judged": lambda mean: mean.judged_only.value,
    "labels": lambda mean: mean.labelled_only.value,
    "weight": lambda mean: mean.weight,
    "gain": lambda mean: mean.worth,
    "n-labelled": lambda mean: mean.labelled_only.n,
    "n-judged": lambda mean: mean.judged_only.n,
}
MEAN_HEADS: Sequence[tuple[str, str | Promise]] = (
    ("corrected", _("Corrected")),
    ("", _("Interval")),
    ("judged", _("Judge alone")),
    ("", _("Interval")),
    ("labels", _("Labels alone")),
    ("", _("Interval")),
    ("weight", _("Weight")),
    ("gain", _("Effective sample gain")),
    ("n-labelled", _("n labelled")),
    ("n-judged", _("n judged")),
)


def mean_page(corrected: Sequence[LabelledRow], options: ModelPageOptions) -> dict[str, Any]:
    """The rows of the page in their order, for the template. corrected: all models, the best first."""
    column, _slash, figure = options.sorted_by.partition("/")
    rows = _ordered(corrected, column, figure, falling=options.falling)
    page = model_page([row.author for row in rows], options)
    names = set(page.names)
    return {
        "model_page": page,
        "means": [row for row in rows if row.author in names],
        "mean_heads": MEAN_HEADS,
        "sorted_column": column,
    }


def _ordered(rows: Sequence[LabelledRow], column: str, figure: str, *, falling: bool) -> list[LabelledRow]:
    """Rows without the figure come last in both directions."""
    if column == "author":
        return sorted(rows, key=lambda row: row.author.casefold(), reverse=falling)
    value = SORTED_FIGURES.get(figure)
    if value is None or not all(column in row.columns for row in rows):
        return list(rows)
    valued = [(value(row.columns[column]), row) for row in rows]
    known = [(number, row) for number, row in valued if number is not None]
    known.sort(key=lambda pair: pair[0], reverse=falling)
    return [row for _number, row in known] + [row for number, row in valued if number is None]
