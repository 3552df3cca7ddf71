"""Only the changed places of a difference, each with a little of the text around it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lib.texts.pieces import Difference, Piece
from lib.texts.tokens import is_word, tokens

CONTEXT = 6


@dataclass
class Hunk:
    """Some changes with their surroundings; cut_before and cut_after say that text was left out."""

    pieces: list[Piece] = field(default_factory=list)
    cut_before: bool = False
    cut_after: bool = False


def changes_only(difference: Difference, context: int = CONTEXT) -> list[Hunk]:
    """The changed places with up to `context` words (in CJK: characters) of the same text around each.

    Changes whose surroundings meet share a hunk. Without a change there is no hunk.
    """
    return list(_hunks(difference.pieces, context))


def _hunks(pieces: list[Piece], context: int) -> Iterator[Hunk]:
    hunk = Hunk()
    for index, piece in enumerate(pieces):
        if piece.op != "same":
            hunk.pieces.append(piece)
            continue
        head = _first_words(piece.text, context) if index else ""
        tail = _last_words(piece.text, context) if index + 1 < len(pieces) else ""
        if len(head) + len(tail) >= len(piece.text):
            hunk.pieces.append(piece)
            continue
        if index:
            yield Hunk([*hunk.pieces, *_same(head)], hunk.cut_before, cut_after=True)
        hunk = Hunk(list(_same(tail)), cut_before=True)
    if any(piece.op != "same" for piece in hunk.pieces):
        yield hunk


def _same(text: str) -> Iterator[Piece]:
    if text:
        yield Piece("same", text)


def _first_words(text: str, count: int) -> str:
    return "".join(_until_words(tokens(text), count))


def _last_words(text: str, count: int) -> str:
    return "".join([*_until_words(reversed(tokens(text)), count)][::-1])


def _until_words(units: Iterable[str], count: int) -> Iterator[str]:
    """Units up to and with the count-th word."""
    for unit in units:
        if count <= 0:
            return
        yield unit
        count -= is_word(unit)
