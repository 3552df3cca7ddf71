"""Battles made for tests."""

import numpy as np

from lib.stats.averages import Floats
from lib.stats.ranking.battles import Battles, battles, of_codes


def from_words(*words: str) -> Battles:
    """`a>b` a won on the left, `a<b` b won on the right, `a=b` a tie."""
    signs = {">": "left", "<": "right", "=": "tie"}
    return battles([word[0] for word in words], [word[2] for word in words], [signs[word[1]] for word in words])


def simulated(logs: Floats, count: int, seed: int, ties: float = 0.0) -> Battles:
    """Battles of models drawn at random, whose outcome is drawn as Bradley and Terry have it."""
    chance = np.random.default_rng(seed)
    models = len(logs)
    left = chance.integers(models, size=count)
    right = (left + chance.integers(1, models, size=count)) % models
    wins = chance.random(count) < 1 / (1 + np.exp(logs[right] - logs[left]))
    outcome = np.where(chance.random(count) < ties, 2, np.where(wins, 0, 1))
    return of_codes(left, right, outcome, [f"m{number}" for number in range(models)])
