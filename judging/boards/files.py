"""Numbers of boards as files: dataclasses as JSON, and their rows as CSV."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

from django.http import HttpResponse, JsonResponse

from annotate.formats.csv_table import csv_line

Row = Mapping[str, Any]
INTERNAL = {"internal": True}  # of a field that no file holds, such as the items behind each number


def json_object(numbers: Any) -> dict[str, Any]:
    """The fields of a dataclass; dataclasses inside become objects, objects of the database their names.

    Fields that say `metadata=INTERNAL` are left out. What is not defined is null: a file never holds NaN or Infinity.
    Raises TypeError for anything but a dataclass.
    """
    if not is_dataclass(numbers):
        raise TypeError(f"{type(numbers).__name__} is no dataclass: give the board as_json")
    return {
        field.name: json_value(getattr(numbers, field.name))
        for field in fields(numbers)
        if not field.metadata.get("internal")
    }


def json_value(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if is_dataclass(value):
        return json_object(value)
    if isinstance(value, Mapping):
        return {str(key): json_value(entry) for key, entry in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [json_value(entry) for entry in value]
    return str(value)


def csv_rows(numbers: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The `rows` of a JSON object, one record each; an object inside a row gives a column for each of its values."""
    return [dict(_cells(row)) for row in numbers.get("rows", ())]


def _cells(row: Row, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from _cells(value, f"{prefix}{name}_")
        else:
            yield f"{prefix}{name}", value


def json_file(value: Row, name: str) -> HttpResponse:
    response = JsonResponse(value, json_dumps_params={"ensure_ascii": False, "allow_nan": False})
    return _as_file(response, f"{name}.json")


def csv_file(rows: Iterable[Row], name: str, columns: Sequence[str] = ()) -> HttpResponse:
    """columns: the header where there are no rows; an empty file without them."""
    # Spreadsheets recognise UTF-8 by this byte order mark.
    response = HttpResponse("\ufeff" + "".join(_lines(list(rows), columns)), content_type="text/csv; charset=utf-8")
    return _as_file(response, f"{name}.csv")


def _lines(rows: Sequence[Row], columns: Sequence[str]) -> Iterator[str]:
    header = [*rows[0]] if rows else columns
    if header:
        yield csv_line(header)
    yield from (csv_line(row.values()) for row in rows)


def _as_file(response: HttpResponse, name: str) -> HttpResponse:
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
