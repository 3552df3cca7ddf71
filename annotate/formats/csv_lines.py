"""The physical lines that a CSV parser asks for, counted, so that records have a line number and a size limit."""

import io

_PIECE_BYTES = 64 * 1024


class RecordTooLong(Exception):
    """The record that was being read is longer than the limit; the next line begins another one."""


class CsvLines:
    r"""Iterates over lines as texts; only "\n" ends a line. Bytes that are not UTF-8 become half surrogates.

    first: number of the line where the record now being read starts.
    """

    def __init__(self, content: io.BufferedReader, limit: int) -> None:
        self._content = content
        self._limit = limit
        self._line = 0
        self.begin_record()

    def begin_record(self) -> None:
        self.first = self._line + 1
        self._size = self._quotes = 0

    def __iter__(self) -> "CsvLines":
        return self

    def __next__(self) -> str:
        line = self._count(self._content.readline(self._limit - self._size + 1))
        if not line:
            raise StopIteration
        if self._size > self._limit:
            self._skip_record(line)
            raise RecordTooLong
        return line.decode(errors="surrogateescape")

    def _count(self, piece: bytes) -> bytes:
        self._size += len(piece)
        self._quotes += piece.count(b'"')
        self._line += piece.endswith(b"\n")
        return piece

    def _skip_record(self, piece: bytes) -> None:
        # An odd number of quotes so far means that the line break lies inside a cell.
        while piece and not (piece.endswith(b"\n") and self._quotes % 2 == 0):
            piece = self._count(self._content.readline(_PIECE_BYTES))
