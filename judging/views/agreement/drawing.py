"""What the chart shows: people with people, and under it people with each judge, on the same units."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from judging.services.comparing_raters.comparing import Compared
from lib.charts.beside import Dot, Line
from lib.stats.agreement.beside import Mean

FEW = 10


def lines(comparison: Compared, names: Mapping[str, str]) -> list[Line]:
    """One for each judge; people alone where nobody judges. Without a value there is no dot."""
    rows = [(names[row.judges[0].key], row) for row in comparison.judges if row.units] or [
        (_("People"), comparison.people)
    ]
    return [
        Line(name, _dot(row.chosen.one), _dot(row.chosen.other), thin=row.units < FEW)
        for name, row in rows
        if row.chosen.one.value is not None or row.chosen.other.value is not None
    ]


def _dot(mean: Mean) -> Dot | None:
    return None if mean.value is None else Dot(mean.value, mean.low, mean.high)
