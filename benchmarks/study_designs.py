"""What designs of preference studies are worth: coverage and bias of differences of strengths, out of simulated votes.

python -m benchmarks.study_designs [--studies 1000] [--write docs/studies.md]

Seeds are fixed. A simulated study has five models and a budget of votes. With `alike` votes on one pair of answers go
together, as they do: each pair of answers has a quality of its own beside what its models are worth.
"""

import argparse
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from lib.stats.averages import Floats
from lib.stats.designs import PairCandidate, at_random, balanced, next_pairs, pairs_of
from lib.stats.ranking.battles import BattleClusters, Battles, are_connected
from lib.stats.ranking.standings import drawn_logs
from lib.stats.ranking.strengths import log_strengths

LOGS = np.array([1.0, 0.45, 0.2, -0.45, -1.2])
GROUPS, ITEMS, VOTES, WAVES, TIES, DRAWS, SEED = 4, 200, 400, 20, 0.1, 200, 20261122
NAMES = tuple(f"model {number}" for number in range(len(LOGS)))
FIRST, SECOND = pairs_of(len(LOGS))
Whole = NDArray[np.intp]
MARK = "<!-- simulated designs -->"


@dataclass(frozen=True)
class Setting:
    """overlap: people on each pair; alike: standard deviation of the log-odds between pairs of answers of two models;
    by_item: the interval draws pairs of answers with all their votes, instead of votes."""

    design: str
    overlap: int = 1
    alike: float = 0.0
    by_item: bool = False


@dataclass(frozen=True)
class Outcome:
    """Over all studies and pairs of models. coverage: share of 95 % intervals of a difference that hold the truth;
    bias, error: mean and root mean square of estimate - truth, in log-odds; near: error of the nearest two; least:
    fewest votes that a pair got on average."""

    setting: Setting
    coverage: float
    bias: float
    error: float
    near: float
    width: float
    least: float


def simulated(setting: Setting, studies: int = 1000, seed: int = SEED) -> Outcome:
    chance = np.random.default_rng([seed, *map(ord, setting.design), setting.overlap, round(10 * setting.alike)])
    asked = DESIGNS[setting.design](setting, studies, chance)
    return _measured(setting, asked)


# --- votes ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Votes:
    """(studies, pairs asked) each: number of the pair, votes for either side, and ties."""

    pair: Whole
    left: Whole
    right: Whole
    ties: Whole

    @property
    def won(self) -> Floats:
        """(studies, models, models) wins of the row over the column, a tie being a half."""
        return _table(self.pair, self.left + self.ties / 2, self.right + self.ties / 2)


def _answered(pair: Whole, setting: Setting, chance: np.random.Generator) -> Votes:
    """(…, asked) pairs -> what people say; ties are as likely whoever is better, and say nothing."""
    ahead = (LOGS[FIRST] - LOGS[SECOND])[pair] + setting.alike * chance.standard_normal(pair.shape)
    ties = chance.binomial(setting.overlap, TIES, pair.shape)
    left = chance.binomial(setting.overlap - ties, expit(ahead))
    return Votes(pair, left, setting.overlap - ties - left, ties)


def truth(alike: float) -> Floats:
    """Logarithms of strengths that Bradley-Terry gives for endless votes on all pairs alike: ties and what pairs of
    answers have of their own draw them together."""
    points, weights = np.polynomial.hermite_e.hermegauss(60)
    ahead = (LOGS[FIRST] - LOGS[SECOND])[:, None] + alike * points
    share = TIES / 2 + (1 - TIES) * (expit(ahead) @ weights) / weights.sum()
    return log_strengths(_table(np.arange(len(FIRST))[None], share[None], 1 - share[None]))[0]


def _table(pair: Whole, left: Floats, right: Floats) -> Floats:
    """(studies, models, models) wins of the row over the column."""
    won = np.zeros((len(pair), len(LOGS), len(LOGS)))
    study = np.arange(len(pair))[:, None]
    np.add.at(won, (study, FIRST[pair], SECOND[pair]), left)
    np.add.at(won, (study, SECOND[pair], FIRST[pair]), right)
    return won


# --- designs ----------------------------------------------------------------------------------------------------------
def _candidates() -> list[PairCandidate]:
    there = combinations(range(len(LOGS)), 2)
    return [PairCandidate(n, f"group {n % GROUPS}", frozenset(pair)) for pair in there for n in range(ITEMS)]


def _fixed(choose: Callable[..., list[int]]) -> Callable[[Setting, int, np.random.Generator], Votes]:
    def drawn(setting: Setting, studies: int, chance: np.random.Generator) -> Votes:
        there = _candidates()
        number = {frozenset(pair): n for n, pair in enumerate(zip(FIRST.tolist(), SECOND.tolist(), strict=True))}
        shown = np.array([number[one.shown] for one in there])  # type: ignore[index]
        seeds = chance.integers(2**32, size=studies)
        places = [choose(there, VOTES // setting.overlap, random.Random(int(seed))) for seed in seeds]
        return _answered(shown[np.array(places)], setting, chance)

    return drawn


def _adaptive(setting: Setting, studies: int, chance: np.random.Generator) -> Votes:
    """All studies beside each other, wave by wave; the first one asks about every pair alike."""
    asked = VOTES // setting.overlap
    wave = asked // WAVES
    first = np.tile(np.arange(len(FIRST)), (studies, -(-wave // len(FIRST))))
    said = [_answered(first, setting, chance)]
    left = asked - first.shape[1]
    while left > 0:
        won = np.sum([one.won for one in said], axis=0)
        count = min(wave, left)
        chosen = next_pairs(won, won + np.swapaxes(won, -1, -2), count, chance, each=setting.overlap)
        said.append(_answered(chosen, setting, chance))
        left -= count
    columns = [[one.pair, one.left, one.right, one.ties] for one in said]
    return Votes(*(np.concatenate(each, axis=1) for each in zip(*columns, strict=True)))


DESIGNS: dict[str, Callable[[Setting, int, np.random.Generator], Votes]] = {
    "random": _fixed(at_random),
    "balanced": _fixed(balanced),
    "adaptive": _adaptive,
}


# --- what comes of it -------------------------------------------------------------------------------------------------
def _measured(setting: Setting, said: Votes) -> Outcome:
    logs = log_strengths(_helped(said.won))
    difference = logs[:, FIRST] - logs[:, SECOND]
    true = truth(setting.alike)
    aimed = true[FIRST] - true[SECOND]
    low, high = _intervals(setting, said, logs)
    off = difference - aimed
    # Towards or away from zero: a design may make the better look better still.
    signed = off * np.sign(aimed)
    near = int(np.abs(aimed).argmin())
    met = np.stack([(said.pair == number).sum(axis=1) for number in range(len(FIRST))]) * setting.overlap
    return Outcome(
        setting,
        coverage=float(((low <= aimed) & (aimed <= high)).mean()),
        bias=float(signed.mean()),
        error=float(np.sqrt((off**2).mean())),
        near=float(np.sqrt((off[:, near] ** 2).mean())),
        width=float((high - low).mean()),
        least=float(met.mean(axis=1).min()),
    )


def _intervals(setting: Setting, said: Votes, logs: Floats) -> tuple[Floats, Floats]:
    """(studies, pairs) bounds, by the very code that rankings are made with."""
    bounds = []
    for study in range(len(logs)):
        given = _battles(setting, said, study)
        again, _helped_draws = drawn_logs(given, logs[study], count=DRAWS, seed=study)
        bounds.append(np.percentile(again[:, FIRST] - again[:, SECOND], [2.5, 97.5], axis=0))
    low, high = np.stack(bounds, axis=1)
    return low, high


def _battles(setting: Setting, said: Votes, study: int) -> Battles:
    pair = said.pair[study]
    votes = [side[study] for side in (said.left, said.right, said.ties)]
    wins, ties = (np.zeros((len(LOGS), len(LOGS)), dtype=np.int64) for _each in range(2))
    np.add.at(wins, (FIRST[pair], SECOND[pair]), votes[0])
    np.add.at(wins, (SECOND[pair], FIRST[pair]), votes[1])
    np.add.at(ties, (FIRST[pair], SECOND[pair]), votes[2])
    return Battles(NAMES, wins, ties + ties.T, alike=_alike(pair, votes) if setting.by_item else None)


def _alike(pair: Whole, votes: list[Whole]) -> BattleClusters:
    items = np.concatenate([np.repeat(np.arange(len(pair)), times) for times in votes])
    outcome = np.concatenate([np.full(times.sum(), number) for number, times in enumerate(votes)])
    return BattleClusters(items, FIRST[pair][items], SECOND[pair][items], outcome)


def _helped(won: Floats) -> Floats:
    """Where a draw leaves somebody without bounds: one tied battle over all pairs, as the product does."""
    alone = ~are_connected(won)
    others = 1 - np.eye(won.shape[-1])
    return won + alone[:, None, None] * others / others.sum()


# --- the page ---------------------------------------------------------------------------------------------------------
SETTINGS = (
    Setting("random"),
    Setting("balanced"),
    Setting("adaptive"),
    *(Setting(design, 4, 1.0, by_item) for design in DESIGNS for by_item in (False, True)),
)


def lines(studies: int) -> Iterator[str]:
    heads = ("Design", "People on a pair", "Answers of their own", "Intervals draw", "Coverage", "Bias", "Error",
             "Error of the nearest two", "Width", "Fewest votes of a pair")  # fmt: skip
    yield f"| {' | '.join(heads)} |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for setting in SETTINGS:
        one = simulated(setting, studies)
        drawn = "pairs of answers" if setting.by_item else "votes"
        yield (
            f"| {setting.design} | {setting.overlap} | {setting.alike or 'no'} | {drawn} | {100 * one.coverage:.1f} % |"
            f" {one.bias:+.3f} | {one.error:.3f} | {one.near:.3f} | {one.width:.2f} | {one.least:.0f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--write", type=Path, help="a page with two marks between which the table stands")
    said = parser.parse_args()
    table = "\n".join(lines(said.studies))
    print(table)
    if said.write:
        before, _old, after = said.write.read_text(encoding="utf-8").split(MARK)
        said.write.write_text(f"{before}{MARK}\n{table}\n{MARK}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
