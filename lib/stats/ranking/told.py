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


def model_row(standing: Standing) -> dict[str, Any]:
    return {name: getattr(standing, name) for name in FIELDS}


def as_json(ranking: Ranking) -> dict[str, Any]:
    """models: strongest first; what is not determined is null. votes_needed: of neighbours in that order."""
    document: dict[str, Any] = {
        "models": [model_row(standing) for standing in ranking.standings],
        "skipped": dict(ranking.battles.skipped),
        "battles": ranking.battles.n,
        "note": " ".join(map(str, ranking.notes)),
        "votes_needed": [_planned(separation) for separation in neighbours(ranking)],
    }
    if ranking.fit is not None and ranking.fit.tendency is not None:
        document["tendency_to_tie"] = ranking.fit.tendency
    if ranking.others:
        document["other_groups"] = [
            [model_row(standing) for standing in other_ranking.standings] for other_ranking in ranking.others
        ]
    return document


def _planned(separation: Separation) -> dict[str, Any]:
    document = asdict(separation)
    votes = {name: document[name] for name in ("votes", "votes_low", "votes_high")}
    return document | {name: None if count is None else two_digits(count) for name, count in votes.items()}


def matrix(ranking: Ranking) -> dict[str, Any]:
    """Share of battles that the row won against the column, a tie being a half; null where two never met."""
    names, rates = ordered_rates(ranking)
    return {"models": names, "rates": [[None if np.isnan(rate) else float(rate) for rate in row] for row in rates]}


def side(ranking: Ranking) -> dict[str, Any]:
    return {"left": figure(left_side(ranking.battles))}


def figure(figure: Figure) -> dict[str, Any]:
    return {
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "n": figure.n,
        **({"note": figure.note} if figure.note else {}),
    }


def beside_row(comparison: Beside) -> dict[str, Any]:
    return {
        **{
            name: {"value": correlation.value, "interval": comparison.intervals[name], "n": correlation.n}
            for name, correlation in (
                ("kendall", comparison.kendall),
                ("spearman", comparison.spearman),
                ("pearson", comparison.pearson),
            )
        },
        "only_here": list(comparison.only_here),
        "only_there": list(comparison.only_there),
    }
