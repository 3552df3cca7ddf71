"""Authorship: the author of each part of a text that several people or models edited. Pure."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import regex

from lib.texts.differences import compared

_GRAPHEME = regex.compile(r"\X")


class WrittenPart(NamedTuple):
    """A text, or a part of one, and its author."""

    by: str
    text: str


def attributed(versions: Sequence[WrittenPart]) -> list[WrittenPart]:
    """The last text cut into parts with the author of each; joined, the parts give the text again.

    versions: from the oldest to the final one; without versions, or with an empty last one, there are no parts. A part
    belongs to the earliest version that has it, by the differences that people are shown. So a part that was removed
    and put back belongs to its first author, and a text that equals an earlier version belongs to that version's
    author as a whole. Neighbouring parts of one author are joined.
    """
    if not versions:
        return []
    *earlier, final = versions
    owners: list[str | None] = [None] * len(final.text)
    for version in earlier:
        _claim(owners, version, final.text)
    letters = zip((final.by if owner is None else owner for owner in owners), final.text, strict=True)
    return [
        WrittenPart(by, "".join(letter for _, letter in part))
        for by, part in groupby(letters, key=lambda pair: pair[0])
    ]


def _claim(owners: list[str | None], version: WrittenPart, text: str) -> None:
    """Assign the parts that are in this version and in no earlier one."""
    offset = 0
    for op, piece in compared(version.text, text).pieces:
        if op == "removed":
            continue
        end = offset + len(piece)
        if op == "same":
            owners[offset:end] = [version.by if owner is None else owner for owner in owners[offset:end]]
        offset = end


def characters(parts: Iterable[WrittenPart]) -> dict[str, int]:
    """author -> number of their characters, without blanks."""
    counted: dict[str, int] = {}
    for part in parts:
        counted[part.by] = counted.get(part.by, 0) + inked(part.text)
    return counted


@lru_cache(maxsize=1024)
def inked(text: str) -> int:
    """The characters of a text as people see them, without blanks: an emoji or an accented letter counts once."""
    if text.isascii():
        return len("".join(text.split()))
    return sum(not grapheme.isspace() for grapheme in _GRAPHEME.findall(text))


def shares(counted: dict[str, int], decimals: int = 3) -> dict[str, float] | None:
    """The counts as shares of the whole, rounded so that they add up to exactly 1; None for an empty text.

    Largest-remainder method: the rest after rounding down goes to those with the largest remainders.
    """
    total, units = sum(counted.values()), 10**decimals
    if not total:
        return None
    exact = {by: divmod(count * units, total) for by, count in counted.items()}
    leftover = units - sum(whole for whole, _rest in exact.values())
    most = sorted(exact, key=lambda by: -exact[by][1])[:leftover]
    return {by: (whole + (by in most)) / units for by, (whole, _rest) in exact.items()}
