"""Plain and gzip files as one stream of bytes that stops at the limits and names damage."""

import gzip
import io
import zlib
from dataclasses import dataclass
from typing import BinaryIO

from lib.texts.said import say as _

GZIP_MAGIC = b"\x1f\x8b"
MIB = 1024 * 1024


class Unreadable(Exception):
    """The whole file, or the rest of it, cannot be read; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a file is read.

    file_bytes: after unpacking. line_bytes: one line, array element or CSV record; where a single emoji makes Python
    use four bytes for each character, reading one takes eight times as much memory.
    ratio: unpacked to packed bytes, looked at once more than ratio_from_bytes came out, so that a small file of
    nearly equal rows passes and a bomb does not.
    """

    file_bytes: int = 2048 * MIB
    line_bytes: int = 8 * MIB
    ratio: int = 200
    ratio_from_bytes: int = 256 * MIB


class Unpacked(io.RawIOBase):
    """The content of `file`, whether packed or not: the first bytes decide, never the name. Raises Unreadable."""

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        magic = file.read(len(GZIP_MAGIC))
        file.seek(0)
        self._file = file
        self._packed = magic == GZIP_MAGIC
        self._content = gzip.GzipFile(fileobj=file) if self._packed else file
        self._limits = limits
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        self._count += len(data)
        self._refuse_too_much()
        return len(data)

    def _read(self, most: int) -> bytes:
        try:
            return self._content.read1(most)  # type: ignore[union-attr]
        except EOFError:
            raise Unreadable(_("The gzip file is cut off. Copy or download it again.")) from None
        except (gzip.BadGzipFile, zlib.error):
            raise Unreadable(_("The gzip file is damaged. Copy or download it again.")) from None
        except OSError as error:
            raise Unreadable(_("The file cannot be read on: %(cause)s.") % {"cause": error.strerror}) from None

    def _refuse_too_much(self) -> None:
        if self._count > self._limits.file_bytes:
            message = _("The file holds more than %(limit)s MiB. Split it into smaller ones.")
            raise Unreadable(message % {"limit": self._limits.file_bytes // MIB})
        if self._packed and self._count > self._limits.ratio_from_bytes and self._is_a_bomb():
            message = _("The gzip file unpacks to more than %(ratio)s times its size. Unpack it yourself to import it.")
            raise Unreadable(message % {"ratio": self._limits.ratio})

    def _is_a_bomb(self) -> bool:
        return self._count > self._limits.ratio * self._file.tell()
