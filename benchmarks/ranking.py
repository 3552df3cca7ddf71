"""Bradley-Terry out of a million battles, and its bootstrap, beside evalica."""

import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

import evalica
import numpy as np
from evalica import Winner, _brzo
from numpy.typing import NDArray

from benchmarks.figures import Figure, at_most
from lib.stats.ranking.battles import Battles, battles, of_codes
from lib.stats.ranking.standings import drawn_logs
from lib.stats.ranking.strengths import halves, log_strengths, shares

ABOUT = (
    "Strengths of 100 models out of 1,000,000 battles, beside evalica: from lists of names and winners, and from "
    "integer codes (evalica's compiled function alone, without the names that its own functions add). And 100 "
    "resamples of the battles, beside drawing battles and calling evalica for each, extrapolated from three. Medians."
)
BATTLES, MODELS, CALLS, RESAMPLES, DRAWN = 1_000_000, 100, 7, 100, 3
WORDS, WINNERS = ("left", "right", "tie"), (Winner.X, Winner.Y, Winner.Draw)
Codes = NDArray[np.int64]


def measure() -> Iterator[Figure]:
    left, right, outcome = _fought()
    names = [f"model {number}" for number in range(MODELS)]
    lefts, rights = [names[place] for place in left], [names[place] for place in right]
    words, winners = [WORDS[each] for each in outcome], [WINNERS[each] for each in outcome]
    # One after the other in turn, so that a busy moment of the machine meets both.
    ours, theirs = _both(lambda: _fit(battles(lefts, rights, words)), partial(_evalica, lefts, rights, winners))
    yield from _pair("fit from names", ours, theirs, 0.5)
    codes = left.tolist(), right.tolist()
    ours, raw = _both(
        lambda: _fit(of_codes(left, right, outcome, names)), partial(_compiled, *codes, winners, [1.0] * BATTLES)
    )
    yield from _pair("fit from integer codes", ours, raw, 0.15)
    found = of_codes(left, right, outcome, names)
    ours = statistics.median(_seconds(partial(_resampled, found)) for _call in range(3))
    chance = np.random.default_rng(2)
    again = statistics.median(_seconds(partial(_once_more, chance, lefts, rights, winners)) for _call in range(DRAWN))
    yield from _pair("100 bootstraps", ours, again * RESAMPLES, 0.05)
    yield at_most("largest difference of the strengths", _difference(found, lefts, rights, winners), 1e-6)


def _fought() -> tuple[Codes, Codes, Codes]:
    """Left and right model and outcome; a fifth are ties, the others as Bradley and Terry have it."""
    chance = np.random.default_rng(20241121)
    logs = chance.normal(size=MODELS)
    left = chance.integers(MODELS, size=BATTLES)
    right = (left + chance.integers(1, MODELS, size=BATTLES)) % MODELS
    wins = chance.random(BATTLES) < 1 / (1 + np.exp(logs[right] - logs[left]))
    return left, right, np.where(chance.random(BATTLES) < 0.2, 2, np.where(wins, 0, 1))


def _fit(given: Battles) -> NDArray[np.float64]:
    return log_strengths(halves(given))


def _resampled(given: Battles) -> None:
    drawn_logs(given, _fit(given), count=RESAMPLES, seed=1)


def _evalica(lefts: list[str], rights: list[str], winners: list[Winner]) -> object:
    return evalica.bradley_terry(lefts, rights, winners)


def _compiled(left: list[int], right: list[int], winners: list[Winner], weights: list[float]) -> object:
    return _brzo.bradley_terry(
        xs=left, ys=right, winners=winners, weights=weights, total=MODELS, win_weight=1.0, tie_weight=0.5,
        tolerance=1e-6, limit=100,
    )  # fmt: skip


def _once_more(chance: np.random.Generator, lefts: list[str], rights: list[str], winners: list[Winner]) -> None:
    places = chance.integers(BATTLES, size=BATTLES).tolist()
    drawn = ([each[place] for place in places] for each in (lefts, rights, winners))
    evalica.bradley_terry(*drawn)


def _difference(found: Battles, lefts: list[str], rights: list[str], winners: list[Winner]) -> float:
    theirs = evalica.bradley_terry(lefts, rights, winners, tolerance=1e-12, limit=10_000).scores
    return float(np.abs(shares(_fit(found)) - (theirs / theirs.sum()).loc[list(found.names)].to_numpy()).max())


def _both(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    times = [(_seconds(ours), _seconds(theirs)) for _call in range(CALLS)]
    return statistics.median(one for one, _other in times), statistics.median(other for _one, other in times)


def _pair(name: str, ours: float, theirs: float, most: float) -> Iterator[Figure]:
    yield Figure(f"{name}: ours", round(ours, 4), unit="s")
    yield Figure(f"{name}: evalica", round(theirs, 4), unit="s")
    yield at_most(f"{name}: share of evalica's time", round(ours / theirs, 3), most)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
