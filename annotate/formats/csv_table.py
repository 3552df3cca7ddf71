"""CSV: cells that no spreadsheet takes for a formula, numbered records with a size limit, and the format.

Cells are texts. An empty cell is a missing field. A cell that begins with [ or { and is JSON becomes that value, so
that lists fit into a cell; a column called `<name> (json)` holds JSON in every cell. An apostrophe that was written
before a value, because a spreadsheet would take it for a formula, is removed again; a lone apostrophe is an empty text.
Any other cell stays unchanged.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from django.utils.translation import gettext_lazy, gettext_noop

from annotate.formats.format import Format, Option
from annotate.formats.json_values import BadValue, parse, spell, too_long
from annotate.formats.rows import Column, Columns, ImportRow, Out, Problem, printable
from annotate.formats.source import Source, Unreadable
from lib.texts.stored_sentences import say as _

# Full-width characters begin formulas in some localised spreadsheets; a line break can begin a new cell.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


# Forbidden starts of a cell that is read back: those of formulas, and those that would be parsed as JSON.
_READ_OTHERWISE = (*_FORMULA_STARTS, "[", "{")


def csv_line(cells: Iterable[Any]) -> str:
    """One record of any values, each made safe."""
    return csv_record([safe_cell(cell) for cell in cells])


def csv_record(cells: Iterable[str]) -> str:
    """One record with its line end; every cell is quoted, so that no other separator splits a cell."""
    line = io.StringIO()
    csv.writer(line, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerow(cells)
    return line.getvalue()


def safe_cell(value: Any) -> str:
    """The text of one cell: NUL removed, and an apostrophe before anything that could begin a formula.

    None is empty, numbers stay numbers (a minus before digits is not a formula), lists and objects are JSON.
    """
    if value is None:
        return ""
    if isinstance(value, (int, float)):
        return json.dumps(value)
    text = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).replace("\0", "")
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def text_cell(text: str) -> str:
    """A cell from which `restored` gives back this exact text. No such cell begins a formula or is empty."""
    return f"'{text}" if _is_ambiguous(text) else text


def restored(cell: str) -> str:
    """The text of such a cell, or of a cell that a spreadsheet program neutralised in the same way."""
    return cell[1:] if cell.startswith("'") and _is_ambiguous(cell[1:]) else cell


def _is_ambiguous(text: str) -> bool:
    """Whether it is empty, would be read as something else, or begins with apostrophes before such a text."""
    rest = text.lstrip("'")
    return not rest or rest.startswith(_READ_OTHERWISE)


# Records: physical lines are counted, so that each record has a line number and a size limit.


_PIECE_BYTES = 64 * 1024


class RecordTooLong(Exception):
    """The record that was being read is longer than the limit; the next line begins another one."""


class CsvLines:
    r"""Iterates over lines as texts; only "\n" ends a line. Bytes that are not UTF-8 become surrogate halves.

    first: number of the line where the current record starts.
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


# The format: CSV with a header line.


csv.field_size_limit(2**31 - 1)  # a global setting of the process; CsvLines has a smaller limit

_SEPARATORS = {gettext_noop("comma"): ",", gettext_noop("semicolon"): ";", gettext_noop("tab"): "\t"}
BY_NAME = gettext_noop("by the name")  # tab for .tsv, else comma
MOST_COLUMNS = 10_000
RESTORED, KEPT = gettext_noop("restored"), gettext_noop("kept")
JSON_COLUMN = " (json)"
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_UNCLOSED = "unexpected end of data"  # as the csv module says it
_REMEDIES = {
    _UNCLOSED: gettext_lazy("A quote in the record is never closed; the rest was not read. Close it."),
    "new-line character seen in unquoted field - do you need to open the file in universal-newline mode?": gettext_lazy(
        "A cell without quotes contains a carriage return. Save the file with Windows or Unix line ends."
    ),
}


class CsvTable(Format):
    """`line` is the physical line where the record starts."""

    slug = "csv"
    name = gettext_lazy("CSV table")
    endings = (".csv",)
    other_endings = (".tsv",)
    options = (
        Option("separator", gettext_lazy("Separator between cells"), (BY_NAME, *_SEPARATORS), BY_NAME),
        Option("apostrophes", gettext_lazy("Spreadsheet-safe apostrophes"), (RESTORED, KEPT), RESTORED),
    )
    written_as = ".csv"
    content_type = "text/csv; charset=utf-8"
    is_table = True
    cannot_hold = (
        gettext_lazy("who wrote and reviewed a text, when, and by which guidelines (provenance)"),
        gettext_lazy("whether a draft is a model's suggestion or somebody's text"),
        gettext_lazy("the difference between a field that is missing and one that is null"),
    )

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        with source.opened() as content:
            lines = CsvLines(content, source.limits.line_bytes)
            table_rows = records(source, lines, _separator(source, options["separator"]))
            names = _header(next(table_rows, None))
            # Published tables are read by other formats through this one; their texts stay as they are.
            as_text = restored if options.get("apostrophes") == RESTORED else str
            for record in table_rows:
                yield record if isinstance(record, Problem) else _row(source, names, as_text, *record)

    def written(self, rows: Iterable[Out], columns: Columns) -> Iterator[bytes]:
        yield (
            "\ufeff" + csv_line(["key", *map(_heading, columns)])
        ).encode()  # byte order mark: spreadsheets need it to detect UTF-8
        for out in rows:
            values = {**out.facts, **out.draft}
            cells = [text_cell(out.key), *(_cell(values.get(column.name), column) for column in columns)]
            yield csv_record(cells).encode()


def _separator(source: Source, option: str) -> str:
    if option == BY_NAME:
        return "\t" if source.name.lower().removesuffix(".gz").endswith(".tsv") else ","
    return _SEPARATORS[option]


def _heading(column: Column) -> str:
    return column.name if column.is_text else f"{column.name}{JSON_COLUMN}"


def _cell(value: Any, column: Column) -> str:
    if value is None:
        return ""
    if column.is_text and isinstance(value, str):
        return text_cell(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


Record = tuple[int, list[str]]


def records(source: Source, lines: CsvLines, separator: str, *, quoted: bool = True) -> Iterator[Record | Problem]:
    """(line, cells) of each record that is not empty. quoted: whether quotes hold a cell together."""
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(lines, delimiter=separator, quoting=quoting, strict=True)
    while True:
        lines.begin_record()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except RecordTooLong:
            yield Problem(source.name, lines.first, "", too_long(source))
        except csv.Error as error:
            yield Problem(source.name, lines.first, "", _malformed(str(error)))
        else:
            if any(cells):  # spreadsheets write rows of empty cells at their end
                yield lines.first, cells


def _malformed(cause: str) -> str:
    if cause in _REMEDIES:
        return str(_REMEDIES[cause])
    return _("A quoted cell continues after its closing quote. Double the quotes that belong to the text.")


def _header(record: Record | Problem | None) -> list[str]:
    """The names of the columns. Raises Unreadable when they cannot name the cells below."""
    if record is None:
        raise Unreadable(_("The file has no header line with the names of the columns."))
    if isinstance(record, Problem):
        raise Unreadable(_("The header line cannot be read. %(cause)s") % {"cause": record.message})
    names = [name.strip() for name in record[1]]
    if len(names) > MOST_COLUMNS:
        message = _("The file has %(n)d columns; at most %(most)d are read. Write only those that you need.")
        raise Unreadable(message % {"n": len(names), "most": MOST_COLUMNS})
    plain_names: set[str] = set()
    for position, name in enumerate(names, start=1):
        if fault := cell_fault(name):
            raise Unreadable(_("Header, column %(position)s: %(fault)s") % {"position": position, "fault": fault})
        if not name:
            raise Unreadable(_("Column %(position)s has no name. Name it or remove it.") % {"position": position})
        if _plain(name) in plain_names:
            message = _("Two columns are called “%(name)s”. Rename or remove one.")
            raise Unreadable(message % {"name": printable(name, most=60)})
        plain_names.add(_plain(name))
    return names


def _plain(name: str) -> str:
    return name.removesuffix(JSON_COLUMN)


def _row(
    source: Source, names: list[str], as_text: Callable[[str], str], line: int, cells: list[str]
) -> ImportRow | Problem:
    if len(cells) != len(names):
        message = _(
            "The record has %(cells)s cells, but the header has %(columns)s columns. Quote cells that contain "
            "separators."
        )
        return Problem(source.name, line, "", message % {"cells": len(cells), "columns": len(names)})
    for name, cell in zip(names, cells, strict=True):
        if fault := cell_fault(cell):
            return Problem(source.name, line, spell([name]), fault)
    values = {}
    for name, cell in zip(names, cells, strict=True):
        if not cell:
            continue
        if not name.endswith(JSON_COLUMN):
            values[name] = _value(cell, as_text)
            continue
        try:
            values[_plain(name)] = parse(cell.encode())
        except BadValue as bad:
            return Problem(source.name, line, spell([name]), bad.message)
    return ImportRow(line, values)


def cell_fault(cell: str) -> str | None:
    """Why the cell cannot be stored as a text; None if it can."""
    if "\0" in cell:
        return _("The text contains a NUL character. Remove it.")
    if not cell.isascii() and (match := _ESCAPED_BYTE.search(cell)):
        return _("The byte 0x%(byte)02X is not UTF-8. Save the file as UTF-8.") % {"byte": ord(match[0]) - 0xDC00}
    return None


def _value(cell: str, as_text: Callable[[str], str]) -> Any:
    if not cell.startswith(("[", "{")):
        return as_text(cell)
    try:
        return parse(cell.encode())
    except BadValue:
        return cell


FORMAT = CsvTable()
