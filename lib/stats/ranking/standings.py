"""Models from the strongest to the weakest, with what is certain about it."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lib.stats.averages import Flags, Floats
from lib.stats.bootstrap import DRAWS, LEVEL, SEED
from lib.stats.ranking import notes
from lib.stats.ranking.battles import Battles
from lib.stats.ranking.davidson import with_ties
from lib.stats.ranking.groups import Groups, groups
from lib.stats.ranking.notes import Note, about
from lib.stats.ranking.resampling import drawn_logs
from lib.stats.ranking.strengths import NotSettled, halves, log_strengths, shares
from lib.stats.ranks import rank_ranges

ELO, MIDDLE = 400 / np.log(10), 1000.0


@dataclass(frozen=True)
class Standing:
    """strength: the strengths of all ranked models sum to 1; None where it is not determined. low, high: its 95 %
    interval, None where draws give none. elo: 400·log10 of the strength, shifted so that ranked models have a mean of
    1000. rank_low, rank_high: best and worst rank, 1 the best, for all models at once. wins: without ties."""

    name: str
    battles: int
    wins: int
    ties: int
    strength: float | None = None
    low: float | None = None
    high: float | None = None
    elo: float | None = None
    elo_low: float | None = None
    elo_high: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None


@dataclass(frozen=True)
class Fit:
    """Of the ranked models: logs (models,) logarithms of strengths with mean 0; drawn (draws, models) the same of
    battles drawn again; tendency: nu of Davidson's model, None where a tie is half a win of each."""

    names: tuple[str, ...]
    logs: Floats
    drawn: Floats
    tendency: float | None = None


@dataclass(frozen=True)
class Ranking:
    """standings: strongest first, then those without a strength. fit: None where nobody is ranked. others: further
    groups of models that can be ranked each by itself."""

    battles: Battles
    standings: Sequence[Standing]
    fit: Fit | None
    notes: Sequence[Note] = ()
    others: Sequence["Ranking"] = field(default=())


def ranking(battles: Battles, *, davidson: bool = False, count: int = DRAWS, seed: int = SEED) -> Ranking:
    """davidson: ties as an outcome of their own; otherwise each is half a win of both.

    Intervals: battles are drawn again, as if each had been fought independently of the others; where it is known which
    ones are about the same item, items are, with all of their battles.
    """
    model_groups = groups(battles)
    remarks = _notes(battles, model_groups)
    if not model_groups.ranked:
        return Ranking(battles, _plain(battles), None, remarks)
    among = battles.among(model_groups.ranked)
    fit, helped = _fit(among, davidson=davidson, count=count, seed=seed)
    if helped:
        remarks.append(Note(notes.HELPED, {"count": helped, "of": count}))
    if davidson and fit.tendency is None:
        remarks.append(Note(notes.NO_TIES_TO_MODEL))
    if count and not _varies(fit).any():
        remarks.append(Note(notes.NO_SPREAD))
    other_rankings = [
        ranking(battles.among(group), davidson=davidson, count=count, seed=seed) for group in model_groups.others
    ]
    return Ranking(battles, standings(battles, fit), fit, remarks, other_rankings)


def standings(battles: Battles, fit: Fit) -> list[Standing]:
    """battles: all battles, of models that the fit leaves out too."""
    bounds = _bounds(fit)
    plain = {standing.name: standing for standing in _plain(battles)}
    ranked = [replace(plain.pop(name), **bounds[index]) for index, name in enumerate(fit.names)]
    ranked.sort(
        key=lambda standing: (-round(standing.strength or 0, 12), standing.name)
    )  # equal ones differ by rounding
    return [*ranked, *plain.values()]


def _fit(battles: Battles, *, davidson: bool, count: int, seed: int) -> tuple[Fit, int]:
    logs, tendency = log_strengths(halves(battles)), None
    if davidson:
        with suppress(NotSettled):
            logs, tendency = with_ties(battles.wins.astype(float), battles.ties.astype(float), logs)
        davidson = tendency is not None
    resampled_logs, helped = drawn_logs(battles, logs, count=count, seed=seed, davidson=davidson)
    return Fit(battles.names, logs, resampled_logs, tendency), helped


def _plain(all_battles: Battles) -> list[Standing]:
    """Without strengths, by name."""
    columns = zip(
        all_battles.names,
        all_battles.met.sum(axis=1),
        all_battles.wins.sum(axis=1),
        all_battles.ties.sum(axis=1),
        strict=True,
    )
    return sorted(
        (Standing(name, int(battles), int(wins), int(ties)) for name, battles, wins, ties in columns),
        key=lambda standing: standing.name,
    )


def _varies(fit: Fit) -> Flags:
    spread: Floats = np.ptp(fit.drawn, axis=0) if len(fit.drawn) else np.zeros(len(fit.names))
    return np.asarray(spread > 1e-12, dtype=np.bool_)


def _bounds(fit: Fit) -> list[dict[str, Any]]:
    """For each ranked model what a standing says beside its counts."""
    strengths, elo = shares(fit.logs), MIDDLE + ELO * fit.logs
    rows: list[dict[str, Any]] = [
        {"strength": float(strength), "elo": float(points)} for strength, points in zip(strengths, elo, strict=True)
    ]
    if not _varies(fit).any():  # nothing is known of how certain it is, so that every rank is possible
        return [row | {"rank_low": 1, "rank_high": len(rows)} for row in rows]
    ranges = rank_ranges(fit.logs, fit.drawn.T)
    of_strength = _percentiles(shares(fit.drawn), strengths)
    of_elo = _percentiles(MIDDLE + ELO * fit.drawn, elo)
    for index, row in enumerate(rows):
        row |= {"low": float(of_strength[0, index]), "high": float(of_strength[1, index])}
        row |= {"elo_low": float(of_elo[0, index]), "elo_high": float(of_elo[1, index])}
        row |= {"rank_low": int(ranges[index, 0]), "rank_high": int(ranges[index, 1])}
    return rows


def _percentiles(draws: Floats, value: Floats) -> Floats:
    """(2, models): bounds of the interval, which holds the value however skewed the draws are."""
    low, high = np.percentile(draws, [100 * (1 - LEVEL) / 2, 100 * (1 + LEVEL) / 2], axis=0)
    return np.stack([np.minimum(low, value), np.maximum(high, value)])


def _notes(battles: Battles, model_groups: Groups) -> list[Note]:
    """Why some are not ranked, and what can be ranked all the same."""
    if not battles.n:
        return [Note(notes.NO_BATTLES)]
    remarks = []
    for text, indices in (
        (notes.ALWAYS_WON, model_groups.always_won),
        (notes.ALWAYS_LOST, model_groups.always_lost),
        (notes.IDLE, model_groups.idle),
    ):
        if indices:
            remarks.append(about(text, _names(battles, indices)))
    if len(model_groups.islands) > 1:
        listed = _listed(battles, model_groups.islands)
        remarks.append(Note(notes.APART, {"count": len(model_groups.islands), "models": listed}))
    elif model_groups.others:
        remarks.append(Note(notes.ONE_WAY, {"models": _listed(battles, (model_groups.ranked, *model_groups.others))}))
    if not model_groups.ranked:
        remarks.append(Note(notes.NOBODY_RANKED))
    elif len(model_groups.ranked) < len(battles.names):
        remarks.append(about(notes.RANKED, _names(battles, model_groups.ranked)))
        remarks += [about(notes.RANKED_TOO, _names(battles, group)) for group in model_groups.others]
    return remarks


def _listed(battles: Battles, sets: Sequence[Sequence[int]]) -> str:
    return "; ".join(", ".join(_names(battles, indices)) for indices in sets)


def _names(battles: Battles, indices: Sequence[int]) -> list[str]:
    return sorted(battles.names[index] for index in indices)
