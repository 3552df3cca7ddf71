"""Whether two judges differ on the same pairs, one cell or many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb


@dataclass(frozen=True)
class Compared:
    """Pairs on which exactly one of two judges was right. n: pairs that both have judged. p: exact, two-sided."""

    only_first: int
    only_second: int
    n: int
    p: float


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> Compared:
    """The exact test on paired yes/no outcomes: (pairs,) each, in the same order; leave out what one of them lacks.

    p: of a split of the discordant pairs at least so uneven if both were equal, two-sided, doubled and at most 1; 1.0
    where no pair is discordant. Source: McNemar (Psychometrika, 1947), in its binomial form.
    """
    if len(first) != len(second):
        raise ValueError("outcomes of the same pairs are needed from both")
    only_first = sum(one and not other for one, other in zip(first, second, strict=True))
    only_second = sum(other and not one for one, other in zip(first, second, strict=True))
    return Compared(only_first, only_second, len(first), _two_sided(only_first, only_second))


def _two_sided(one: int, other: int) -> float:
    """In whole numbers until the end, so that no split is too uneven to be told from 0."""
    n = one + other
    tail = sum(comb(n, k) for k in range(min(one, other) + 1))
    return min(2 * tail / 2**n, 1.0)


def holm(values: Sequence[float]) -> list[float]:
    """p-values adjusted so that the chance of any false alarm among all of them stays what it is for one.

    In their order, 0..1; the i-th smallest (from 0) times (n - i), never less than the one before it.
    Source: Holm (Scandinavian Journal of Statistics, 1979).
    """
    adjusted, highest = [0.0] * len(values), 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(values[place] * (len(values) - rank), 1.0))
        adjusted[place] = highest
    return adjusted
