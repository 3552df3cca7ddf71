"""Where two sequences of tokens differ: the raw answer of diff-match-patch, as ranges."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import diff_match_patch

try:
    import fast_diff_match_patch
except ImportError:  # an optional accelerator with the same answers
    fast_diff_match_patch = None

# Code points above the ASCII range without the surrogates: one stands for one distinct token.
_ALPHABET = (range(0x100, 0xD800), range(0xE000, 0x110000))
ALPHABET_SIZE = sum(map(len, _ALPHABET))
_OPERATION = {-1: "-", 0: "=", 1: "+"}

RawEngine = Callable[[str, str, float], Iterable[tuple[str, int]]]


class Change(NamedTuple):
    """old[old_start:old_end] became new[new_start:new_end]; what lies between changes is the same."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def changes(old: Sequence[str], new: Sequence[str], *, timeout: float) -> list[Change]:
    """The changes from old to new in order, none touching the next.

    timeout in seconds bounds the search; when it runs out the rest is one large change. So are
    sequences with nothing in common or with more distinct tokens than there are code points.
    """
    start, old_end, new_end = _unequal_middle(old, new)
    left, right = old[start:old_end], new[start:new_end]
    alphabet = set(chain(left, right))
    if len(alphabet) > ALPHABET_SIZE or not _overlap(left, right):
        whole = Change(start, old_end, start, new_end)
        return [whole] if left or right else []
    letters = dict(zip(alphabet, map(chr, chain(*_ALPHABET)), strict=False))
    raw = engine()(_spelled(left, letters), _spelled(right, letters), timeout)
    return _ranges(raw, start)


def engine() -> RawEngine:
    """The fast engine where it is installed, else the plain one."""
    return plain_engine if fast_diff_match_patch is None else fast_engine


def fast_engine(old: str, new: str, timeout: float) -> Iterable[tuple[str, int]]:
    return fast_diff_match_patch.diff(old, new, timelimit=timeout, checklines=False, cleanup="No", counts_only=True)


def plain_engine(old: str, new: str, timeout: float) -> Iterable[tuple[str, int]]:
    matcher = diff_match_patch.diff_match_patch()
    matcher.Diff_Timeout = timeout
    segments = matcher.diff_main(old, new, False)
    return [(_OPERATION[operation], len(text)) for operation, text in segments]


def _unequal_middle(old: Sequence[str], new: Sequence[str]) -> tuple[int, int, int]:
    """Where the common beginning ends, and where the common end begins in old and in new."""
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = next((i for i in range(shorter - start) if old[-1 - i] != new[-1 - i]), shorter - start)
    return start, len(old) - tail, len(new) - tail


def _overlap(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether one in fifty words could be shared: below that the search is long and finds noise."""
    common = Counter(left) & Counter(right)
    shared = sum(count for token, count in common.items() if not token.isspace())
    return shared * 50 >= min(len(left), len(right)) and bool(common)


def _spelled(tokens: Sequence[str], letters: dict[str, str]) -> str:
    return "".join(letters[token] for token in tokens)


def _ranges(raw: Iterable[tuple[str, int]], start: int) -> list[Change]:
    ranges: list[Change] = []
    old_at = new_at = old_from = new_from = start
    for operation, count in chain(raw, [("=", 0)]):
        if operation == "=":
            if (old_from, new_from) != (old_at, new_at):
                ranges.append(Change(old_from, old_at, new_from, new_at))
            old_at, new_at = old_at + count, new_at + count
            old_from, new_from = old_at, new_at
        elif operation == "-":
            old_at += count
        else:
            new_at += count
    return ranges
