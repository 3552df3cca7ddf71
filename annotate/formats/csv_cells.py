"""CSV for people who open it in a spreadsheet: no cell can be taken for a formula."""

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

# Full-width signs begin formulas in some localised spreadsheets; a line break can begin a new cell.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv_line(cells: Iterable[Any]) -> str:
    """One record with its line end; every cell is quoted, so that no separator splits one elsewhere."""
    line = io.StringIO()
    csv.writer(line, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerow([safe_cell(cell) for cell in cells])
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
