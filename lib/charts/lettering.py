"""How much room words take, as far as that can be told without the font that will set them."""

import unicodedata
from collections.abc import Sequence

SIZE = 12  # pixels; nothing is smaller
LINE = 14


def width(words: str, size: int = SIZE) -> float:
    """In pixels, rather too wide than too narrow: a Chinese character is a square, a Latin letter a bit over half."""
    return sum(size if unicodedata.east_asian_width(character) in "WF" else size * 0.58 for character in words)


def wrapped(words: str, most: float, lines: int = 2) -> Sequence[str]:
    """The words in so many lines at most, each at most so many pixels wide; what does not fit is an ellipsis."""
    raw_lines = [""]
    for piece in _pieces(words):
        longer = raw_lines[-1] + piece
        if raw_lines[-1] and width(longer.rstrip()) > most:
            raw_lines.append(piece)
        else:
            raw_lines[-1] = longer
    clean_lines = [line.strip() for line in raw_lines]
    if len(clean_lines) > lines:
        clean_lines = [*clean_lines[: lines - 1], " ".join(clean_lines[lines - 1 :])]
    return [cut(line, most) for line in clean_lines]


def cut(words: str, most: float) -> str:
    """The words, or their beginning with an ellipsis where they are wider than most pixels."""
    if width(words) <= most:
        return words
    beginning = words
    while beginning and width(beginning) + SIZE > most:
        beginning = beginning[:-1]
    return beginning.rstrip("… ") + "…"


def _pieces(words: str) -> list[str]:
    """What a line may be broken between: Latin words, single wide characters."""
    pieces = [""]
    for character in words:
        if unicodedata.east_asian_width(character) in "WF":
            pieces.append(character)
        elif character.isspace() or character == "-":
            pieces[-1] += character
            pieces.append("")
        else:
            pieces[-1] += character
    return [piece for piece in pieces if piece]
