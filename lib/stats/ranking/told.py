"""A ranking as JSON says it."""

from dataclasses import asdict
from typing import Any

import numpy as np

from lib.stats.figures import Figure
from lib.stats.needs import two_digits
from lib.stats.ranking.beside import Beside, left_side, ordered_rates
from lib.stats.ranking.separating import Separation, neighbours
from lib.stats.ranking.standings import Ranking, Standing

FIELDS = (
    "name", "strength", "elo", "low", "high", "rank_low", "rank_high", "battles", "wins", "ties", "elo_low", "elo_high"
)  # fmt: skip


def model_row(each: Standing) -> dict[str, Any]:
    return {name: getattr(each, name) for name in FIELDS}


def as_json(found: Ranking) -> dict[str, Any]:
    """models: strongest first; what is not determined is null. votes_needed: of neighbours in that order."""
    told: dict[str, Any] = {
        "models": [model_row(each) for each in found.standings],
        "skipped": dict(found.battles.skipped),
        "battles": found.battles.n,
        "note": " ".join(map(str, found.notes)),
        "votes_needed": [_planned(each) for each in neighbours(found)],
    }
    if found.fit is not None and found.fit.tendency is not None:
        told["tendency_to_tie"] = found.fit.tendency
    if found.others:
        told["other_groups"] = [[model_row(each) for each in other.standings] for other in found.others]
    return told


def _planned(each: Separation) -> dict[str, Any]:
    told = asdict(each)
    votes = {name: told[name] for name in ("votes", "votes_low", "votes_high")}
    return told | {name: None if one is None else two_digits(one) for name, one in votes.items()}


def matrix(found: Ranking) -> dict[str, Any]:
    """Share of battles that the row won against the column, a tie being a half; null where two never met."""
    names, rates = ordered_rates(found)
    return {"models": names, "rates": [[None if np.isnan(rate) else float(rate) for rate in row] for row in rates]}


def side(found: Ranking) -> dict[str, Any]:
    return {"left": figure(left_side(found.battles))}


def figure(one: Figure) -> dict[str, Any]:
    return {
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "n": one.n,
        **({"note": one.note} if one.note else {}),
    }


def beside_row(found: Beside) -> dict[str, Any]:
    return {
        **{
            name: {"value": one.value, "interval": found.intervals[name], "n": one.n}
            for name, one in (("kendall", found.kendall), ("spearman", found.spearman), ("pearson", found.pearson))
        },
        "only_here": list(found.only_here),
        "only_there": list(found.only_there),
    }
