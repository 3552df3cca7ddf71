"""Physical lines of a byte stream."""

import io
from collections.abc import Iterator

_PIECE_BYTES = 64 * 1024


def numbered_lines(content: io.BufferedReader, limit: int) -> Iterator[tuple[int, bytes | None]]:
    r"""(number from 1, line) for each line; None in place of one longer than `limit` bytes, which is never held.

    Only "\n" ends a line: texts may hold "\r", U+2028 and the like.
    """
    number = 0
    while line := content.readline(limit + 1):
        number += 1
        if len(line) > limit and not line.endswith(b"\n"):
            _skip_line(content)
            yield number, None
        else:
            yield number, line


def _skip_line(content: io.BufferedReader) -> None:
    while (piece := content.readline(_PIECE_BYTES)) and not piece.endswith(b"\n"):
        pass
