"""How much room words take, as far as that can be told without the font that will set them."""

import unicodedata
from collections.abc import Sequence

SIZE = 12  # pixels; nothing is smaller
LINE = 14


def width(words: str, size: int = SIZE) -> float:
    """In pixels, rather too wide than too narrow: a Chinese character is a square, a Latin letter a bit over half."""
    return sum(size if unicodedata.east_asian_width(one) in "WF" else size * 0.58 for one in words)


def wrapped(words: str, most: float, lines: int = 2) -> Sequence[str]:
    """The words in so many lines at most, each at most so many pixels wide; what does not fit is an ellipsis."""
    made = [""]
    for piece in _pieces(words):
        longer = made[-1] + piece
        if made[-1] and width(longer.rstrip()) > most:
            made.append(piece)
        else:
            made[-1] = longer
    kept = [line.strip() for line in made]
    if len(kept) > lines:
        kept = [*kept[: lines - 1], " ".join(kept[lines - 1 :])]
    return [cut(line, most) for line in kept]


def cut(words: str, most: float) -> str:
    """The words, or their beginning with an ellipsis where they are wider than most pixels."""
    if width(words) <= most:
        return words
    kept = words
    while kept and width(kept) + SIZE > most:
        kept = kept[:-1]
    return kept.rstrip("… ") + "…"


def _pieces(words: str) -> list[str]:
    """What a line may be broken between: Latin words, single wide characters."""
    pieces = [""]
    for one in words:
        if unicodedata.east_asian_width(one) in "WF":
            pieces.append(one)
        elif one.isspace() or one == "-":
            pieces[-1] += one
            pieces.append("")
        else:
            pieces[-1] += one
    return [piece for piece in pieces if piece]
