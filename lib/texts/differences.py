"""What changed between two texts, in whole words (or CJK characters), for people to read."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from lib.texts.changes import Change, changes
from lib.texts.hunks import Hunk, changes_only
from lib.texts.pieces import Difference, Operation, Piece, counted, split
from lib.texts.smoothing import smooth
from lib.texts.tokens import tokens

__all__ = ["Difference", "Hunk", "Piece", "changes_only", "compared", "difference", "split"]

# Longer texts (in tokens, both together) are compared by lines, and beyond that as a whole.
MOST_UNITS = 60_000
SECONDS = 0.5

Part = tuple[Operation, Sequence[str]]


def difference(old: str, new: str, *, timeout: float = SECONDS) -> Difference:
    """How new differs from old.

    timeout in seconds bounds the search; a search cut short marks more than needed, never wrongly.
    """
    in_tokens = _in_tokens(old, new)
    left, right = in_tokens or _in_lines(old, new)
    edits = smooth(changes(left, right, timeout=timeout), left, right)
    parts = list(_parts(edits, left, right))
    pieces = [Piece(op, "".join(units)) for op, units in parts]
    return counted(pieces, [units for _op, units in parts] if in_tokens else None)


@lru_cache(maxsize=256)
def compared(old: str, new: str) -> Difference:
    """The same, remembered: a page and the checks behind it look at one difference several times."""
    return difference(old, new)


def _in_tokens(old: str, new: str) -> tuple[list[str], list[str]] | None:
    """The tokens of both texts; None of very long ones."""
    if len(old) + len(new) >= 8 * MOST_UNITS:
        return None
    units = tokens(old), tokens(new)
    return units if len(units[0]) + len(units[1]) <= MOST_UNITS else None


def _in_lines(old: str, new: str) -> tuple[list[str], list[str]]:
    """Lines (their ends are token ends too), or each text as one unit."""
    lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if len(lines[0]) + len(lines[1]) <= MOST_UNITS:
        return lines
    return [old], [new]


def _parts(edits: list[Change], old: Sequence[str], new: Sequence[str]) -> Iterator[Part]:
    """What stayed, went and came, in reading order; nothing that is empty."""
    offset = 0
    for change in edits:
        yield from _part("same", old[offset : change.old_start])
        yield from _part("removed", old[change.old_start : change.old_end])
        yield from _part("added", new[change.new_start : change.new_end])
        offset = change.old_end
    yield from _part("same", old[offset:])


def _part(op: Operation, units: Sequence[str]) -> Iterator[Part]:
    if units:
        yield op, units
