"""How far two answers agree, from 0 to 1: sets of labels, orders, and marked parts of texts.

Types of questions use it, so it needs no numpy: every process loads them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

MarkedPlace = tuple[str, int, int]  # text, start, end; the end is behind the last character


def masi_distance(left: frozenset[str], right: frozenset[str]) -> float:
    """0..1: 1 − Jaccard × monotonicity, which is 1 for equal sets, 2/3 for a subset, 1/3 for an overlap, else 0.

    Source: Passonneau, "Measuring Agreement on Set-valued Items" (LREC 2006).
    """
    if left == right:
        return 0.0
    both = left & right
    if not both:
        return 1.0
    monotonicity = 2 / 3 if both in (left, right) else 1 / 3
    return 1 - len(both) / len(left | right) * monotonicity


def kendall_distance(left: Sequence[float], right: Sequence[float]) -> float:
    """0..1: the share of pairs of things that two orders put the other way round; 0 for fewer than two things.

    left, right: the rank of each thing; equal ranks are a tie. A pair that only one of them ties counts a half.
    Without ties it is (1 − τ) / 2. Source: Fagin, Kumar, Mahdian, Sivakumar, Vee, "Comparing partial rankings" (SIAM
    Journal on Discrete Mathematics, 2006), K with p = 1/2. Raises ValueError for orders of different length.
    """
    if len(left) != len(right):
        raise ValueError(f"Two orders of the same things are needed, not of {len(left)} and of {len(right)} things.")
    pairs = list(combinations(zip(left, right, strict=True), 2))
    away = sum(abs(_order(one[0], other[0]) - _order(one[1], other[1])) / 2 for one, other in pairs)
    return away / len(pairs) if pairs else 0.0


def _order(first: float, other: float) -> int:
    return (first > other) - (first < other)


def marked_f1(left: Iterable[MarkedPlace], right: Iterable[MarkedPlace]) -> float:
    """2·|A∩B| / (|A|+|B|) of the characters that two answers mark; 1 where neither marks any.

    A character that several places of an answer cover counts once. As one pair of ratings of
    `lib.stats.agreement.spans.span_f1`, which leaves out pairs that mark nothing.
    """
    ours, theirs = _merged(left), _merged(right)
    marked = _size(ours) + _size(theirs)
    common = sum(_in_common(stretches, theirs.get(text, ())) for text, stretches in ours.items())
    return 2 * common / marked if marked else 1.0


Stretches = Sequence[tuple[int, int]]  # in order, none touches the next


def _merged(places: Iterable[MarkedPlace]) -> Mapping[str, Stretches]:
    """text -> what is marked of it."""
    merged: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for text, start, end in sorted(places):
        stretches = merged[text]
        if stretches and start <= stretches[-1][1]:
            stretches[-1] = stretches[-1][0], max(stretches[-1][1], end)
        else:
            stretches.append((start, end))
    return merged


def _size(marked: Mapping[str, Stretches]) -> int:
    return sum(end - start for stretches in marked.values() for start, end in stretches)


def _in_common(left: Stretches, right: Stretches) -> int:
    """Characters of both, in one walk over both."""
    common = one = other = 0
    while one < len(left) and other < len(right):
        common += max(0, min(left[one][1], right[other][1]) - max(left[one][0], right[other][0]))
        if left[one][1] <= right[other][1]:
            one += 1
        else:
            other += 1
    return common
