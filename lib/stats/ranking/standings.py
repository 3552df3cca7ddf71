"""Standings: models from the strongest to the weakest, with bootstrap intervals, rank ranges and notes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib import progress
from lib.stats.averages import Flags, Floats
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.bootstrap import LEVEL as BOOTSTRAP_LEVEL
from lib.stats.figures import gettext_noop
from lib.stats.ranking.battles import BattleClusters, Battles, Counts, Groups, are_connected, groups
from lib.stats.ranking.strengths import NotSettled, halves, log_strengths, shares, with_ties

# Simultaneous confidence ranges of ranks, for all authors at once.
#
# A range is computed from differences between authors, not from overlaps of intervals: two intervals may overlap
# although the difference between the two authors is significant.


LEVEL = 0.95
TINY = 1e-12  # a spread below this means that the difference is equal in every draw


def rank_ranges(estimates: Floats, draws: Floats, level: float = LEVEL) -> NDArray[np.intp]:
    """(authors, 2): best and worst rank, 1 for the highest; with probability `level` all ranges hold together.

    estimates: (authors,) averages; draws: (authors, draws) the same over resampled items, paired by draw. Neither may
    hold NaN: leave out authors without an average. Two authors are told apart where |difference| exceeds
    critical × its spread over the draws; critical: the `level` quantile of the largest |deviation| / spread among all
    pairs in a draw (max-statistic). Best rank = 1 + those certainly above; worst = authors − those certainly below.

    Source: Mogstad, Romano, Shaikh, Wilhelm, "Inference for ranks" (Review of Economic Studies, 2024).
    """
    critical = _critical_value(estimates, draws, level)
    ranges = np.empty((len(estimates), 2), dtype=np.intp)
    for author, (difference, _deviation, spread) in enumerate(_pairs(estimates, draws)):
        certain = np.abs(difference) > np.maximum(critical * spread, TINY)
        ranges[author, 0] = 1 + np.count_nonzero(certain & (difference < 0))
        ranges[author, 1] = len(estimates) - np.count_nonzero(certain & (difference > 0))
    return ranges


def _critical_value(estimates: Floats, draws: Floats, level: float) -> float:
    largest = np.zeros(draws.shape[1])
    for _difference, deviation, spread in _pairs(estimates, draws):
        varies = spread > TINY
        if varies.any():
            largest = np.maximum(largest, (np.abs(deviation[varies]) / spread[varies, None]).max(axis=0))
    return float(np.quantile(largest, level)) if largest.size else 0.0


def _pairs(estimates: Floats, draws: Floats) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Of each author less every other: difference (authors,), deviations of the draws (authors, draws), spread."""
    for author in range(len(estimates)):
        difference = estimates[author] - estimates
        deviation = (draws[author] - draws) - difference[:, None]
        yield difference, deviation, np.sqrt((deviation**2).mean(axis=1))


# Notes to a ranking: sentences with names in them, which pages translate.


NO_BATTLES = gettext_noop("There are no battles to rank by.")
NOBODY_RANKED = gettext_noop(
    "No strength can be estimated: no two models have scored against each other, directly or through others."
)
ALWAYS_WON = gettext_noop("Won all their battles, so their strength cannot be estimated: %(models)s.")
ALWAYS_LOST = gettext_noop("Lost all their battles, so their strength cannot be estimated: %(models)s.")
IDLE = gettext_noop("No battles that count: %(models)s.")
APART = gettext_noop("The battles form %(count)d groups of models that never met and cannot be compared: %(models)s.")
RANKED = gettext_noop("Ranked against each other: %(models)s. Only battles between them count for their strengths.")
RANKED_TOO = gettext_noop("Another group can be ranked separately: %(models)s.")
ONE_WAY = gettext_noop(
    "Between groups of models, one side won everything; strengths exist only within a group: %(models)s."
)
HELPED = gettext_noop(
    "In %(count)d of %(of)d resamples a model won or lost everything; one tied battle, spread over all "
    "pairs, was added to each of them. With so few battles, intervals are rough."
)
NO_SPREAD = gettext_noop("All battles ended the same way, so resampling gives no interval.")
NO_TIES_TO_MODEL = gettext_noop(
    "Davidson's model cannot be fitted to so few ties or wins; each tie counts as half a win here."
)


@dataclass(frozen=True)
class Note:
    """text: a sentence to translate; values: what goes into it."""

    text: str
    values: Mapping[str, str | int] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text % self.values if self.values else self.text


def about(text: str, names: Iterable[str]) -> Note:
    return Note(text, {"models": ", ".join(names)})


# Bootstrap of strengths: exact, by the number of times that each outcome of each pair is drawn.
#
# The cost of a thousand resamples of a million battles depends on the number of pairs, not of battles.


AT_ONCE = 2_000_000  # numbers of the matrices that are held at once


def drawn_counts(all_battles: Battles, *, count: int, seed: int) -> tuple[Counts, Counts]:
    """(count, models, models) each: wins and ties of as many battles drawn with replacement.

    Where battles are known to be about the same items, as many items are drawn, each with all of its battles.
    """
    if all_battles.alike is not None:
        return _drawn_items(all_battles, all_battles.alike, count=count, seed=seed)
    first, second = np.triu_indices(len(all_battles.names), 1)
    cells = np.stack(
        [all_battles.wins[first, second], all_battles.wins[second, first], all_battles.ties[first, second]]
    )
    mask = cells > 0
    battles = int(cells.sum())
    times = np.random.default_rng(seed).multinomial(battles, cells[mask] / battles, size=count)
    resampled_cells = np.zeros((count, *cells.shape), dtype=np.int64)
    resampled_cells[:, mask] = times
    wins, ties = (
        np.zeros((count, len(all_battles.names), len(all_battles.names)), dtype=np.int64) for _each in range(2)
    )
    wins[:, first, second], wins[:, second, first] = resampled_cells[:, 0], resampled_cells[:, 1]
    ties[:, first, second] = ties[:, second, first] = resampled_cells[:, 2]
    return wins, ties


def _drawn_items(battles: Battles, alike: BattleClusters, *, count: int, seed: int) -> tuple[Counts, Counts]:
    chance, models = np.random.default_rng(seed), len(battles.names)
    counts = np.empty((count, 2, models, models), dtype=np.int64)
    some = max(1, AT_ONCE // max(alike.items, 2 * models**2))
    for start in range(0, count, some):
        part = slice(start, min(start + some, count))
        counts[part] = alike.drawn(models, count=part.stop - start, chance=chance)
    return counts[:, 0], counts[:, 1]


def drawn_logs(battles: Battles, logs: Floats, *, count: int, seed: int, davidson: bool = False) -> tuple[Floats, int]:
    """(count, models) logarithms of strengths in each draw, and the number of draws that needed an added tie.

    logs: those of all battles; davidson: ties by Davidson's model. In a draw in which a model happens to win or lose
    every battle, its strength is unbounded: there one tied battle, spread over all pairs that have met, is added, which
    makes the strength very large or very small.
    """
    met = battles.met > 0
    help_of_each = np.where(met, 1 / met.sum(), 0.0)
    resampled_logs = np.empty((count, len(battles.names)))
    helped = 0
    wins, ties = drawn_counts(battles, count=count, seed=seed)
    some = max(1, AT_ONCE // met.size)
    for start in range(0, count, some):
        progress.report(progress.RESAMPLING, start, count)
        tied = ties[start : start + some].astype(float)
        won = wins[start : start + some] + tied / 2
        alone = ~are_connected(won)
        won[alone] += help_of_each
        helped += int(alone.sum())
        tied[alone] += 2 * help_of_each
        resampled_logs[start : start + some] = (
            _by_davidson(won - tied / 2, tied, logs) if davidson else log_strengths(won, logs)
        )
    if battles.alike is not None:
        resampled_logs = logs + _widened(battles.alike.items, len(battles.names)) * (resampled_logs - logs)
    return resampled_logs, helped


def _widened(items: int, models: int) -> float:
    """Draws of few items vary too little, by as many as there are strengths to find; by how much, at most 2."""
    free = items - (models - 1)
    return 2.0 if free * 4 <= items else float(np.sqrt(items / free))


def _by_davidson(wins: Floats, ties: Floats, logs: Floats) -> Floats:
    """A draw whose tendency to tie has no bounds, such as one without a tie, has ties as half a win each."""
    fitted = np.empty(wins.shape[:2])
    for index, (won, tied) in enumerate(zip(wins, ties, strict=True)):
        try:
            fitted[index] = with_ties(won, tied, logs)[0]
        except NotSettled:
            fitted[index] = log_strengths(won + tied / 2, logs)
    return fitted


ELO, MIDDLE = 400 / np.log(10), 1000.0


@dataclass(frozen=True)
class RankedModel:
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
class RankingFit:
    """Of the ranked models: logs (models,) logarithms of strengths with mean 0; drawn (draws, models) the same of
    resampled battles; tendency: nu of Davidson's model, None where a tie is half a win of each."""

    names: tuple[str, ...]
    logs: Floats
    drawn: Floats
    tendency: float | None = None


@dataclass(frozen=True)
class ModelRanking:
    """standings: strongest first, then those without a strength. fit: None where nobody is ranked. others: further
    groups of models that can be ranked each by itself."""

    battles: Battles
    standings: Sequence[RankedModel]
    fit: RankingFit | None
    notes: Sequence[Note] = ()
    others: Sequence["ModelRanking"] = field(default=())


def ranking(battles: Battles, *, davidson: bool = False, count: int = DRAWS, seed: int = SEED) -> ModelRanking:
    """davidson: ties as an outcome of their own; otherwise each is half a win of both.

    Intervals resample battles as if they were independent; where it is known which battles are about the same item,
    items are resampled with all of their battles.
    """
    model_groups = groups(battles)
    remarks = _notes(battles, model_groups)
    if not model_groups.ranked:
        return ModelRanking(battles, _plain(battles), None, remarks)
    among = battles.among(model_groups.ranked)
    fit, helped = _fit(among, davidson=davidson, count=count, seed=seed)
    if helped:
        remarks.append(Note(HELPED, {"count": helped, "of": count}))
    if davidson and fit.tendency is None:
        remarks.append(Note(NO_TIES_TO_MODEL))
    if count and not _varies(fit).any():
        remarks.append(Note(NO_SPREAD))
    other_rankings = [
        ranking(battles.among(group), davidson=davidson, count=count, seed=seed) for group in model_groups.others
    ]
    return ModelRanking(battles, standings(battles, fit), fit, remarks, other_rankings)


def standings(battles: Battles, fit: RankingFit) -> list[RankedModel]:
    """battles: all battles, of models that the fit leaves out too."""
    bounds = _bounds(fit)
    plain = {standing.name: standing for standing in _plain(battles)}
    ranked = [replace(plain.pop(name), **bounds[index]) for index, name in enumerate(fit.names)]
    ranked.sort(
        key=lambda standing: (-round(standing.strength or 0, 12), standing.name)
    )  # equal ones differ by rounding
    return [*ranked, *plain.values()]


def _fit(battles: Battles, *, davidson: bool, count: int, seed: int) -> tuple[RankingFit, int]:
    logs, tendency = log_strengths(halves(battles)), None
    if davidson:
        with suppress(NotSettled):
            logs, tendency = with_ties(battles.wins.astype(float), battles.ties.astype(float), logs)
        davidson = tendency is not None
    resampled_logs, helped = drawn_logs(battles, logs, count=count, seed=seed, davidson=davidson)
    return RankingFit(battles.names, logs, resampled_logs, tendency), helped


def _plain(all_battles: Battles) -> list[RankedModel]:
    """Without strengths, by name."""
    columns = zip(
        all_battles.names,
        all_battles.met.sum(axis=1),
        all_battles.wins.sum(axis=1),
        all_battles.ties.sum(axis=1),
        strict=True,
    )
    return sorted(
        (RankedModel(name, int(battles), int(wins), int(ties)) for name, battles, wins, ties in columns),
        key=lambda standing: standing.name,
    )


def _varies(fit: RankingFit) -> Flags:
    spread: Floats = np.ptp(fit.drawn, axis=0) if len(fit.drawn) else np.zeros(len(fit.names))
    return np.asarray(spread > 1e-12, dtype=np.bool_)


def _bounds(fit: RankingFit) -> list[dict[str, Any]]:
    """For each ranked model the parts of its standing other than counts."""
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
    low, high = np.percentile(draws, [100 * (1 - BOOTSTRAP_LEVEL) / 2, 100 * (1 + BOOTSTRAP_LEVEL) / 2], axis=0)
    return np.stack([np.minimum(low, value), np.maximum(high, value)])


def _notes(battles: Battles, model_groups: Groups) -> list[Note]:
    """Why some are not ranked, and what can be ranked all the same."""
    if not battles.n:
        return [Note(NO_BATTLES)]
    remarks = []
    for text, indices in (
        (ALWAYS_WON, model_groups.always_won),
        (ALWAYS_LOST, model_groups.always_lost),
        (IDLE, model_groups.idle),
    ):
        if indices:
            remarks.append(about(text, _names(battles, indices)))
    if len(model_groups.islands) > 1:
        listed = _listed(battles, model_groups.islands)
        remarks.append(Note(APART, {"count": len(model_groups.islands), "models": listed}))
    elif model_groups.others:
        remarks.append(Note(ONE_WAY, {"models": _listed(battles, (model_groups.ranked, *model_groups.others))}))
    if not model_groups.ranked:
        remarks.append(Note(NOBODY_RANKED))
    elif len(model_groups.ranked) < len(battles.names):
        remarks.append(about(RANKED, _names(battles, model_groups.ranked)))
        remarks += [about(RANKED_TOO, _names(battles, group)) for group in model_groups.others]
    return remarks


def _listed(battles: Battles, sets: Sequence[Sequence[int]]) -> str:
    return "; ".join(", ".join(_names(battles, indices)) for indices in sets)


def _names(battles: Battles, indices: Sequence[int]) -> list[str]:
    return sorted(battles.names[index] for index in indices)
