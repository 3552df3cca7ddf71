"""Authorship: the author of each part of a text that several people or models edited. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import regex

from lib.texts.differences import pieces_between

_GRAPHEME = regex.compile(r"\X")
# Latin letters, punctuation, kana, Han and full-width forms: none of these joins another one to a grapheme.
_SINGLE = re.compile(
    r"[\0-\x7e\xa0-\u02ff\u2010-\u2027\u3000-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u9fff\uff01-\uff9d]*+"
)


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
    if not versions or not versions[-1].text:
        return []
    if len(versions) == 1:
        return [*versions]
    *earlier, final = versions
    stretches: list[Stretch] = [(None, len(final.text))]
    for version in earlier:
        stretches = _claimed(stretches, version, final.text)
    return list(_written_parts(stretches, final))


Stretch = tuple[str | None, int]  # the author of a part of the text, None as long as nobody has it; where the part ends


def _claimed(stretches: Sequence[Stretch], version: WrittenPart, text: str) -> list[Stretch]:
    """The stretches once this version has those parts that are in it and in no earlier one."""
    claimed: list[Stretch] = []
    remaining, offset, end = iter(stretches), 0, 0
    owner: str | None = None
    for op, piece in pieces_between(version.text, text):
        piece_end = offset + len(piece) * (op != "removed")
        while offset < piece_end:
            if offset == end:
                owner, end = next(remaining)
            offset = min(end, piece_end)
            claimed.append((version.by if owner is None and op == "same" else owner, offset))
    return claimed


def _written_parts(stretches: Sequence[Stretch], final: WrittenPart) -> Iterator[WrittenPart]:
    """Neighbouring parts of one author are one."""
    offset = 0
    for by, part in groupby(stretches, key=lambda stretch: final.by if stretch[0] is None else stretch[0]):
        end = max(end for _owner, end in part)
        yield WrittenPart(by, final.text[offset:end])
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
    if text.isascii() or _SINGLE.fullmatch(text):
        return len("".join(text.split()))
    return sum(not grapheme.isspace() for grapheme in _GRAPHEME.findall(text))


def shares(counted: dict[str, int], decimals: int = 3) -> dict[str, float] | None:
    """The counts as shares of the whole, rounded so that they add up to exactly 1; None for an empty text.

    Largest-remainder method: the rest after rounding down goes to those with the largest remainders.
    """
    total, units = sum(counted.values()), 10**decimals
    if not total:
        return None
    if total in counted.values():  # one of them has it all, as in most texts
        return {by: 1.0 if count else 0.0 for by, count in counted.items()}
    exact = {by: divmod(count * units, total) for by, count in counted.items()}
    leftover = units - sum(whole for whole, _rest in exact.values())
    most = sorted(exact, key=lambda by: -exact[by][1])[:leftover]
    return {by: (whole + (by in most)) / units for by, (whole, _rest) in exact.items()}
