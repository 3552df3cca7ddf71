"""Differences between two sequences of tokens: diff-match-patch, smoothing for readers, and a distance. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from typing import NamedTuple

import diff_match_patch

from lib.texts.tokens import tokens

try:
    import fast_diff_match_patch
except ImportError:  # an optional accelerator with the same answers
    fast_diff_match_patch = None

# Code points above the ASCII range without the surrogates: one stands for one distinct token.
_ALPHABET = (range(0x100, 0xD800), range(0xE000, 0x110000))
ALPHABET_SIZE = sum(map(len, _ALPHABET))
_OPERATION = {-1: "-", 0: "=", 1: "+"}

RawEngine = Callable[[str, str, float], Iterable[tuple[str, int]]]


class TokenChange(NamedTuple):
    """old[old_start:old_end] became new[new_start:new_end]; what lies between changes is the same."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def changes(old: Sequence[str], new: Sequence[str], *, timeout: float) -> list[TokenChange]:
    """The changes from old to new in order, none touching the next.

    timeout in seconds bounds the search; when it runs out the rest is one large change. So are
    sequences with nothing in common or with more distinct tokens than there are code points.
    """
    start, old_end, new_end = _unequal_middle(old, new)
    left, right = old[start:old_end], new[start:new_end]
    alphabet = set(chain(left, right))
    if len(alphabet) > ALPHABET_SIZE or not _overlap(left, right):
        whole = TokenChange(start, old_end, start, new_end)
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
    start = _common(old, new)
    tail = _common(old[: start - 1 if start else None : -1], new[: start - 1 if start else None : -1])
    return start, len(old) - tail, len(new) - tail


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """How many units both begin with."""
    count = 0
    for ours, theirs in zip(left, right, strict=False):
        if ours != theirs:
            break
        count += 1
    return count


def _overlap(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether one in fifty words could be shared: below that the search is long and finds noise."""
    both, shorter = set(left) & set(right), min(len(left), len(right))
    if 50 * sum(not token.isspace() for token in both) >= shorter:
        return bool(both)  # without counting how often each of them occurs
    common = Counter(left) & Counter(right)
    shared = sum(count for token, count in common.items() if not token.isspace())
    return shared * 50 >= shorter and bool(common)


def _spelled(tokens: Sequence[str], letters: dict[str, str]) -> str:
    return "".join(letters[token] for token in tokens)


def _ranges(raw: Iterable[tuple[str, int]], start: int) -> list[TokenChange]:
    ranges: list[TokenChange] = []
    old_at = new_at = old_from = new_from = start
    for operation, count in chain(raw, [("=", 0)]):
        if operation == "=":
            if (old_from, new_from) != (old_at, new_at):
                ranges.append(TokenChange(old_from, old_at, new_from, new_at))
            old_at, new_at = old_at + count, new_at + count
            old_from, new_from = old_at, new_at
        elif operation == "-":
            old_at += count
        else:
            new_at += count
    return ranges


# Smoothing: joins changes with only tiny equal parts between them, and moves edges to where a reader expects them.


_SENTENCE_ENDS = frozenset(".!?。！？；;:：")


def smooth(changes: list[TokenChange], old: Sequence[str], new: Sequence[str]) -> list[TokenChange]:
    """The same difference with fewer, better placed changes; every edge stays between two tokens."""
    joined = _without_crumbs(changes, _Weights(changes, old, new)) if len(changes) > 1 else changes
    return _slid(joined, old, new)


class _Weights:
    """The amount of text in a range: letters and line breaks count, blanks do not (so that lines stay apart).

    Only ranges between the first and the last change have one.
    """

    def __init__(self, changes: Sequence[TokenChange], old: Sequence[str], new: Sequence[str]) -> None:
        first, last = changes[0], changes[-1]
        self.old = [0] * first.old_start + _sums(old[first.old_start : last.old_end])
        self.new = [0] * first.new_start + _sums(new[first.new_start : last.new_end])

    def changed(self, change: TokenChange) -> int:
        removed = self.old[change.old_end] - self.old[change.old_start]
        added = self.new[change.new_end] - self.new[change.new_start]
        return max(removed, added)

    def shared(self, before: TokenChange, after: TokenChange) -> int:
        return self.old[after.old_start] - self.old[before.old_end]


def _sums(units: Sequence[str]) -> list[int]:
    return list(accumulate(map(_weight, units), initial=0))


@lru_cache(maxsize=8192)
def _weight(token: str) -> int:
    return len(token.strip()) + 2 * token.count("\n")


def _without_crumbs(changes: list[TokenChange], weights: _Weights) -> list[TokenChange]:
    """Joins neighbours that share less text than changes on either side of it.

    This is the rule of diff-match-patch's semantic clean-up. A join makes a larger change, which may
    swallow what stands before it; hence the inner loop.
    """
    merged_changes: list[TokenChange] = []
    for change in changes:
        while merged_changes and _is_crumb(merged_changes[-1], change, weights):
            previous = merged_changes.pop()
            change = TokenChange(previous.old_start, change.old_end, previous.new_start, change.new_end)
        merged_changes.append(change)
    return merged_changes


def _is_crumb(before: TokenChange, after: TokenChange, weights: _Weights) -> bool:
    smaller = min(weights.changed(before), weights.changed(after))
    return weights.shared(before, after) <= smaller


def _slid(changes: list[TokenChange], old: Sequence[str], new: Sequence[str]) -> list[TokenChange]:
    """Moves each pure addition or removal to the most natural of its equivalent places."""
    placed: list[TokenChange] = []
    for index, change in enumerate(changes):
        following = changes[index + 1] if index + 1 < len(changes) else None
        placed.append(_placed(change, placed[-1] if placed else None, following, old, new))
    return placed


def _placed(
    change: TokenChange,
    before: TokenChange | None,
    after: TokenChange | None,
    old: Sequence[str],
    new: Sequence[str],
) -> TokenChange:
    if change.old_start == change.old_end:
        low = before.new_end + 1 if before else 0
        high = after.new_start - 1 if after else len(new)
        shift = _best_shift(new, change.new_start, change.new_end, low, high)
    elif change.new_start == change.new_end:
        low = before.old_end + 1 if before else 0
        high = after.old_start - 1 if after else len(old)
        shift = _best_shift(old, change.old_start, change.old_end, low, high)
    else:
        return change
    return TokenChange(*(edge + shift for edge in change))


def _best_shift(text: Sequence[str], start: int, end: int, low: int, high: int) -> int:
    """How far to move text[start:end] within [low, high) so that both its edges fall well."""
    lowest = highest = start
    width = end - start
    while lowest > low and text[lowest - 1] == text[lowest - 1 + width]:
        lowest -= 1
    while highest + width < high and text[highest] == text[highest + width]:
        highest += 1
    positions = range(lowest, highest + 1)
    return (
        max(positions, key=lambda position: (_ease(text, position) + _ease(text, position + width), position)) - start
    )


def _ease(text: Sequence[str], position: int) -> int:
    """How natural a cut before text[at] is: 5 at either end, then line, sentence, blank, mark, word."""
    if position in (0, len(text)):
        return 5
    before, after = text[position - 1], text[position]
    if "\n" in before:
        return 4
    if before in _SENTENCE_ENDS or (before.isspace() and text[max(position - 2, 0)] in _SENTENCE_ENDS):
        return 3
    if before.isspace() or after.isspace():
        return 2
    return 0 if before.isalnum() and after.isalnum() else 1


# The distance of two texts, in the units in which differences are shown.


SECONDS = 0.2


def distance(old: str, new: str) -> float:
    """The share of the longer text that was rewritten: 0 (the same words) to 1 (nothing in common).

    Units are words, numbers and single CJK characters; blanks are left out. At every changed place the longer side
    counts, as in the Levenshtein distance along this alignment. The search for the best alignment is bounded, so the
    value is never below the Levenshtein distance.
    """
    left, right = ([token for token in tokens(text) if not token.isspace()] for text in (old, new))
    if left == right:
        return 0.0
    edits = changes(left, right, timeout=SECONDS)
    rewritten = sum(max(edit.old_end - edit.old_start, edit.new_end - edit.new_start) for edit in edits)
    return min(rewritten / max(len(left), len(right)), 1.0)
