"""Makes raw changes readable: no crumbs of sameness between them, edges where a reader expects them."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from lib.texts.changes import Change

_SENTENCE_ENDS = frozenset(".!?。！？；;:：")


def smooth(changes: list[Change], old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """The same difference in fewer, better placed changes; every edge stays between two tokens."""
    return _slid(_without_crumbs(changes, _Weights(old, new)), old, new)


class _Weights:
    """How much text lies in a range: letters count, blanks do not, line breaks do (lines stay apart)."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.old = list(accumulate(map(_weight, old), initial=0))
        self.new = list(accumulate(map(_weight, new), initial=0))

    def changed(self, change: Change) -> int:
        removed = self.old[change.old_end] - self.old[change.old_start]
        added = self.new[change.new_end] - self.new[change.new_start]
        return max(removed, added)

    def shared(self, before: Change, after: Change) -> int:
        return self.old[after.old_start] - self.old[before.old_end]


@lru_cache(maxsize=8192)
def _weight(token: str) -> int:
    return len(token.strip()) + 2 * token.count("\n")


def _without_crumbs(changes: list[Change], weights: _Weights) -> list[Change]:
    """Joins neighbours that share less text than changes on either side of it.

    This is the rule of diff-match-patch's semantic clean-up. A join makes a larger change, which may
    swallow what stands before it; hence the inner loop.
    """
    merged_changes: list[Change] = []
    for change in changes:
        while merged_changes and _is_crumb(merged_changes[-1], change, weights):
            previous = merged_changes.pop()
            change = Change(previous.old_start, change.old_end, previous.new_start, change.new_end)
        merged_changes.append(change)
    return merged_changes


def _is_crumb(before: Change, after: Change, weights: _Weights) -> bool:
    smaller = min(weights.changed(before), weights.changed(after))
    return weights.shared(before, after) <= smaller


def _slid(changes: list[Change], old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """Moves each plain addition or removal to its most natural place among the equivalent ones."""
    placed: list[Change] = []
    for index, change in enumerate(changes):
        following = changes[index + 1] if index + 1 < len(changes) else None
        placed.append(_placed(change, placed[-1] if placed else None, following, old, new))
    return placed


def _placed(
    change: Change,
    before: Change | None,
    after: Change | None,
    old: Sequence[str],
    new: Sequence[str],
) -> Change:
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
    return Change(*(edge + shift for edge in change))


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
