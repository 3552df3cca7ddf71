"""Who wrote which part of a text that went through several hands. Pure."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import regex

from lib.texts.differences import compared

_GRAPHEME = regex.compile(r"\X")


class Written(NamedTuple):
    """A text, or a part of one, and who wrote it."""

    by: str
    text: str


def attributed(versions: Sequence[Written]) -> list[Written]:
    """The last text cut into parts, each with whoever brought it in; joined they give the text again.

    versions: from the oldest to the one that counts; without any, or with an empty last one, there is no part.
    A part belongs to the earliest version that has it, by the differences that people are shown. So what somebody took
    out and another put back is its first author's, and a text that equals an earlier one is that one's as a whole.
    Neighbours of one author are one part.
    """
    if not versions:
        return []
    *earlier, final = versions
    owners: list[str | None] = [None] * len(final.text)
    for version in earlier:
        _claim(owners, version, final.text)
    letters = zip((final.by if owner is None else owner for owner in owners), final.text, strict=True)
    return [
        Written(by, "".join(letter for _, letter in part)) for by, part in groupby(letters, key=lambda pair: pair[0])
    ]


def _claim(owners: list[str | None], version: Written, text: str) -> None:
    """Marks what stands in this version too and in no earlier one."""
    offset = 0
    for op, piece in compared(version.text, text).pieces:
        if op == "removed":
            continue
        end = offset + len(piece)
        if op == "same":
            owners[offset:end] = [version.by if owner is None else owner for owner in owners[offset:end]]
        offset = end


def characters(parts: Iterable[Written]) -> dict[str, int]:
    """author -> how many characters are theirs, blanks aside."""
    counted: dict[str, int] = {}
    for part in parts:
        counted[part.by] = counted.get(part.by, 0) + inked(part.text)
    return counted


@lru_cache(maxsize=1024)
def inked(text: str) -> int:
    """The characters of a text, blanks aside, as people see them: an emoji or an accented letter counts once."""
    if text.isascii():
        return len("".join(text.split()))
    return sum(not grapheme.isspace() for grapheme in _GRAPHEME.findall(text))


def shares(counted: dict[str, int], decimals: int = 3) -> dict[str, float] | None:
    """The same as shares of the whole, rounded so that they add up to exactly 1; None where nothing was written.

    By largest remainder: what rounding leaves over goes to those who lost most by it.
    """
    total, units = sum(counted.values()), 10**decimals
    if not total:
        return None
    exact = {by: divmod(count * units, total) for by, count in counted.items()}
    leftover = units - sum(whole for whole, _rest in exact.values())
    most = sorted(exact, key=lambda by: -exact[by][1])[:leftover]
    return {by: (whole + (by in most)) / units for by, (whole, _rest) in exact.items()}
