"""Files that are no text in UTF-8, known by their first bytes: refused with a message that says what to do."""

from django.utils.translation import gettext_lazy

from annotate.formats.unpacking import GZIP_MAGIC, Unreadable
from lib.texts.said import say as _

_ZIP = gettext_lazy("This is a zip archive or an Excel file. Unpack it and import the files inside, or save it as CSV.")
_PACKED = gettext_lazy("The file is packed in a way that is not read here. Unpack it, or pack it once with gzip.")
_UTF_16 = gettext_lazy("The text is in UTF-16 or UTF-32. Save the file as UTF-8.")
_BINARY = gettext_lazy("This is a binary file, not text. Export the data as JSONL, JSON or CSV.")
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
    b"PAR1": _BINARY,
    b"%PDF": _BINARY,
    b"\x89PNG": _PICTURE,
    b"\xff\xd8\xff": _PICTURE,
    b"GIF8": _PICTURE,
}
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r"))
_LONGEST_CHARACTER = 4  # bytes in UTF-8


def refuse_foreign(head: bytes) -> None:
    """Raises Unreadable when `head`, the first bytes after unpacking, belongs to something else than UTF-8 text."""
    for magic, message in _KNOWN.items():
        if head.startswith(magic):
            raise Unreadable(str(message))
    if head[:64].count(0) > len(head[:64]) // 4:
        raise Unreadable(_("The file is full of NUL characters: it is binary, or text in UTF-16. Save it as UTF-8."))
    if head.translate(None, _CONTROLS) != head and not _is_utf_8(head):
        raise Unreadable(str(_BINARY))


def _is_utf_8(head: bytes) -> bool:
    """Whether it is UTF-8 up to a character that the cut may have split."""
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start > len(head) - _LONGEST_CHARACTER
    return True
