"""CSV with a header line.

Cells are texts. An empty cell is a missing field. A cell that begins with [ or { and is JSON becomes that value, so
that lists fit into a cell; a column called `<name> (json)` holds JSON in every cell. What was written with an
apostrophe before it, because a spreadsheet would take it for a formula, loses that again; a lone apostrophe is an empty
text. Any other cell stays the text it is.
"""

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy, gettext_noop

from annotate.formats.base import Format, Option
from annotate.formats.csv_cells import csv_line, csv_record, restored, text_cell
from annotate.formats.csv_lines import CsvLines, RecordTooLong
from annotate.formats.json_errors import BadValue
from annotate.formats.json_paths import spell
from annotate.formats.json_rows import too_long
from annotate.formats.json_values import parse
from annotate.formats.outgoing import Column, Columns, Out
from annotate.formats.rows import Problem, Row, printable
from annotate.formats.source import Source
from annotate.formats.unpacking import Unreadable
from lib.texts.said import say as _

csv.field_size_limit(2**31 - 1)  # one number for the whole process; CsvLines limits records more tightly

_SEPARATORS = {gettext_noop("comma"): ",", gettext_noop("semicolon"): ";", gettext_noop("tab"): "\t"}
RESTORED, KEPT = gettext_noop("restored"), gettext_noop("kept")
JSON_COLUMN = " (json)"
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_UNCLOSED = "unexpected end of data"  # as the csv module says it
_REMEDIES = {
    _UNCLOSED: gettext_lazy("The record has a quote that is never closed; what follows it was not read. Close it."),
    "new-line character seen in unquoted field - do you need to open the file in universal-newline mode?": gettext_lazy(
        "A carriage return stands in a cell without quotes. Save the file with Windows or Unix line ends."
    ),
}


class CsvTable(Format):
    """`line` is the physical line where the record starts."""

    slug = "csv"
    name = gettext_lazy("CSV table")
    endings = (".csv",)
    options = (
        Option("separator", gettext_lazy("Separator between cells"), tuple(_SEPARATORS), "comma"),
        Option("apostrophes", gettext_lazy("Apostrophes before what looks like a formula"), (RESTORED, KEPT), RESTORED),
    )
    written_as = ".csv"
    content_type = "text/csv; charset=utf-8"
    cannot_hold = (
        gettext_lazy("who wrote and reviewed a text, when, and by which guidelines (provenance)"),
        gettext_lazy("whether a draft is a model's suggestion or somebody's text"),
        gettext_lazy("the difference between a field that is missing and one that is null"),
    )

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[Row | Problem]:
        with source.opened() as content:
            lines = CsvLines(content, source.limits.line_bytes)
            records = _records(source, lines, _SEPARATORS[options["separator"]])
            names = _header(next(records, None))
            # Published tables are read by other formats through this one; their texts stay as they are.
            as_text = restored if options.get("apostrophes") == RESTORED else str
            for record in records:
                yield record if isinstance(record, Problem) else _row(source, names, as_text, *record)

    def written(self, rows: Iterable[Out], columns: Columns) -> Iterator[bytes]:
        yield (
            "\ufeff" + csv_line(["key", *map(_heading, columns)])
        ).encode()  # the mark by which spreadsheets know UTF-8
        for out in rows:
            values = {**out.facts, **out.draft}
            cells = [text_cell(out.key), *(_cell(values.get(column.name), column) for column in columns)]
            yield csv_record(cells).encode()


def _heading(column: Column) -> str:
    return column.name if column.is_text else f"{column.name}{JSON_COLUMN}"


def _cell(value: Any, column: Column) -> str:
    if value is None:
        return ""
    if column.is_text and isinstance(value, str):
        return text_cell(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


Record = tuple[int, list[str]]


def _records(source: Source, lines: CsvLines, separator: str) -> Iterator[Record | Problem]:
    reader = csv.reader(lines, delimiter=separator, strict=True)
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
            if cells:
                yield lines.first, cells


def _malformed(cause: str) -> str:
    if cause in _REMEDIES:
        return str(_REMEDIES[cause])
    return _("A quoted cell goes on after its closing quote. Double the quotes that belong to the text.")


def _header(record: Record | Problem | None) -> list[str]:
    """The names of the columns. Raises Unreadable when they cannot name the cells below."""
    if record is None:
        raise Unreadable(_("The file has no header line with the names of the columns."))
    if isinstance(record, Problem):
        raise Unreadable(_("The header line cannot be read. %(cause)s") % {"cause": record.message})
    names = [name.strip() for name in record[1]]
    for position, name in enumerate(names, start=1):
        if fault := _fault(name):
            raise Unreadable(_("Header, column %(position)s: %(fault)s") % {"position": position, "fault": fault})
        if not name:
            raise Unreadable(_("Column %(position)s has no name. Name it or remove it.") % {"position": position})
        if _plain(name) in map(_plain, names[: position - 1]):
            message = _("Two columns are called “%(name)s”. Rename or remove one.")
            raise Unreadable(message % {"name": printable(name, most=60)})
    return names


def _plain(name: str) -> str:
    return name.removesuffix(JSON_COLUMN)


def _row(source: Source, names: list[str], as_text: Callable[[str], str], line: int, cells: list[str]) -> Row | Problem:
    if len(cells) != len(names):
        message = _("The record has %(cells)s cells, the header names %(columns)s. Quote cells that hold separators.")
        return Problem(source.name, line, "", message % {"cells": len(cells), "columns": len(names)})
    for name, cell in zip(names, cells, strict=True):
        if fault := _fault(cell):
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
    return Row(line, values)


def _fault(cell: str) -> str | None:
    if "\0" in cell:
        return _("The text holds a NUL character. Remove it.")
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
