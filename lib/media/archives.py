"""A zip of files, or of one file of rows and the files that these name; checked as a whole before it is unpacked."""

import re
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from lib.media.file_names import BadName, clean_name, short_name
from lib.media.sniffing import MIB, MOST_BYTES
from lib.texts.stored_sentences import say as _

MAGIC = b"PK\x03\x04"
ROWS = (".jsonl", ".json", ".csv", ".tsv")
MOST_FILES = 5000
MOST_UNPACKED = 2048 * MIB
MOST_DIRECTORY = 8 * MIB  # of the list of contents, which is read whole
MOST_RATIO, RATIO_FROM = 200, MIB  # unpacked to packed bytes, of a file that is larger than this
PIECE = MIB

# What Word, Excel and Java, or OpenDocument and EPUB put into zips: such a zip is one document.
_OF_DOCUMENTS = {"[Content_Types].xml", "META-INF/MANIFEST.MF", "mimetype"}
_LEFT_BY_SYSTEMS = re.compile(r"(?:^|/)(?:__MACOSX/|\.[^./]|Thumbs\.db$|desktop\.ini$)")
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"
_LONGEST_COMMENT = 0xFFFF
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, struct.error)


class BadArchive(ValueError):
    """The zip cannot be taken; the message names the entry and says what to do."""


@dataclass(frozen=True)
class Archive:
    """A zip that was checked. rows: the name of its file of rows. media: name from the folder of the rows -> entry."""

    file: zipfile.ZipFile
    rows: str
    media: Mapping[str, zipfile.ZipInfo]
    entry: zipfile.ZipInfo | None

    def read(self, name: str) -> bytes:
        """The bytes of a file, one more than is allowed where it is too large. Raises BadArchive."""
        with _named(name), self.file.open(self.media[name]) as file:
            return file.read(MOST_BYTES + 1)

    def copy_rows(self, target: IO[bytes]) -> None:
        """Raises BadArchive."""
        if self.entry is not None:
            with _named(self.rows), self.file.open(self.entry) as file:
                while piece := file.read(PIECE):
                    target.write(piece)


@contextmanager
def _named(name: str) -> Iterator[None]:
    try:
        yield
    except _DAMAGED:
        raise BadArchive(_("“%(name)s” in the zip is damaged. Pack it again.") % {"name": name}) from None


def is_zip(file: IO[bytes]) -> bool:
    """Whether the first bytes say so; the position stays at the beginning."""
    file.seek(0)
    head = file.read(len(MAGIC))
    file.seek(0)
    return head == MAGIC


def read_archive(file: IO[bytes], *, with_rows: bool = True) -> Archive:
    """with_rows: False for a zip of files alone. Raises BadArchive."""
    _refuse_directory(file)
    with _named(getattr(file, "name", None) or "zip"):
        archive = zipfile.ZipFile(file)
    entries = {name: entry for entry in archive.infolist() if (name := _name_of(entry)) is not None}
    _refuse_amount(archive, entries)
    if not with_rows:
        _refuse_documents(entries)
        return Archive(archive, "", entries, None)
    rows = _rows_among(entries)
    folder = rows.removesuffix(short_name(rows))
    media = {name.removeprefix(folder): entry for name, entry in entries.items() if name != rows}
    if len(media) != len(entries) - 1:
        raise BadArchive(_("Two files in the zip have one name from the folder of the rows. Rename one."))
    return Archive(archive, rows, media, entries[rows])


def _refuse_directory(file: IO[bytes]) -> None:
    """The list of contents is as large as the end of the zip says, and is read before anything else can be checked."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _LONGEST_COMMENT - 42))
    tail = file.read()
    end = tail.rfind(_END)
    if end < 0 or len(tail) < end + 22:
        raise BadArchive(_("The zip is incomplete. Copy it again."))
    (directory,) = struct.unpack_from("<I", tail, end + 12)
    if directory > MOST_DIRECTORY or tail[max(0, end - 20) : end].startswith(_END_64):
        raise BadArchive(_too_many())
    file.seek(0)


def _too_many() -> str:
    return _("The zip holds more than %(most)d files. Split it into several.") % {"most": MOST_FILES}


def _name_of(entry: zipfile.ZipInfo) -> str | None:
    """The clean name; None for folders and for what systems leave in zips. Raises BadArchive."""
    written = _decoded(entry)
    if entry.is_dir() or _LEFT_BY_SYSTEMS.search(written):
        return None
    try:
        name = clean_name(written)
    except BadName as bad:
        raise BadArchive(_("“%(name)s” in the zip: its name %(why)s") % {"name": written, "why": bad.args[0]}) from bad
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise BadArchive(_("“%(name)s” in the zip is a link, not a file. Pack the file itself.") % {"name": name})
    if entry.flag_bits & 1:
        raise BadArchive(_("“%(name)s” in the zip is encrypted. Pack it without a password.") % {"name": name})
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadArchive(_("“%(name)s” in the zip is packed in a rare way. Use an ordinary zip.") % {"name": name})
    return name


def _decoded(entry: zipfile.ZipInfo) -> str:
    """Names without the flag for UTF-8 are often in it all the same, or in the Chinese encoding of Windows."""
    if entry.flag_bits & 0x800 or entry.orig_filename.isascii():
        return entry.orig_filename
    for encoding in ("utf-8", "gb18030"):
        try:
            return entry.orig_filename.encode("cp437").decode(encoding)
        except UnicodeError:
            continue
    return entry.orig_filename


def _refuse_amount(archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo]) -> None:
    if len(archive.infolist()) > MOST_FILES:
        raise BadArchive(_too_many())
    names = Counter(filter(None, map(_name_of, archive.infolist())))
    if twice := [name for name, n in names.items() if n > 1]:
        raise BadArchive(_("“%(name)s” is in the zip twice. Remove one.") % {"name": twice[0]})
    if sum(entry.file_size for entry in archive.infolist()) > MOST_UNPACKED:
        message = _("The zip unpacks to more than %(most)d MiB. Split it into several.")
        raise BadArchive(message % {"most": MOST_UNPACKED // MIB})
    for name, entry in entries.items():
        if entry.file_size > RATIO_FROM and entry.file_size > MOST_RATIO * entry.compress_size:
            message = _("“%(name)s” in the zip unpacks to more than %(ratio)d times its size. Leave it out.")
            raise BadArchive(message % {"name": name, "ratio": MOST_RATIO})


def _refuse_documents(entries: Mapping[str, zipfile.ZipInfo]) -> None:
    if not entries:
        raise BadArchive(_("The zip holds no file. Pack the files again."))
    if _OF_DOCUMENTS & entries.keys():
        raise BadArchive(
            _("This is a document in the form of a zip, such as Word’s or Excel’s. Save it as PDF or text.")
        )


def _rows_among(entries: Mapping[str, zipfile.ZipInfo]) -> str:
    """The one file of rows in the topmost folder that has any; tables in folders below are files like any other."""
    candidates = [name for name in entries if name.lower().endswith(ROWS)]
    top = min((name.count("/") for name in candidates), default=0)
    rows = [name for name in candidates if name.count("/") == top]
    if not rows:
        raise BadArchive(
            _("The zip holds no file of rows: JSONL, JSON, CSV or TSV. Put one beside the files it names.")
        )
    if len(rows) > 1:
        message = _("The zip holds several files of rows: %(names)s. Leave one, and put other tables into a folder.")
        raise BadArchive(message % {"names": ", ".join(sorted(rows)[:5])})
    return rows[0]
