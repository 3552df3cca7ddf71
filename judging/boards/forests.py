"""Forest plots of means, for boards whose point is a table of means with intervals."""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.safestring import SafeString

from lib.charts.fitted import fitted
from lib.charts.forest import ForestRow, ForestWords, forest
from lib.stats.figures import FEW, Figure


def mean_forest(
    figures: Sequence[tuple[str, Figure]], words: ForestWords, *, times: float = 1, few: int = FEW
) -> SafeString:
    """Each name with its mean, the largest first; names without one come last. The dotted line is the mean of all.

    Empty where nothing has a mean. words.label: with a place for the reference. times: 100 for shares that are shown
    out of 100. few: units below which a row is grey.
    """
    rows = [_row(name, figure, times, few) for name, figure in figures]
    values = [row.value for row in rows if row.value is not None]
    if not values:
        return SafeString()
    rows.sort(key=lambda row: (row.value is None, -(row.value or 0)))
    reference = sum(values) / len(values)
    words = replace(words, label=words.label % {"reference": words.figure(reference)})
    return fitted(lambda wide: forest(rows, words, reference=reference, wide=wide))


def _row(name: str, figure: Figure, times: float, few: int) -> ForestRow:
    value, low, high = (None if end is None else times * end for end in (figure.value, figure.low, figure.high))
    return ForestRow(name, value, low, high, figure.n, thin=figure.n < few)
