from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotate.views.pages import project_page
from judging.services.rankings.ranked import Ranked, rankings
from judging.services.rankings.side_by_side import side_by_side
from judging.services.rankings.styled import styled
from judging.services.studies.lists import pairs_are_voted_on
from judging.views.agreement.access import agreement_member
from judging.views.agreement.page import tab_of
from judging.views.ranking.asked import Asked, asked
from judging.views.ranking.parts import FEWER_DRAWS, other_board, parts
from lib.charts.heat import ramp, step
from lib.charts.interval_bars import Bar, interval_bars
from lib.stats.bootstrap import DRAWS
from lib.stats.figures import FEW
from lib.stats.ranking.beside import left_side, ordered_rates
from lib.stats.ranking.separating import neighbours
from lib.stats.ranking.standings import Ranking, Standing

TOPS = 5, 10, 20, 50, 100  # where the bars may end: the first that none passes
MOST = 20  # authors of the matrix; more columns cannot be read
PHONE = 330


@dataclass(frozen=True)
class Cell:
    """One author against another. rate: 0..1, None where they never met."""

    rate: float | None
    n: int
    href: str

    @property
    def step(self) -> int | None:
        return None if self.rate is None or self.n < FEW else step(100 * self.rate)


@require_safe
@login_required
def ranking_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Who is better, by people or by the judge that ?by= names; every number opens its battles."""
    member = agreement_member(request, slug)
    query = asked(request, member.project)
    if query.side is None:
        return project_page(request, member, "ranking/empty.html", {}, tab=tab_of(member))
    sides = [side for _word, side in query.sides]
    draws = FEWER_DRAWS if query.davidson else DRAWS
    ranked_sides = rankings(member.project, given=sides, davidson=query.davidson, count=draws)
    ranked_side = next(candidate for candidate in ranked_sides if candidate.side is query.side)
    address = f"{reverse('ranking_battles', args=[slug])}?{urlencode({'by': query.by})}"
    context = {
        "asked": query,
        "few": FEW,
        "all_draws": draws,
        "address": address,
        **_shown(ranked_side),
        **_sides(query, ranked_sides),
    }
    context["still_voted"] = pairs_are_voted_on(member.project)
    context |= (
        _matrix(ranked_side.ranking, address) | parts(member.project, query, address) | other_board(query, ranked_sides)
    )
    status = HTTPStatus.UNPROCESSABLE_ENTITY if query.fault else HTTPStatus.OK
    return project_page(request, member, "ranking/ranking.html", context, tab=tab_of(member), status=status)


def _shown(ranked_side: Ranked) -> dict[str, Any]:
    """The table, the chart and the sentences of one ranking."""
    ranked = [standing for standing in ranked_side.ranking.standings if standing.strength is not None]
    controlled = styled(ranked_side.side)
    adjusted = {row.name: row for row in controlled[1]} if controlled else {}
    return {
        "one": ranked_side,
        "rows": [(standing, adjusted.get(standing.name)) for standing in ranked_side.ranking.standings],
        "bars": _bars(ranked),
        "notes": [gettext(note.text) % note.values for note in ranked_side.ranking.notes],
        "skipped": sorted(ranked_side.ranking.battles.skipped.items()),
        "hints": [neighbour for neighbour in neighbours(ranked_side.ranking) if neighbour.votes or neighbour.near][:10],
        "weights": sorted(controlled[0].weights.items()) if controlled else [],
    }


def _bars(ranked: Sequence[Standing]) -> tuple[SafeString, SafeString] | None:
    """Strengths of a hundred, for wide and for narrow screens; of many authors each has little."""
    if not ranked:
        return None
    bars = [_bar(standing) for standing in ranked]
    label = _("Strengths, together 100, and their intervals of 95 %")
    top = next(end for end in TOPS if max(bar.high or bar.value or 0 for bar in bars) <= end)
    return interval_bars(bars, label=label, top=top), interval_bars(bars, label=label, wide=PHONE, top=top)


def _bar(standing: Standing) -> Bar:
    value, low, high = (
        None if share is None else 100 * share for share in (standing.strength, standing.low, standing.high)
    )
    return Bar(standing.name, value, low, high, thin=standing.battles < FEW)


def _sides(query: Asked, ranked_sides: Sequence[Ranked]) -> dict[str, Any]:
    """People and judges side by side: the place of each author, where the place of an answer leads them, and how far
    judges order as people do."""
    words = {id(side): word for word, side in query.sides}
    side_rows = [
        (words[id(ranked_side.side)], ranked_side, left_side(ranked_side.ranking.battles))
        for ranked_side in ranked_sides
    ]
    lines = side_by_side(ranked_sides)
    return {"beside": side_rows, "lines": lines[:MOST], "more_lines": len(lines[MOST:])}


def _matrix(ranking: Ranking, address: str) -> dict[str, Any]:
    names, rates = ordered_rates(ranking)
    index_by_name = {name: number for number, name in enumerate(ranking.battles.names)}
    met = ranking.battles.met
    shown_names = names[:MOST]
    rows = [
        (name, [_cell(rates[row, to], int(met[index_by_name[name], index_by_name[opponent]]), address, name, opponent)
                for to, opponent in enumerate(shown_names)])
        for row, name in enumerate(shown_names)
    ]  # fmt: skip
    return {"names": shown_names, "rates": rows, "left_over": len(names) - len(shown_names), "ramp": ramp()}


def _cell(rate: float, n: int, address: str, author: str, opponent: str) -> Cell:
    href = f"{address}&{urlencode({'author': author, 'other': opponent})}"
    return Cell(None if np.isnan(rate) else float(rate), n, href)
