"""How often the 95 % interval holds the true value: 2,000 studies of 200 units by three raters, with fixed seeds.

The first 200 of them are looked at with every commit. Either number may be about three standard errors off.

Each unit has a true category; a rater sees it through a table of how often one category is taken for another. What the
coefficients would be with endless units follows from these tables by the definitions, without the code under test.
"""

import numpy as np
import pytest

from lib.stats.agreement import Level, RatingTable, coefficients

UNITS, RATERS = 200, 3
NAMES = ("krippendorff_alpha", "cohen_kappa")
LONG = [pytest.mark.slow, pytest.mark.long]
STUDIES = [pytest.param(200, 4.6, id="200 studies"), pytest.param(2_000, 1.5, id="all", marks=LONG)]


class Crowd:
    """Raters who all err alike. share: of each true category; seen: (true, said)."""

    def __init__(self, share: list[float], seen: list[list[float]], level: Level) -> None:
        self.share, self.seen, self.level = np.array(share), np.array(seen), level
        self.names = tuple(map(str, range(UNITS))), tuple("abc")

    def study(self, chance: np.random.Generator) -> RatingTable:
        true = chance.choice(self.share.size, UNITS, p=self.share)
        said = chance.random((UNITS, RATERS, 1)) > np.cumsum(self.seen, axis=1)[true, None, :-1]
        return RatingTable(*self.names, said.sum(axis=2).astype(float), tuple(range(self.share.size)), self.level)

    def together(self) -> np.ndarray:
        """How often two raters say each two categories."""
        return np.einsum("t,ti,tj->ij", self.share, self.seen, self.seen)

    def kappa(self) -> float:
        by_chance = (self.together().sum(axis=0) ** 2).sum()
        return float((np.trace(self.together()) - by_chance) / (1 - by_chance))

    def alpha(self) -> float:
        """At nominal level the same as kappa, as all raters use the categories alike; above it by squared distances."""
        if self.level == "nominal":
            return self.kappa()
        places = np.arange(self.share.size)
        apart, said = np.subtract.outer(places, places) ** 2, self.together().sum(axis=0)
        return float(1 - (self.together() * apart).sum() / (said @ apart @ said))


CROWDS = {
    "three labels": Crowd([0.5, 0.3, 0.2], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]], "nominal"),
    "one label is rare": Crowd([0.9, 0.1], [[0.9, 0.1], [0.1, 0.9]], "nominal"),
    "scores": Crowd(
        [0.2, 0.3, 0.3, 0.2],
        [[0.7, 0.2, 0.1, 0], [0.2, 0.5, 0.2, 0.1], [0.1, 0.2, 0.5, 0.2], [0, 0.1, 0.2, 0.7]],
        "interval",
    ),
}


@pytest.mark.parametrize(("studies", "tolerance"), STUDIES)
@pytest.mark.parametrize(("crowd", "seed"), [(crowd, 100 + no) for no, crowd in enumerate(CROWDS.values())], ids=CROWDS)
def test_the_interval_holds_the_true_value_as_often_as_it_says(
    crowd: Crowd, seed: int, studies: int, tolerance: float
) -> None:
    chance = np.random.default_rng(seed)
    held = np.zeros(3)
    for number in range(studies):
        found = coefficients(crowd.study(chance), names=NAMES, seed=number)
        alpha, kappa = (found[name] for name in NAMES)
        intervals = [
            (crowd.alpha(), alpha.low, alpha.high),
            (crowd.kappa(), kappa.pairs[0].low, kappa.pairs[0].high),
            (crowd.kappa(), kappa.mean_low, kappa.mean_high),
        ]
        held += [low is not None and high is not None and low <= true <= high for true, low, high in intervals]
    covered = 100 * held / studies
    assert (np.abs(covered - 95) <= tolerance).all(), covered
