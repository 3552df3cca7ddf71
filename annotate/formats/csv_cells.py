"""CSV for people who open it in a spreadsheet: no cell can be taken for a formula."""

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

# Full-width signs begin formulas in some localised spreadsheets; a line break can begin a new cell.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


# What a cell of a table that is read again may not begin with: besides formulas what would be read as JSON.
_READ_OTHERWISE = (*_FORMULA_STARTS, "[", "{")


def csv_line(cells: Iterable[Any]) -> str:
    """One record of whatever values, each made safe."""
    return csv_record([safe_cell(cell) for cell in cells])


def csv_record(cells: Iterable[str]) -> str:
    """One record with its line end; every cell is quoted, so that no separator splits one elsewhere."""
    line = io.StringIO()
    csv.writer(line, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerow(cells)
    return line.getvalue()


def safe_cell(value: Any) -> str:
    """The text of one cell: NUL removed, an apostrophe before what could begin a formula.

    None is empty, numbers stay numbers (a minus before digits is no formula), lists and objects are JSON.
    """
    if value is None:
        return ""
    if isinstance(value, (int, float)):
        return json.dumps(value)
    text = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).replace("\0", "")
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def text_cell(text: str) -> str:
    """A text as a cell that `restored` turns back into it, byte for byte. No such cell begins a formula or is empty."""
    return f"'{text}" if _is_ambiguous(text) else text


def restored(cell: str) -> str:
    """The text of such a cell, and of one that somebody's spreadsheet neutralised in the same way."""
    return cell[1:] if cell.startswith("'") and _is_ambiguous(cell[1:]) else cell


def _is_ambiguous(text: str) -> bool:
    """Whether it is empty, would be taken for something else, or begins with apostrophes that hide such a text."""
    rest = text.lstrip("'")
    return not rest or rest.startswith(_READ_OTHERWISE)
