"""A stratified random sample that follows from its seed. Pure."""

import random
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def allocate(sizes: Mapping[str, int], sample_size: int) -> dict[str, int]:
    """How many of `sample_size` each stratum gets: its share by size, whole numbers by the largest remainder.

    sizes: stratum -> how many there are. The shares add up to the smaller of wanted and all there are; none is larger
    than its stratum. Of equal remainders the larger stratum, then the earlier name, is served first.
    """
    total = sum(sizes.values())
    sample_size = min(sample_size, total)
    if sample_size <= 0:
        return dict.fromkeys(sizes, 0)
    exact = {name: Fraction(sample_size * size, total) for name, size in sizes.items()}
    quotas = {name: int(share) for name, share in exact.items()}
    order = sorted(sizes, key=lambda name: (quotas[name] - exact[name], -sizes[name], name))
    for name in order[: sample_size - sum(quotas.values())]:
        quotas[name] += 1
    return quotas


def stratified(units: Sequence[tuple[T, str]], sample_size: int, seed: int) -> list[T]:
    """Which units are drawn, in the order in which they stand. units: (unit, stratum).

    The same units in the same order and the same seed give the same sample; what one stratum gives does not depend on
    what stands in the others beyond how many each is to give.
    """
    strata: dict[str, list[T]] = defaultdict(list)
    for unit, stratum in units:
        strata[stratum].append(unit)
    shares = allocate({name: len(members) for name, members in strata.items()}, sample_size)
    sample = {
        unit for name, members in strata.items() for unit in chance(seed, "items", name).sample(members, shares[name])
    }
    return [unit for unit, _stratum in units if unit in sample]


def chance(seed: int, *key_parts: object) -> random.Random:
    """The chance that decides one thing of a draw; of another thing it says nothing."""
    return random.Random("/".join(map(str, (seed, *key_parts))))  # noqa: S311 - a draw that can be repeated, not a secret
