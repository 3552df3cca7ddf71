"""Every wanted coefficient as a function of how often each pattern was drawn."""

from collections.abc import Collection, Mapping
from itertools import combinations
from typing import Protocol

import numpy as np

from lib.stats.agreement.alpha import MOST_AT_RATIO, Alpha
from lib.stats.agreement.crowd import Crowd
from lib.stats.agreement.intraclass import Intraclass
from lib.stats.agreement.names import OF_NUMBERS, OF_TWO
from lib.stats.agreement.pair import Pair
from lib.stats.agreement.patterns import Patterns, patterns
from lib.stats.agreement.table import Floats, Ratings

Key = tuple[str, int, int]  # name, left and right rater; -1, -1 for all of them
ALL = (-1, -1)


class Statistic(Protocol):
    def of(self, times: Floats) -> Mapping[str, Floats]:
        """(draws, patterns) -> name -> (draws,)."""
        ...


class Statistics:
    """What is asked of one table.

    found: its patterns. pairs: places of two raters -> their statistic; of raters who never meet too.
    """

    def __init__(self, table: Ratings, names: Collection[str]) -> None:
        self.table, self.wanted = table, frozenset(names)
        self.found: Patterns = patterns(table.codes, table.resampled)
        self.pairs: dict[tuple[int, int], Pair] = {}
        if self.wanted & set(OF_TWO):
            self.pairs = {raters: self.pair(*raters) for raters in combinations(range(len(table.raters)), 2)}
        self._all = self._of_all()

    def pair(self, left: int, right: int) -> Pair:
        table = self.table
        only_kappa = table.labelled or not self.wanted & OF_NUMBERS
        return Pair(self.found, left, right, table.numbers, scale(table), only_kappa=only_kappa)

    def _of_all(self) -> list[Statistic]:
        """Only what is wanted is counted."""
        table, rating_patterns = self.table, self.found
        result: list[Statistic] = []
        if self.wanted & {"percent", "fleiss_kappa", "gwet_ac", "brennan_prediger"}:
            result.append(Crowd(rating_patterns, scale(table), weighted=table.level != "nominal"))
        if "krippendorff_alpha" in self.wanted and not self.too_many_values:
            result.append(Alpha(rating_patterns, table.numbers, table.level))
        if self.wanted & {"icc", "icc_k"} and not table.labelled:
            result.append(Intraclass(rating_patterns, table.numbers))
        return result

    @property
    def too_many_values(self) -> bool:
        return self.table.level == "ratio" and len(self.table.categories) > MOST_AT_RATIO

    def of(self, times: Floats) -> dict[Key, Floats]:
        """(draws, patterns) -> (draws,) for every coefficient; NaN where undefined."""
        result: dict[Key, Floats] = {}
        for statistic in self._all:
            result |= {(name, *ALL): values for name, values in statistic.of(times).items()}
        for raters, pair in self.pairs.items():
            if pair.units:
                result |= {(name, *raters): values for name, values in pair.of(times).items()}
        return {key: values for key, values in result.items() if key[0] in self.wanted}


def scale(table: Ratings) -> Floats:
    """Where categories lie for quadratic weights: evenly, in order, below interval level; there as the numbers say."""
    return table.numbers if table.level in ("interval", "ratio") else np.arange(len(table.categories), dtype=float)
