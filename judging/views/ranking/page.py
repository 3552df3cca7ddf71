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
    told = asked(request, member.project)
    if told.side is None:
        return project_page(request, member, "ranking/empty.html", {}, tab=tab_of(member))
    given = [side for _word, side in told.sides]
    draws = FEWER_DRAWS if told.davidson else DRAWS
    found = rankings(member.project, given=given, davidson=told.davidson, count=draws)
    one = next(each for each in found if each.side is told.side)
    address = f"{reverse('ranking_battles', args=[slug])}?{urlencode({'by': told.by})}"
    context = {"asked": told, "few": FEW, "all_draws": draws, "address": address, **_shown(one), **_sides(told, found)}
    context["still_voted"] = pairs_are_voted_on(member.project)
    context |= _matrix(one.ranking, address) | parts(member.project, told, address) | other_board(told, found)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if told.fault else HTTPStatus.OK
    return project_page(request, member, "ranking/ranking.html", context, tab=tab_of(member), status=status)


def _shown(one: Ranked) -> dict[str, Any]:
    """The table, the chart and the sentences of one ranking."""
    ranked = [each for each in one.ranking.standings if each.strength is not None]
    controlled = styled(one.side)
    adjusted = {each.name: each for each in controlled[1]} if controlled else {}
    return {
        "one": one,
        "rows": [(each, adjusted.get(each.name)) for each in one.ranking.standings],
        "bars": _bars(ranked),
        "notes": [gettext(note.text) % note.values for note in one.ranking.notes],
        "skipped": sorted(one.ranking.battles.skipped.items()),
        "hints": [each for each in neighbours(one.ranking) if each.votes or each.near][:10],
        "weights": sorted(controlled[0].weights.items()) if controlled else [],
    }


def _bars(ranked: Sequence[Standing]) -> tuple[SafeString, SafeString] | None:
    """Strengths of a hundred, for wide and for narrow screens; of many authors each has little."""
    if not ranked:
        return None
    bars = [_bar(each) for each in ranked]
    label = _("Strengths, together 100, and their intervals of 95 %")
    top = next(end for end in TOPS if max(bar.high or bar.value or 0 for bar in bars) <= end)
    return interval_bars(bars, label=label, top=top), interval_bars(bars, label=label, wide=PHONE, top=top)


def _bar(each: Standing) -> Bar:
    value, low, high = (None if one is None else 100 * one for one in (each.strength, each.low, each.high))
    return Bar(each.name, value, low, high, thin=each.battles < FEW)


def _sides(told: Asked, found: Sequence[Ranked]) -> dict[str, Any]:
    """People and judges side by side: the place of each author, where the place of an answer leads them, and how far
    judges order as people do."""
    words = {id(side): word for word, side in told.sides}
    beside = [(words[id(each.side)], each, left_side(each.ranking.battles)) for each in found]
    lines = side_by_side(found)
    return {"beside": beside, "lines": lines[:MOST], "more_lines": len(lines[MOST:])}


def _matrix(found: Ranking, address: str) -> dict[str, Any]:
    names, rates = ordered_rates(found)
    place = {name: number for number, name in enumerate(found.battles.names)}
    met = found.battles.met
    shown = names[:MOST]
    rows = [
        (name, [_cell(rates[at, to], int(met[place[name], place[other]]), address, name, other)
                for to, other in enumerate(shown)])
        for at, name in enumerate(shown)
    ]  # fmt: skip
    return {"names": shown, "rates": rows, "left_over": len(names) - len(shown), "ramp": ramp()}


def _cell(rate: float, n: int, address: str, author: str, other: str) -> Cell:
    href = f"{address}&{urlencode({'author': author, 'other': other})}"
    return Cell(None if np.isnan(rate) else float(rate), n, href)
