"""The forest plot of a ranking (Elo, strengths, or Elo with style held constant) and the heat map of win rates."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlencode

import numpy as np
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.templatetags.ranking import elo, share
from lib.charts.forest import ForestRow, ForestWords, forest
from lib.charts.heat_colours import SWAY
from lib.charts.heat_map import HeatCell, HeatMap, HeatRow, HeatScale
from lib.charts.marks import fitted
from lib.stats.figures import FEW
from lib.stats.intervals import wilson
from lib.stats.ranking.report import ordered_rates
from lib.stats.ranking.standings import MIDDLE, ModelRanking, RankedModel

ELO, STRENGTH, STYLE = "elo", "strength", "style"
RATINGS: Mapping[str, str | Promise] = {
    ELO: "Elo",
    STRENGTH: gettext_lazy("Strength"),
    STYLE: gettext_lazy("Style-controlled Elo"),
}


@dataclass(frozen=True)
class RatingChart:
    """rating: the one that is drawn; ratings: those to choose from, with their names. reference: where the dotted line
    is, as the page writes it."""

    rating: str
    name: str | Promise
    ratings: Sequence[tuple[str, str | Promise]]
    drawing: SafeString
    reference: str


class ChartOptions(Protocol):
    """What the address says: the rating that is drawn, and the models that are shown."""

    @property
    def rating(self) -> str: ...

    def shows(self, model: str) -> bool: ...


def rating_chart(
    options: ChartOptions,
    standings: Sequence[RankedModel],
    controlled: Sequence[RankedModel],
    drawn_names: Collection[str],
) -> RatingChart | None:
    """standings: of all models. controlled: the same with style held constant; empty without it. None where nobody is
    ranked."""
    ranked = sum(standing.strength is not None for standing in standings)
    if not ranked:
        return None
    ratings = [(key, name) for key, name in RATINGS.items() if key != STYLE or controlled]
    rating = options.rating if options.rating in dict(ratings) else ELO
    shown = [row for row in (controlled if rating == STYLE else standings) if row.name in drawn_names]
    rows = sorted((_row(standing, rating) for standing in shown), key=_best_first)
    reference = 100 / ranked if rating == STRENGTH else MIDDLE
    name, write = RATINGS[rating], _hundredth if rating == STRENGTH else elo
    label = _("%(rating)s with 95 %% intervals; dotted line: %(reference)s")
    words = ForestWords(
        label=label % {"rating": name, "reference": write(reference)},
        name=_("Model"),
        value=f"{name} (95 %)",
        n=_("Battles"),
        figure=write,
        missing=_("not ranked"),
    )
    drawing = fitted(lambda wide: forest(rows, words, reference=reference, wide=wide))
    return RatingChart(rating, name, ratings, drawing, write(reference))


def _row(standing: RankedModel, rating: str) -> ForestRow:
    strengths = [None if part is None else 100 * part for part in (standing.strength, standing.low, standing.high)]
    elo_figures = [standing.elo, standing.elo_low, standing.elo_high]
    value, low, high = strengths if rating == STRENGTH else elo_figures
    return ForestRow(standing.name, value, low, high, standing.battles, thin=standing.battles < FEW)


def _hundredth(points: float) -> str:
    """A strength of 0..100."""
    return share(points / 100)


def _best_first(row: ForestRow) -> tuple[bool, float]:
    return row.value is None, -(row.value or 0)


# Win rates: each author against each other.


MOST = 20  # authors; more columns cannot be read
SHARES = HeatScale(SWAY)


def win_rates(ranking: ModelRanking, options: ChartOptions, address: str) -> dict[str, Any]:
    """The heat map of the strongest authors. address: of the battles behind it; left_over: authors not shown."""
    names, rates = ordered_rates(ranking)
    index_by_name = {name: number for number, name in enumerate(ranking.battles.names)}
    met, places = ranking.battles.met, [place for place, name in enumerate(names) if options.shows(name)]

    def cell(row: int, column: int) -> HeatCell | None:
        rate, author, opponent = rates[row, column], names[row], names[column]
        n = int(met[index_by_name[author], index_by_name[opponent]])
        return None if np.isnan(rate) else _win_rate(float(rate), n, author, opponent, address)

    shown_places = places[:MOST]
    rows = [HeatRow(names[row], [cell(row, column) for column in shown_places]) for row in shown_places]
    label = _("Win rate of the row's model against the column's model, in per cent")
    heat = HeatMap(label, _("Model"), [names[place] for place in shown_places], [("", rows)], [("", SHARES)])
    return {"heat": heat, "left_over": len(places) - len(shown_places)}


def _win_rate(rate: float, n: int, author: str, opponent: str, address: str) -> HeatCell:
    """Wilson's interval, a tie as half a win: battles as if independent."""
    bounds = wilson(rate * n, n)
    between = f"{share(bounds.low)}–{share(bounds.high)}" if bounds else ""
    words = {"author": author, "opponent": opponent, "rate": share(rate), "interval": between, "n": n}
    label = _("%(author)s against %(opponent)s: %(rate)s %%, 95 %% interval %(interval)s, n = %(n)d")
    href = f"{address}&{urlencode({'author': author, 'other': opponent})}"
    return HeatCell(share(rate), between, n, "" if n < FEW else SHARES.look(100 * rate), href, label % words)
