"""Parquet: read and written by a program with limits of memory and time, see lib/parquet_rows.py."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.utils.translation import gettext_lazy

from annotate.formats.format import Format
from annotate.formats.json_values import read_object
from annotate.formats.jsonl import numbered_lines
from annotate.formats.rows import Columns, ImportRow, Out, Problem
from annotate.formats.source import GZIP_MAGIC, MIB, Source, Unreadable
from lib import parquet_rows
from lib.parquet_rows import END, LEFT_OUT, STOPPED
from lib.texts.stored_sentences import say as _

MAGIC = b"PAR1"
PIECE = 256 * 1024
MOST_MEMORY = 1024 * MIB  # of the program


class Parquet(Format):
    """`line` is the number of the row. Nulls are missing fields."""

    slug = "parquet"
    name = "Parquet"
    endings = (".parquet",)
    written_as = ".parquet"
    content_type = "application/vnd.apache.parquet"
    is_table = True
    whole_rows = True
    cannot_hold = (gettext_lazy("the difference between a field that is missing and one that is null"),)

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        _refuse_foreign(source)
        with _program("read", source.path) as output:
            yield from _rows(source, output)

    def written(self, rows: Iterable[Out], columns: Columns) -> Iterator[bytes]:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            for out in rows:
                file.write(f"{json.dumps({'key': out.key, **out.facts, **out.draft})}\n")
            file.flush()
            yield from self.written_from(Path(file.name))

    def written_from(self, path: Path) -> Iterator[bytes]:
        with _program("write", path) as output:
            while piece := output.read(PIECE):
                yield piece


def _refuse_foreign(source: Source) -> None:
    head = source.head_as_stored(len(MAGIC))
    if head.startswith(GZIP_MAGIC):
        raise Unreadable(_("Parquet files are packed already. Unpack the gzip file first."))
    if head != MAGIC:
        raise Unreadable(_("This is not a Parquet file: it does not begin with PAR1. Choose another format."))


@contextmanager
def _program(verb: str, path: Path) -> Iterator[IO[bytes]]:
    """The output of the program; it is stopped when nobody reads on. Raises Unreadable if a file was not written."""
    words = [sys.executable, "-I", parquet_rows.__file__, verb, str(path.absolute()), str(MOST_MEMORY)]
    # Every thread of OpenBLAS reserves memory, although nothing is calculated.
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "OPENBLAS_NUM_THREADS": "1",
    }
    with subprocess.Popen(
        words,
        bufsize=PIECE,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as program:
        assert program.stdout is not None
        try:
            yield program.stdout
        except BaseException:
            program.kill()
            raise
        program.stdout.close()
    if program.returncode and verb == "write":
        message = _("The Parquet file could not be written: the program that does so needs more than %(limit)s MiB.")
        raise Unreadable(message % {"limit": MOST_MEMORY // MIB})


def _rows(source: Source, output: IO[bytes]) -> Iterator[ImportRow | Problem]:
    number = unpacked = 0
    warnings: list[tuple[str, str]] = []
    size = source.size()
    for _line, text in numbered_lines(output, source.limits.line_bytes):  # type: ignore[arg-type]  # has readline too
        if text is not None and text.startswith(LEFT_OUT):
            warnings = [(path, _("is binary, not text; it is left out.")) for path in json.loads(text[1:])]
        elif text is not None and text.startswith(STOPPED):
            raise Unreadable(_stopped(**json.loads(text[1:])))
        elif text is not None and text.startswith(END):
            return
        else:
            number += 1
            unpacked += len(text or b"")
            _refuse_too_much(source, unpacked, size)
            row = read_object(source, number, text)
            yield ImportRow(row.line, row.value, warnings) if isinstance(row, ImportRow) and warnings else row
            warnings = []
    raise Unreadable(_killed(number))


def _refuse_too_much(source: Source, unpacked: int, size: int) -> None:
    limits = source.limits
    if unpacked > limits.file_bytes:
        message = _("The file is larger than %(limit)s MiB. Split it into smaller ones.")
        raise Unreadable(message % {"limit": limits.file_bytes // MIB})
    if unpacked > limits.ratio_from_bytes and unpacked > limits.ratio * size:
        message = _("The Parquet file unpacks to more than %(ratio)s times its size. Export the rows as JSON lines.")
        raise Unreadable(message % {"ratio": limits.ratio})


def _killed(row: int) -> str:
    message = _(
        "Row %(row)d could not be read: the file is damaged, or needs too much memory or time. Write it again with "
        "smaller row groups, or as JSON lines."
    )
    return message % {"row": row + 1}


def _stopped(code: str, **values: Any) -> str:
    match code:
        case "missing":
            return _("Parquet needs the package pyarrow, which is not installed. Run `make setup`.")
        case "twice":
            return _("Two columns are called “%(name)s”. Rename or remove one.") % values
        case "columns":
            return _("The file has %(n)d columns; at most %(most)d are read. Write only those that you need.") % values
        case "rows":
            return _("The file has %(n)d rows; at most %(most)d are read. Split it into smaller ones.") % values
        case "memory":
            message = _(
                "Row group %(group)d, from row %(row)d: needs too much memory. Write it with smaller row groups."
            )
            return message % values
    if not values.get("group"):
        return _("The Parquet file is damaged: %(said)s. Copy or download it again.") % values
    message = _("Row group %(group)d, from row %(row)d, is damaged: %(said)s. The rows before it were read.")
    return message % values


FORMAT = Parquet()
