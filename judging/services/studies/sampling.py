"""A stratified random sample that follows from its seed. Pure."""

import random
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def allocate(sizes: Mapping[str, int], wanted: int) -> dict[str, int]:
    """How many of `wanted` each stratum gets: its share by size, whole numbers by the largest remainder.

    sizes: stratum -> how many there are. The shares add up to the smaller of wanted and all there are; none is larger
    than its stratum. Of equal remainders the larger stratum, then the earlier name, is served first.
    """
    total = sum(sizes.values())
    wanted = min(wanted, total)
    if wanted <= 0:
        return dict.fromkeys(sizes, 0)
    exact = {name: Fraction(wanted * size, total) for name, size in sizes.items()}
    given = {name: int(share) for name, share in exact.items()}
    order = sorted(sizes, key=lambda name: (given[name] - exact[name], -sizes[name], name))
    for name in order[: wanted - sum(given.values())]:
        given[name] += 1
    return given


def stratified(units: Sequence[tuple[T, str]], wanted: int, seed: int) -> list[T]:
    """Which units are drawn, in the order in which they stand. units: (unit, stratum).

    The same units in the same order and the same seed give the same sample; what one stratum gives does not depend on
    what stands in the others beyond how many each is to give.
    """
    strata: dict[str, list[T]] = defaultdict(list)
    for unit, stratum in units:
        strata[stratum].append(unit)
    shares = allocate({name: len(members) for name, members in strata.items()}, wanted)
    drawn = {
        unit for name, members in strata.items() for unit in chance(seed, "items", name).sample(members, shares[name])
    }
    return [unit for unit, _stratum in units if unit in drawn]


def chance(seed: int, *what: object) -> random.Random:
    """The chance that decides one thing of a draw; of another thing it says nothing."""
    return random.Random("/".join(map(str, (seed, *what))))  # noqa: S311 - a draw that can be repeated, not a secret
