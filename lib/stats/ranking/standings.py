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


def ranking(given: Battles, *, davidson: bool = False, count: int = DRAWS, seed: int = SEED) -> Ranking:
    """davidson: ties as an outcome of their own; otherwise each is half a win of both.

    Intervals: battles are drawn again, as if each had been fought independently of the others; where it is known which
    ones are about the same item, items are, with all of their battles.
    """
    found = groups(given)
    told = _notes(given, found)
    if not found.ranked:
        return Ranking(given, _plain(given), None, told)
    among = given.among(found.ranked)
    fit, helped = _fit(among, davidson=davidson, count=count, seed=seed)
    if helped:
        told.append(Note(notes.HELPED, {"count": helped, "of": count}))
    if davidson and fit.tendency is None:
        told.append(Note(notes.NO_TIES_TO_MODEL))
    if count and not _varies(fit).any():
        told.append(Note(notes.NO_SPREAD))
    others = [ranking(given.among(group), davidson=davidson, count=count, seed=seed) for group in found.others]
    return Ranking(given, standings(given, fit), fit, told, others)


def standings(given: Battles, fit: Fit) -> list[Standing]:
    """given: all battles, of models that the fit leaves out too."""
    bounds = _bounds(fit)
    plain = {each.name: each for each in _plain(given)}
    ranked = [replace(plain.pop(name), **bounds[place]) for place, name in enumerate(fit.names)]
    ranked.sort(key=lambda each: (-round(each.strength or 0, 12), each.name))  # equal ones differ by rounding
    return [*ranked, *plain.values()]


def _fit(given: Battles, *, davidson: bool, count: int, seed: int) -> tuple[Fit, int]:
    logs, tendency = log_strengths(halves(given)), None
    if davidson:
        with suppress(NotSettled):
            logs, tendency = with_ties(given.wins.astype(float), given.ties.astype(float), logs)
        davidson = tendency is not None
    drawn, helped = drawn_logs(given, logs, count=count, seed=seed, davidson=davidson)
    return Fit(given.names, logs, drawn, tendency), helped


def _plain(given: Battles) -> list[Standing]:
    """Without strengths, by name."""
    columns = zip(given.names, given.met.sum(axis=1), given.wins.sum(axis=1), given.ties.sum(axis=1), strict=True)
    return sorted(
        (Standing(name, int(battles), int(wins), int(ties)) for name, battles, wins, ties in columns),
        key=lambda each: each.name,
    )


def _varies(fit: Fit) -> Flags:
    spread: Floats = np.ptp(fit.drawn, axis=0) if len(fit.drawn) else np.zeros(len(fit.names))
    return np.asarray(spread > 1e-12, dtype=np.bool_)


def _bounds(fit: Fit) -> list[dict[str, Any]]:
    """For each ranked model what a standing says beside its counts."""
    strengths, elo = shares(fit.logs), MIDDLE + ELO * fit.logs
    found: list[dict[str, Any]] = [
        {"strength": float(strength), "elo": float(points)} for strength, points in zip(strengths, elo, strict=True)
    ]
    if not _varies(fit).any():  # nothing is known of how certain it is, so that every rank is possible
        return [each | {"rank_low": 1, "rank_high": len(found)} for each in found]
    ranges = rank_ranges(fit.logs, fit.drawn.T)
    of_strength = _percentiles(shares(fit.drawn), strengths)
    of_elo = _percentiles(MIDDLE + ELO * fit.drawn, elo)
    for place, each in enumerate(found):
        each |= {"low": float(of_strength[0, place]), "high": float(of_strength[1, place])}
        each |= {"elo_low": float(of_elo[0, place]), "elo_high": float(of_elo[1, place])}
        each |= {"rank_low": int(ranges[place, 0]), "rank_high": int(ranges[place, 1])}
    return found


def _percentiles(drawn: Floats, value: Floats) -> Floats:
    """(2, models): bounds of the interval, which holds the value however skewed the draws are."""
    low, high = np.percentile(drawn, [100 * (1 - LEVEL) / 2, 100 * (1 + LEVEL) / 2], axis=0)
    return np.stack([np.minimum(low, value), np.maximum(high, value)])


def _notes(given: Battles, found: Groups) -> list[Note]:
    """Why some are not ranked, and what can be ranked all the same."""
    if not given.n:
        return [Note(notes.NO_BATTLES)]
    told = []
    for text, places in (
        (notes.ALWAYS_WON, found.always_won),
        (notes.ALWAYS_LOST, found.always_lost),
        (notes.IDLE, found.idle),
    ):
        if places:
            told.append(about(text, _names(given, places)))
    if len(found.islands) > 1:
        listed = _listed(given, found.islands)
        told.append(Note(notes.APART, {"count": len(found.islands), "models": listed}))
    elif found.others:
        told.append(Note(notes.ONE_WAY, {"models": _listed(given, (found.ranked, *found.others))}))
    if not found.ranked:
        told.append(Note(notes.NOBODY_RANKED))
    elif len(found.ranked) < len(given.names):
        told.append(about(notes.RANKED, _names(given, found.ranked)))
        told += [about(notes.RANKED_TOO, _names(given, group)) for group in found.others]
    return told


def _listed(given: Battles, sets: Sequence[Sequence[int]]) -> str:
    return "; ".join(", ".join(_names(given, places)) for places in sets)


def _names(given: Battles, places: Sequence[int]) -> list[str]:
    return sorted(given.names[place] for place in places)
