"""PDF files without metadata: a program of its own, with limits of memory and time.

A small PDF can unpack to any size, and a hostile one can keep a reader busy for ever. Nobody imports this module at
start: pypdf needs 30 MB. `lib/media/metadata.py` runs it.

A PDF is read from standard input. The output is `.` and the PDF without metadata, or `!` and why there is none:
missing (the library), encrypted, form (of the kind XFA), damaged or memory.

The document is written anew from what its pages and its table of contents refer to, so former versions of it and
objects that nothing refers to are gone too. Pages, texts, links, fields and comments stay as they are.
"""

import resource
import sys
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any

MOST_SECONDS = 20
OK, STOPPED = b".", b"!"
MOST_BYTES = 50 * 1024 * 1024  # of what is written: packed lists of objects are written unpacked
OF_PROGRAMS = ("/PieceInfo", "/LastModified")  # what programs that made or changed the file noted
OF_FILES = ("/EF", "/RF")  # the contents of attached files
# Of the whole document: packages, attached files, and what else belongs to signatures.
OF_DOCUMENT = ("/Collection", "/AF", "/Perms", "/DSS")
OF_NAMES = ("/EmbeddedFiles", "/JavaScript")
SCRIPTS = ("/JavaScript", "/Launch", "/ImportData", "/SubmitForm")  # actions that run or send something
# Dictionaries whose keys are names that the author chose, and not those of the standard.
CHOSEN_NAMES = ("/XObject", "/Font", "/ExtGState", "/ColorSpace", "/Pattern", "/Shading", "/Properties", "/CharProcs")
JPEG_KEPT = {0xE0, 0xE2, 0xEE}  # JFIF, colour profile, how Adobe stored the colours


class Stopped(Exception):
    """The metadata cannot be removed; the text is the word for why."""


def main(most_memory: str) -> None:
    """most_memory: in bytes."""
    for limit, most in ((resource.RLIMIT_DATA, int(most_memory)), (resource.RLIMIT_CPU, MOST_SECONDS)):
        with suppress(ValueError, OSError):  # where the system allows less already, that holds
            resource.setrlimit(limit, (most, most))
    try:
        output = OK + without_metadata(sys.stdin.buffer.read())
    except Stopped as stopped:
        output = STOPPED + str(stopped).encode()
    except (MemoryError, RecursionError):
        output = STOPPED + b"memory"
    sys.stdout.buffer.write(output)
    sys.stdout.buffer.flush()


def without_metadata(data: bytes) -> bytes:
    """Raises Stopped."""
    try:
        from pypdf import PdfReader, PdfWriter
        from pypdf.errors import LimitReachedError
    except ImportError as missing:
        raise Stopped("missing") from missing
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted:
            raise Stopped("encrypted")
        pages = len(reader.pages)
        _clean(reader)
        target = BytesIO()
        PdfWriter(clone_from=reader, keep_initial_header=True).write(target)
        if target.tell() > MOST_BYTES:
            raise Stopped("memory")
        if not pages or len(PdfReader(target).pages) != pages:
            raise Stopped("damaged")
    except LimitReachedError as reached:
        raise Stopped("memory") from reached
    except (Stopped, MemoryError, RecursionError):
        raise
    except Exception as damaged:  # pypdf raises whatever its parts raise at damaged data
        raise Stopped("damaged") from damaged
    return target.getvalue()


def _clean(reader: Any) -> None:
    """Remove from the objects of the file what is not to be written."""
    for key in ("/Info", "/ID"):
        reader.trailer.pop(key, None)
    root = _at(reader.trailer, "/Root")
    if _at(root, "/NeedsRendering"):
        raise Stopped("form")  # its pages are made by the form, and would be empty without it
    for values, keys in ((root, OF_DOCUMENT), (_at(root, "/Names"), OF_NAMES), (_at(root, "/AcroForm"), ("/XFA",))):
        for key in keys:
            (values or {}).pop(key, None)
    for container, has_chosen_names in _containers(root):
        if isinstance(container, list):
            _clean_list(container)
        elif not has_chosen_names:
            _clean_dictionary(container)


def _containers(root: Any) -> Iterator[tuple[Any, bool]]:
    """(dictionary or list, whether its keys are chosen names), from this one on, before those that it refers to."""
    from pypdf.generic import IndirectObject

    pending, visited = [(root, False)], set()
    while pending:
        value, has_chosen_names = pending.pop()
        if isinstance(value, IndirectObject):
            if (value.idnum, value.generation) in visited:
                continue
            visited.add((value.idnum, value.generation))
            value = value.get_object()
        if isinstance(value, dict):
            yield value, has_chosen_names
            pending += [(value.get(key), key in CHOSEN_NAMES and not has_chosen_names) for key in value]
        elif isinstance(value, list):
            yield value, False
            pending += [(entry, False) for entry in value]


def _at(values: Any, key: str) -> Any:
    """The value itself where there is a reference to it; None where there is none."""
    return _value(values.get(key))


def _value(value: Any) -> Any:
    return value.get_object() if hasattr(value, "get_object") else value


def _clean_dictionary(values: Any) -> None:
    keys = {*OF_PROGRAMS, *(OF_FILES if "/F" in values or "/UF" in values else ())}
    if _at(values, "/Type") == "/Page":
        keys.add("/Thumb")
    for key in list(values):
        if key in keys or _must_go(values.get(key)):
            del values[key]
    if _at(values, "/Subtype") == "/Image" and _at(values, "/Filter") in ("/DCTDecode", ["/DCTDecode"]):
        values._data = _jpeg_without_metadata(values._data)  # pypdf has no other way to encoded bytes


def _clean_list(values: Any) -> None:
    from pypdf.generic import NullObject

    for index, value in enumerate(values):
        if _must_go(value):
            values[index] = NullObject()


def _must_go(value: Any) -> bool:
    """Whether this is a packet of metadata, an action that runs something, or the value of a signature.

    A signature names a person, and is no longer valid in a file that was written anew.
    """
    value = _value(value)
    if not isinstance(value, dict):
        return False
    is_metadata = _at(value, "/Type") == "/Metadata" or _at(value, "/Subtype") == "/XML"
    return is_metadata or "/ByteRange" in value or _at(value, "/S") in SCRIPTS


def _jpeg_without_metadata(data: bytes) -> bytes:
    """A JPEG without comments, and without what cameras and editors tell about it. Pixels stay as they are encoded."""
    pieces, offset = [data[:2]], 2
    while data[offset : offset + 1] == b"\xff" and len(data) >= offset + 4:
        marker, size = data[offset + 1], int.from_bytes(data[offset + 2 : offset + 4])
        if marker == 0xDA or size < 2:  # the pixels begin
            break
        if marker in JPEG_KEPT or not (0xE0 <= marker <= 0xEF or marker == 0xFE):
            pieces.append(data[offset : offset + 2 + size])
        offset += 2 + size
    return b"".join([*pieces, data[offset:]])


if __name__ == "__main__":
    main(sys.argv[1])
