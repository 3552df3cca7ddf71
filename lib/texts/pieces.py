"""A difference as data: pieces in reading order, with what can be counted about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from lib.texts.tokens import is_character, is_word, tokens

Operation = Literal["same", "added", "removed"]

# Below this share of common tokens nearly everything would be marked: two texts side by side read
# better. Very short texts are exempt, since "Yes" against "No" is clear when marked.
SAYS_NOTHING_BELOW = 0.25
SHORT = 12


class Piece(NamedTuple):
    op: Operation
    text: str


@dataclass(frozen=True)
class Difference:
    """Pieces in reading order; same + removed give the old text, same + added the new one.

    added, removed: words (in CJK: characters); in_characters: most of what both texts count are characters;
    shared: share of tokens in common, blanks aside, 0..1;
    says_nothing: the texts are too different for marks to help, show them side by side.
    """

    pieces: list[Piece]
    added: int
    removed: int
    in_characters: bool
    shared: float
    says_nothing: bool

    @property
    def changed(self) -> bool:
        return any(piece.op != "same" for piece in self.pieces)


def counted(pieces: list[Piece], cut: Sequence[Sequence[str]] | None = None) -> Difference:
    """The difference that these pieces make, with its numbers. cut: the tokens of each piece, where they are known."""
    words = dict.fromkeys(("same", "added", "removed"), 0)
    marks = dict.fromkeys(("same", "added", "removed"), 0)
    characters = 0
    for (op, _text), units in zip(pieces, cut or [tokens(piece.text) for piece in pieces], strict=True):
        inked = [token for token in units if not token.isspace()]
        marks[op] += len(inked)
        words[op] += sum(map(is_word, inked))
        characters += sum(map(is_character, inked))
    total = 2 * marks["same"] + marks["added"] + marks["removed"]
    shared = 2 * marks["same"] / total if total else 1.0
    one_sided = not (marks["same"] or (marks["added"] and marks["removed"]))
    return Difference(
        pieces=pieces,
        added=words["added"],
        removed=words["removed"],
        in_characters=2 * characters > sum(words.values()),
        shared=shared,
        says_nothing=shared < SAYS_NOTHING_BELOW and total >= SHORT and not one_sided,
    )


def split(difference: Difference) -> tuple[list[Piece], list[Piece]]:
    """The pieces of the old text and those of the new one, for two columns."""
    left = [piece for piece in difference.pieces if piece.op != "added"]
    right = [piece for piece in difference.pieces if piece.op != "removed"]
    return left, right
