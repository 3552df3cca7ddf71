"""Designs that are settled before the first vote: at random, or every pair of authors and every group equally often."""

import random
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that could be asked. shown: the authors whose answers it shows, in any order."""

    item: Hashable
    stratum: str
    shown: frozenset[Hashable]


def at_random(candidates: Sequence[Candidate], count: int, chance: random.Random, per_item: int = 0) -> list[int]:
    """Places of a simple random sample without replacement, ascending; all where there are no more than wanted.

    per_item: most of one item; chance decides which. 0: any number, so that an item can be asked about with every pair.
    """
    if not per_item:
        return sorted(chance.sample(range(len(candidates)), min(count, len(candidates))))
    by_item, positions = Counter[Hashable](), list[int]()
    for position in chance.sample(range(len(candidates)), len(candidates)):
        if len(positions) < count and by_item[candidates[position].item] < per_item:
            by_item[candidates[position].item] += 1
            positions.append(position)
    return sorted(positions)


def balanced(candidates: Sequence[Candidate], count: int, chance: random.Random) -> list[int]:
    """Places, ascending, of as many that serve every set of authors alike, within it every group, and items in turn.

    One after the other, always of the authors asked about least so far; among their groups the one with which they have
    been asked least, then the one asked least at all; within it an item used least. Chance decides between equals. So
    the numbers of two sets of authors, and of two groups of one set, differ by at most one while there is enough of
    each.
    """
    cells: dict[tuple[frozenset[Hashable], str], list[int]] = {}
    for position in chance.sample(range(len(candidates)), len(candidates)):
        cells.setdefault((candidates[position].shown, candidates[position].stratum), []).append(position)
    by_set, by_cell, by_stratum, by_item = Counter[Hashable](), Counter[Hashable](), Counter[str](), Counter[Hashable]()

    def rank(cell: tuple[frozenset[Hashable], str]) -> tuple[int, int, int, float]:
        return by_set[cell[0]], by_cell[cell], by_stratum[cell[1]], chance.random()

    heap = [(rank(cell), number) for number, cell in enumerate(cells)]
    names, positions = list(cells), list[int]()
    heapify(heap)
    while heap and len(positions) < count:
        old_rank, number = heappop(heap)
        cell = names[number]
        now = rank(cell)
        if now[:3] > old_rank[:3]:  # ranks only grow: what stands first and is still right is the smallest
            heappush(heap, (now, number))
            continue
        position = min(cells[cell], key=lambda index: by_item[candidates[index].item])
        cells[cell].remove(position)
        positions.append(position)
        for counts, key in (
            (by_set, cell[0]),
            (by_cell, cell),
            (by_stratum, cell[1]),
            (by_item, candidates[position].item),
        ):
            counts[key] += 1  # type: ignore[index]
        if cells[cell]:
            heappush(heap, (rank(cell), number))
    return sorted(positions)
