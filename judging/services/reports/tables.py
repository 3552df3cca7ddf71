"""Tables of text for terminals."""

import unicodedata
from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns of equal width, the first `left` of them to the left and the others to the right."""
    widths = [max(map(width, column)) for column in zip(header, *rows, strict=True)]
    lines = [_line(row, widths, left) for row in [header, ["─" * column_width for column_width in widths], *rows]]
    return "\n".join(lines)


def width(text: str) -> int:
    """Places that it takes in a terminal: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _line(cells: Sequence[str], widths: Sequence[int], left: int) -> str:
    padded = [
        cell + " " * (wide - width(cell)) if index < left else " " * (wide - width(cell)) + cell
        for index, (cell, wide) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()
