"""The drawings of the page of blind spots."""

from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from judging.services.blindspots.cells import Column, Spot
from judging.templatetags.blindspots import outcome_name, percent, percents
from judging.views.blindspots.naming import Names
from lib.charts.heat import step
from lib.charts.heat_map import HeatCell, HeatRow, heat_map
from lib.charts.interval_bars import Bar, interval_bars
from lib.stats.blindspots import REFERENCE, Tally, wilson

THIN = 10  # pairs below which a share says too little for a colour
INVARIANT = "score-invariant"
PHONE = 330


def matrix(slug: str, columns: Sequence[Column], spots: Sequence[Spot], names: Names) -> SafeString:
    """The heat map of one judge: a row for each category, a column for each way of asking."""
    rows = [
        HeatRow(
            names.category(spot[1]),
            names.ability(spot),
            {index: _cell(slug, column, spot, names) for index, column in enumerate(columns) if spot in column.cells},
        )
        for spot in spots
    ]
    label = _(
        "Share of perturbations that were not noticed, by category and way of asking; the table below says the same"
    )
    return heat_map([column.strategy for column in columns], rows, label=label)


def _cell(slug: str, column: Column, spot: Spot, names: Names) -> HeatCell:
    cell = column.cells[spot]
    words = {"category": names.category(spot[1]), "strategy": column.strategy, "n": cell.n}
    label = _("%(category)s, %(strategy)s: %(share)s not noticed, interval %(interval)s, n = %(n)d")
    return HeatCell(
        said=percent(cell.share),
        below=percents(cell.interval),
        step=_step(cell),
        href=pairs_address(slug, column, spot),
        label=label % {**words, "share": percent(cell.share), "interval": percents(cell.interval)},
        cool=spot[0] == INVARIANT,
    )


def _step(cell: Tally) -> int | None:
    return None if cell.share is None or cell.divisor < THIN else step(100 * cell.share)


def pairs_address(slug: str, column: Column, spot: Spot) -> str:
    parameters = {"column": column.key, "ability": spot[0], "category": spot[1], "outcome": "missed"}
    return f"{reverse('blindspot_pairs', args=[slug])}?{urlencode(parameters)}"


def histogram(column: Column) -> tuple[SafeString, SafeString]:
    """How far below the top the perturbed answers were scored; for wide and for narrow screens."""
    overall = column.overall or Tally(REFERENCE, Counter())
    bars = [_bar(overall, outcome) for outcome in REFERENCE.outcomes]
    label = _("Scores of perturbed answers beside the gold answer: %(strategy)s") % {"strategy": column.strategy}
    return interval_bars(bars, label=label), interval_bars(bars, label=label, wide=PHONE)


def _bar(overall: Tally, outcome: str) -> Bar:
    bounds = wilson(overall.counts[outcome], overall.n)
    low, high = bounds if bounds else (None, None)
    value = overall.rate(outcome)
    return Bar(
        outcome_name(outcome),
        None if value is None else 100 * value,
        None if low is None else 100 * low,
        None if high is None else 100 * high,
    )
