"""What changed between two texts, in whole words (or CJK characters), for people to read."""

from collections.abc import Iterator, Sequence

from annotate.texts.changes import Change, changes
from annotate.texts.hunks import Hunk, changes_only
from annotate.texts.pieces import Difference, Operation, Piece, counted, split
from annotate.texts.smoothing import smooth
from annotate.texts.tokens import tokens

__all__ = ["Difference", "Hunk", "Piece", "changes_only", "difference", "split"]

# Longer texts (in tokens, both together) are compared by lines, and beyond that as a whole.
MOST_UNITS = 60_000
SECONDS = 0.5


def difference(old: str, new: str, *, timeout: float = SECONDS) -> Difference:
    """How new differs from old.

    timeout in seconds bounds the search; a search cut short marks more than needed, never wrongly.
    """
    left, right = _units(old, new)
    found = smooth(changes(left, right, timeout=timeout), left, right)
    return counted(list(_pieces(found, left, right)))


def _units(old: str, new: str) -> tuple[list[str], list[str]]:
    """Tokens; for very long texts lines (their ends are token ends too), or the text as one unit."""
    if len(old) + len(new) < 8 * MOST_UNITS:
        units = tokens(old), tokens(new)
        if len(units[0]) + len(units[1]) <= MOST_UNITS:
            return units
    lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if len(lines[0]) + len(lines[1]) <= MOST_UNITS:
        return lines
    return [old], [new]


def _pieces(found: list[Change], old: Sequence[str], new: Sequence[str]) -> Iterator[Piece]:
    at = 0
    for change in found:
        yield from _piece("same", old[at : change.old_start])
        yield from _piece("removed", old[change.old_start : change.old_end])
        yield from _piece("added", new[change.new_start : change.new_end])
        at = change.old_end
    yield from _piece("same", old[at:])


def _piece(op: Operation, units: Sequence[str]) -> Iterator[Piece]:
    if units:
        yield Piece(op, "".join(units))
