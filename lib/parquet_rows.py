"""Parquet files as JSON lines, and JSON lines as Parquet files: a program of its own, with limits of memory and time.

A small Parquet file can unpack to any size, and a damaged one can end the process that reads it. Nobody imports this
module at start: pyarrow needs 60 MB. `annotate/formats/parquet.py` runs it.

`read FILE BYTES` writes one object a line. A line `#[…]` before a row names the values of it that were left out, a line
`!{…}` says why reading stopped, and a line `.` is the end. `write FILE BYTES` writes the Parquet
file. BYTES is how much memory it may use.
"""

import json
import resource
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

MIB = 1024 * 1024
MOST_SECONDS = 900
MOST_ROWS, MOST_COLUMNS = 10_000_000, 2_000
BATCH_BYTES, BATCH_ROWS = 8 * MIB, 500  # read at once
GROUP_BYTES, GROUP_ROWS = 32 * MIB, 20_000  # written at once
LEFT_OUT, STOPPED, END = b"#", b"!", b"."


class Stopped(Exception):
    """Reading cannot go on. code: missing (the library), twice, columns, rows, memory or damaged; values: what a
    message about it names.
    """

    def __init__(self, code: str, **values: Any) -> None:
        self.code, self.values = code, values


def main(verb: str, path: str, most_memory: str) -> None:
    """most_memory: in bytes."""
    for limit, most in ((resource.RLIMIT_DATA, int(most_memory)), (resource.RLIMIT_CPU, MOST_SECONDS)):
        with suppress(ValueError, OSError):  # where the system allows less already, that holds
            resource.setrlimit(limit, (most, most))
    {"read": read, "write": write}[verb](path, sys.stdout.buffer)
    sys.stdout.buffer.flush()


# Reading.


def read(path: str, out: BinaryIO) -> None:
    try:
        for row, left_out in rows_of(path):
            if left_out:
                out.write(LEFT_OUT + _line(left_out))
            out.write(_line(row))
    except Stopped as stopped:
        out.write(STOPPED + _line({"code": stopped.code, **stopped.values}))
    out.write(END + b"\n")


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode(errors="replace") + b"\n"


def rows_of(path: str) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """(row without nulls, paths of values that are no text) for each row. Raises Stopped."""
    try:
        import pyarrow
    except ImportError as missing:
        raise Stopped("missing") from missing
    row_number = group_number = 0
    try:
        file = _opened(path)
        _refuse_shape(file)
        for group_number in range(1, file.num_row_groups + 1):
            for batch in file.iter_batches(_batch_rows(file, group_number - 1), [group_number - 1], use_threads=False):
                for values in _plain_rows(batch):
                    row_number += 1
                    yield values
    except MemoryError as full:
        raise Stopped("memory", row=row_number + 1, group=group_number) from full
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as damaged:
        message = " ".join(str(damaged).split())[:200]
        raise Stopped("damaged", row=row_number + 1, group=group_number, said=message) from damaged


def _opened(path: str) -> Any:
    from pyarrow.parquet import ParquetFile

    return ParquetFile(path, buffer_size=64 * 1024, pre_buffer=False, thrift_string_size_limit=100 * MIB)


def _refuse_shape(file: Any) -> None:
    names = file.schema_arrow.names
    twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if len(names) <= MOST_COLUMNS and twice is not None:
        raise Stopped("twice", name=twice)
    if file.metadata.num_columns > MOST_COLUMNS:
        raise Stopped("columns", n=file.metadata.num_columns, most=MOST_COLUMNS)
    if file.metadata.num_rows > MOST_ROWS:
        raise Stopped("rows", n=file.metadata.num_rows, most=MOST_ROWS)


def _batch_rows(file: Any, group: int) -> int:
    described = file.metadata.row_group(group)
    row_bytes = described.total_byte_size // max(described.num_rows, 1)
    return max(1, min(BATCH_ROWS, BATCH_BYTES // max(row_bytes, 1)))


def _plain_rows(batch: Any) -> Iterator[tuple[dict[str, Any], list[str]]]:
    columns = {name: _values(column) for name, column in zip(batch.schema.names, batch.columns, strict=True)}
    for row_index in range(batch.num_rows):
        left_out: list[str] = []
        values = {name: _plain(column[row_index], name, left_out) for name, column in columns.items()}
        yield {name: value for name, value in values.items() if value is not None}, left_out


def _values(column: Any) -> list[Any]:
    """The values of a column in Python; JSON is parsed. Times to a nanosecond are cut to the microsecond."""
    import pyarrow

    if isinstance(column, pyarrow.ExtensionArray) and "json" in column.type.extension_name:
        return [None if text is None else _parsed(text) for text in column.storage.to_pylist()]
    readable = _readable(column.type)
    if readable != column.type:
        with suppress(pyarrow.ArrowNotImplementedError):
            column = column.cast(readable, safe=False)
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        return list(column.cast(pyarrow.binary()).to_pylist())


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _readable(kind: Any) -> Any:
    """The type with times that Python has, also inside lists and objects."""
    import pyarrow

    types = pyarrow.types
    if types.is_timestamp(kind):
        return pyarrow.timestamp("us", "UTC" if kind.tz else None)
    if types.is_time64(kind) or types.is_duration(kind):
        return pyarrow.time64("us") if types.is_time64(kind) else pyarrow.duration("us")
    if types.is_struct(kind):
        return pyarrow.struct([member.with_type(_readable(member.type)) for member in kind])
    if types.is_list(kind) or types.is_large_list(kind):
        return pyarrow.list_(kind.value_field.with_type(_readable(kind.value_type)))
    return kind


def _plain(value: Any, path: str, left_out: list[str]) -> Any:
    """A value that JSON has. Times are ISO 8601, durations seconds, decimals texts with all digits, NaN null."""
    match value:
        case None | str() | bool() | int():
            return value
        case float():
            return None if value != value else value  # NaN
        case bytes():
            return _text(value, path, left_out)
        case dict():
            return {name: _plain(inner, f"{path}.{name}", left_out) for name, inner in value.items()}
        case list() if value and all(isinstance(entry, tuple) and isinstance(entry[0], str) for entry in value):
            return {name: _plain(inner, f"{path}.{name}", left_out) for name, inner in value}  # a map
        case list() | tuple():
            return [_plain(inner, path, left_out) for inner in value]
        case Decimal():
            return f"{value:f}"
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
    return str(value)


def _text(value: bytes, path: str, left_out: list[str]) -> str | None:
    try:
        return value.decode()
    except UnicodeDecodeError:
        left_out.append(path)
        return None


# Writing.


class Column(NamedTuple):
    """name: of the column. sort: str, bool, int, float, list of str, list of int, or json for everything else."""

    name: str
    sort: str


ALWAYS_JSON = {"provenance", "metadata"}
LARGEST_EXACT = 2**53  # of integers beside fractions


def write(path: str, out: BinaryIO) -> None:
    """Two passes over the JSON lines of a file: which types the columns have, then the rows. Withdrawn rows are left
    out.
    """
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    columns = columns_of(_lines(path))
    schema = pyarrow.schema([(column.name, _arrow_type(column)) for column in columns])
    with ParquetWriter(pyarrow.PythonFile(_Pipe(out), mode="w"), schema, compression="zstd") as writer:
        for rows in _groups(path):
            arrays = [_array(column, rows) for column in columns]
            writer.write_batch(pyarrow.RecordBatch.from_arrays(arrays, schema=schema))


class _Pipe:
    """A file that is written from its beginning to its end; a pipe does not know its position."""

    closed = False

    def __init__(self, out: BinaryIO) -> None:
        self._out, self._position = out, 0

    def write(self, data: Any) -> int:
        written = self._out.write(bytes(data))
        self._position += written
        return written

    def tell(self) -> int:
        return self._position

    def flush(self) -> None:
        self._out.flush()

    def close(self) -> None:
        self.closed = True


def _lines(path: str) -> Iterator[tuple[dict[str, Any], int]]:
    """(row, its bytes)"""
    with Path(path).open("rb") as file:
        for line in file:
            row = json.loads(line)
            if not row.get("withdrawn"):
                yield row, len(line)


def _groups(path: str) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    size = 0
    for row, length in _lines(path):
        rows.append(row)
        size += length
        if size > GROUP_BYTES or len(rows) >= GROUP_ROWS:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def columns_of(rows: Iterable[tuple[Mapping[str, Any], int]]) -> list[Column]:
    """The columns in the order in which they come; values of provenance and metadata are JSON, and come last."""
    sorts: dict[str, set[str]] = {"key": set()}
    for row, _size in rows:
        for name, value in row.items():
            column_sorts = sorts.setdefault(name, set())
            if value is not None and len(column_sorts) < 4:
                column_sorts.add(_sort(value))
    names = sorted(sorts, key=lambda name: name in ALWAYS_JSON)
    return [Column(name, "json" if name in ALWAYS_JSON else _common(sorts[name])) for name in names]


def _sort(value: Any) -> str:
    match value:
        case bool():
            return "bool"
        case str():
            return "str"
        case int():
            return "int" if abs(value) <= LARGEST_EXACT else "large int" if -(2**63) <= value < 2**63 else "json"
        case float():
            return "float"
        case list():
            inner = {_sort(entry) for entry in value}
            return "list" if not inner else f"list of {inner.pop()}" if inner in ({"str"}, {"int"}) else "json"
    return "json"


def _common(sorts: set[str]) -> str:
    """One sort that holds them all unchanged."""
    if sorts <= {"str"}:
        return "str"
    if len(sorts) == 1 and sorts <= {"bool", "int", "float"}:
        return next(iter(sorts))
    if sorts <= {"int", "large int"}:
        return "int"
    if sorts <= {"int", "float"}:
        return "float"
    if sorts <= {"list", "list of str"} or sorts <= {"list", "list of int"}:
        return "list of int" if "list of int" in sorts else "list of str"
    return "json"


def _arrow_type(column: Column) -> Any:
    import pyarrow

    simple = {"str": pyarrow.string(), "bool": pyarrow.bool_(), "int": pyarrow.int64(), "float": pyarrow.float64()}
    lists = {"list of str": pyarrow.list_(pyarrow.string()), "list of int": pyarrow.list_(pyarrow.int64())}
    return {**simple, **lists, "json": pyarrow.json_()}[column.sort]


def _array(column: Column, rows: list[dict[str, Any]]) -> Any:
    import pyarrow

    values = [row.get(column.name) for row in rows]
    if column.sort != "json":
        return pyarrow.array(values, _arrow_type(column))
    texts = [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]
    return pyarrow.ExtensionArray.from_storage(pyarrow.json_(), pyarrow.array(texts, pyarrow.string()))


if __name__ == "__main__":
    main(*sys.argv[1:4])
