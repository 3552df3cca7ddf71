"""The file to read: plain or gzip bytes in UTF-8, without byte order mark, with size limits and named errors."""

import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.utils.translation import gettext_lazy

from lib.texts.stored_sentences import say as _

GZIP_MAGIC = b"\x1f\x8b"
MIB = 1024 * 1024


class Unreadable(Exception):
    """The whole file, or the rest of it, cannot be read; the text says why and how to fix it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Size limits of a file.

    file_bytes: after unpacking. line_bytes: one line, array element or CSV record; if it contains a single emoji,
    Python uses four bytes for each character, and reading it takes eight times as much memory. ratio: unpacked to
    packed bytes, checked once more than ratio_from_bytes were unpacked, so that a small file of nearly equal rows
    passes and a decompression bomb does not.
    """

    file_bytes: int = 2048 * MIB
    line_bytes: int = 8 * MIB
    ratio: int = 200
    ratio_from_bytes: int = 256 * MIB


class Unpacked(io.RawIOBase):
    """The content of `file`, packed or not: its first bytes decide, never its name. Raises Unreadable."""

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
            raise Unreadable(_("The gzip file is incomplete. Copy or download it again.")) from None
        except (gzip.BadGzipFile, zlib.error):
            raise Unreadable(_("The gzip file is damaged. Copy or download it again.")) from None
        except OSError as error:
            raise Unreadable(_("The rest of the file cannot be read: %(cause)s.") % {"cause": error.strerror}) from None

    def _refuse_too_much(self) -> None:
        if self._count > self._limits.file_bytes:
            message = _("The file is larger than %(limit)s MiB. Split it into smaller ones.")
            raise Unreadable(message % {"limit": self._limits.file_bytes // MIB})
        if self._packed and self._count > self._limits.ratio_from_bytes and self._is_a_bomb():
            message = _("The gzip file unpacks to more than %(ratio)s times its size. Unpack it yourself to import it.")
            raise Unreadable(message % {"ratio": self._limits.ratio})

    def _is_a_bomb(self) -> bool:
        return self._count > self._limits.ratio * self._file.tell()


# Foreign files: files that are not UTF-8 text are detected by their first bytes and refused with a fix.


_ZIP = gettext_lazy("This is a zip archive or an Excel file. Unpack it and import the files inside, or save it as CSV.")
_PACKED = gettext_lazy("The compression of this file is not supported. Unpack it, or compress it once with gzip.")
_UTF_16 = gettext_lazy("The text is in UTF-16 or UTF-32. Save the file as UTF-8.")
_BINARY = gettext_lazy("This is a binary file, not text. Export the data as JSONL, JSON or CSV.")
_PARQUET = gettext_lazy("This is a Parquet file. Choose the format Parquet, or let the name end with .parquet.")
_PICTURE = gettext_lazy("This is a picture, not text. Export the data as JSONL, JSON or CSV.")

_KNOWN = {
    b"PK\x03\x04": _ZIP,
    b"PK\x05\x06": _ZIP,
    GZIP_MAGIC: _PACKED,
    b"BZh": _PACKED,
    b"\xfd7zXZ": _PACKED,
    b"\x28\xb5\x2f\xfd": _PACKED,
    b"7z\xbc\xaf": _PACKED,
    b"\xff\xfe": _UTF_16,
    b"\xfe\xff": _UTF_16,
    b"\x00\x00\xfe\xff": _UTF_16,
    b"\xd0\xcf\x11\xe0": _BINARY,
    b"SQLite format 3\x00": _BINARY,
    b"PAR1": _PARQUET,
    b"%PDF": _BINARY,
    b"\x89PNG": _PICTURE,
    b"\xff\xd8\xff": _PICTURE,
    b"GIF8": _PICTURE,
}
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r"))
_LONGEST_CHARACTER = 4  # bytes in UTF-8


def refuse_foreign(head: bytes) -> None:
    """Raises Unreadable if `head`, the first bytes after unpacking, does not belong to UTF-8 text."""
    for magic, message in _KNOWN.items():
        if head.startswith(magic):
            raise Unreadable(str(message))
    if head[:64].count(0) > len(head[:64]) // 4:
        raise Unreadable(_("The file is full of NUL characters: it is binary, or UTF-16 text. Save it as UTF-8."))
    if head.translate(None, _CONTROLS) != head and not _is_utf_8(head):
        raise Unreadable(str(_BINARY))


def _is_utf_8(head: bytes) -> bool:
    """Whether it is UTF-8, except for a character that the cut may have split."""
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start > len(head) - _LONGEST_CHARACTER
    return True


BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BUFFER_BYTES = 256 * 1024
_HEAD_BYTES = 512


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its path, its name for people, and its size limits."""

    path: Path
    name: str
    limits: Limits

    @contextmanager
    def opened(self) -> Iterator[io.BufferedReader]:
        """The content from its first byte after a byte order mark. Raises Unreadable, also during reading."""
        head = self._head()
        refuse_foreign(head)
        with self._content() as content:
            if head.startswith(BYTE_ORDER_MARK):
                content.read(len(BYTE_ORDER_MARK))
            yield content

    def first_character(self) -> bytes:
        """The first byte that is not white space; empty when there is none."""
        with self.opened() as content:
            while piece := content.read(_BUFFER_BYTES):
                if text := piece.lstrip():
                    return text[:1]
        return b""

    def head_as_stored(self, most: int) -> bytes:
        """The first bytes of the file as it is, not unpacked. Raises Unreadable."""
        with _open_file(self.path) as file:
            return file.read(most)

    def size(self) -> int:
        """The bytes of the file as it is. Raises Unreadable."""
        with _open_file(self.path) as file:
            return os.fstat(file.fileno()).st_size

    def _head(self) -> bytes:
        with self._content() as content:
            head = content.read(_HEAD_BYTES)
        if not head.removeprefix(BYTE_ORDER_MARK):
            raise Unreadable(_("The file is empty."))
        return head

    @contextmanager
    def _content(self) -> Iterator[io.BufferedReader]:
        with _open_file(self.path) as file, Unpacked(file, self.limits) as unpacked:
            yield io.BufferedReader(unpacked, _BUFFER_BYTES)


def _open_file(path: Path) -> BinaryIO:
    try:
        _refuse_what_is_no_file(path.stat().st_mode)
        return path.open("rb")
    except FileNotFoundError:
        raise Unreadable(_("There is no such file. Check the path.")) from None
    except PermissionError:
        raise Unreadable(
            _("There is no permission to read the file. Give the account that runs this read access.")
        ) from None
    except OSError as error:
        raise Unreadable(_("The file cannot be opened: %(cause)s.") % {"cause": error.strerror}) from None
    except ValueError:
        raise Unreadable(_("This is not a possible file name.")) from None


def _refuse_what_is_no_file(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise Unreadable(_("This is a folder. Name the files inside it."))
    if not stat.S_ISREG(mode):
        raise Unreadable(_("This is not a regular file. Save the data to a file first."))
