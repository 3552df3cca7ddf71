"""A file to read from: checked, unpacked, without its byte order mark, and never more of it than the limits allow."""

import io
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from annotate.formats.containers import refuse_foreign
from annotate.formats.unpacking import Limits, Unpacked, Unreadable
from lib.texts.said import say as _

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BUFFER_BYTES = 256 * 1024
_HEAD_BYTES = 512


@dataclass(frozen=True, slots=True)
class Source:
    """One file: where it lies, what people call it, how much of it may be read."""

    path: Path
    name: str
    limits: Limits

    @contextmanager
    def opened(self) -> Iterator[io.BufferedReader]:
        """The content from its first byte after a byte order mark. Raises Unreadable, also while being read."""
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
        raise Unreadable(_("The file may not be read. Give the account that runs this the right to read it.")) from None
    except OSError as error:
        raise Unreadable(_("The file cannot be opened: %(cause)s.") % {"cause": error.strerror}) from None
    except ValueError:
        raise Unreadable(_("This is not a possible file name.")) from None


def _refuse_what_is_no_file(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise Unreadable(_("This is a folder. Name the files inside it."))
    if not stat.S_ISREG(mode):
        raise Unreadable(_("This is not a regular file. Save the data to a file first."))
