"""The program that reads and writes Parquet: which values come out, what comes back unchanged, what is refused."""

import io
import json
import resource
import sys
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow.parquet import ParquetFile, write_table

from lib import parquet_rows
from lib.parquet_rows import Stopped, rows_of, write


def written(folder: Path, table: pyarrow.Table, **options: Any) -> str:
    write_table(table, folder / "t.parquet", **options)
    return str(folder / "t.parquet")


def only(folder: Path, values: list[Any], sort: Any = None) -> list[Any]:
    """How these values of one column are read."""
    table = pyarrow.table({"a": pyarrow.array(values, sort)})
    return [row.get("a") for row, _left_out in rows_of(written(folder, table))]


@pytest.mark.parametrize(
    ("value", "sort", "expected"),
    [
        ("x", pyarrow.large_string(), "x"),
        ("x", pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), "x"),
        (7, pyarrow.int8(), 7),
        (True, pyarrow.bool_(), True),
        (0.5, pyarrow.float32(), 0.5),
        (float("nan"), pyarrow.float64(), None),
        (Decimal("12.50"), pyarrow.decimal128(9, 2), "12.50"),
        (date(2026, 1, 2), pyarrow.date32(), "2026-01-02"),
        (time(1, 2, 3), pyarrow.time64("us"), "01:02:03"),
        (1_767_323_045, pyarrow.timestamp("s"), "2026-01-02T03:04:05"),
        (1_000_000_001, pyarrow.timestamp("ns"), "1970-01-01T00:00:01"),
        (datetime(2026, 1, 2, tzinfo=UTC), pyarrow.timestamp("us", "Asia/Shanghai"), "2026-01-02T00:00:00+00:00"),
        (timedelta(seconds=90), pyarrow.duration("ms"), 90.0),
        (b"text", pyarrow.binary(), "text"),
        (b"\xff\xfe", pyarrow.binary(), None),
        ([{"t": 1_000_000_001}], pyarrow.list_(pyarrow.struct({"t": pyarrow.timestamp("ns")})), None),
        ([("a", 1)], pyarrow.map_(pyarrow.string(), pyarrow.int64()), {"a": 1}),
        ({"b": [1, None]}, pyarrow.struct({"b": pyarrow.list_(pyarrow.int64())}), {"b": [1, None]}),
    ],
)
def test_values_become_what_json_has(value: Any, sort: Any, expected: Any, tmp_path: Path) -> None:
    if expected is None and isinstance(value, list):
        expected = [{"t": "1970-01-01T00:00:01"}]
    assert only(tmp_path, [value], sort) == [expected]


def test_what_is_binary_is_named(tmp_path: Path) -> None:
    table = pyarrow.table({"image": [{"bytes": b"\x89\xff", "path": "a.png"}], "key": ["k"]})
    assert [*rows_of(written(tmp_path, table))] == [
        ({"image": {"bytes": None, "path": "a.png"}, "key": "k"}, ["image.bytes"])
    ]


ANSWERS = st.one_of(
    st.none(),
    st.booleans(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=3), max_size=3),
    st.lists(st.one_of(st.integers(-9, 9), st.none(), st.text(max_size=1)), max_size=3),
    st.dictionaries(st.sampled_from("ab"), st.integers(0, 3), max_size=2),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.dictionaries(st.sampled_from(["a", "b", "provenance"]), ANSWERS), min_size=1, max_size=4))
def test_rows_come_back_as_they_were_but_for_nulls(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    for number, row in enumerate(rows):
        row["key"] = f"k{number}"
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    packed = io.BytesIO()
    write(str(tmp_path / "rows.jsonl"), packed)
    (tmp_path / "t.parquet").write_bytes(packed.getvalue())
    back = [row for row, _left_out in rows_of(str(tmp_path / "t.parquet"))]
    assert back == [{name: value for name, value in row.items() if value is not None} for row in rows]


def test_columns_have_the_types_that_tools_expect(tmp_path: Path) -> None:
    rows = [
        {
            "key": "a",
            "good": 4,
            "topics": ["news"],
            "price": 2,
            "order": [1, 2],
            "provenance": {"by": "x"},
            "why": None,
        },
        {"key": "b", "good": 5, "topics": [], "price": 2.5, "order": [2, 1], "provenance": {}, "mixed": 1},
        {"key": "c", "mixed": "x", "withdrawn": None},
        {"key": "d", "withdrawn": True},
    ]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    packed = io.BytesIO()
    write(str(tmp_path / "rows.jsonl"), packed)
    file = ParquetFile(packed)
    types = {name: str(kind) for name, kind in zip(file.schema_arrow.names, file.schema_arrow.types, strict=True)}
    assert types | {"provenance": "", "mixed": ""} == {
        "key": "string",
        "good": "int64",
        "topics": "list<element: string>",
        "price": "double",
        "order": "list<element: int64>",
        "why": "string",
        "mixed": "",
        "withdrawn": "string",
        "provenance": "",
    }
    assert "json" in types["mixed"]
    assert types["provenance"] == types["mixed"]
    assert file.metadata.num_rows == 3


@pytest.mark.parametrize(
    ("table", "limits", "code"),
    [
        (pyarrow.table([[1], [2]], names=["a", "a"]), {}, "twice"),
        (pyarrow.table({"a": [1], "b": [2]}), {"MOST_COLUMNS": 1}, "columns"),
        (pyarrow.table({"a": [1, 2]}), {"MOST_ROWS": 1}, "rows"),
    ],
)
def test_files_of_a_shape_that_is_not_read_are_refused(
    table: pyarrow.Table, limits: dict[str, int], code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, most in limits.items():
        monkeypatch.setattr(parquet_rows, name, most)
    with pytest.raises(Stopped) as stopped:
        list(rows_of(written(tmp_path, table)))
    assert stopped.value.code == code


def test_a_damaged_row_group_is_named_and_the_rows_before_it_are_read(tmp_path: Path) -> None:
    table = pyarrow.table({"a": [f"row {n} {'x' * 40}" for n in range(300)]})
    path = written(tmp_path, table, row_group_size=100, compression="zstd", use_dictionary=False)
    start = ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    content = bytearray(Path(path).read_bytes())
    content[start + 30 : start + 90] = b"\xaa" * 60
    Path(path).write_bytes(content)
    rows = rows_of(path)
    assert [next(rows)[0]["a"][:6] for _n in range(100)][-1] == "row 99"
    with pytest.raises(Stopped) as stopped:
        next(rows)
    assert (stopped.value.code, stopped.value.values["group"], stopped.value.values["row"]) == ("damaged", 2, 101)


def test_texts_that_are_no_unicode_are_left_out_and_named(tmp_path: Path) -> None:
    texts = pyarrow.array([b"plain", b"\xff\xfe"]).view(pyarrow.string())
    assert [*rows_of(written(tmp_path, pyarrow.table({"a": texts})))] == [({"a": "plain"}, []), ({}, ["a"])]


def test_json_that_cannot_be_parsed_stays_text(tmp_path: Path) -> None:
    texts = pyarrow.array(['{"n": 1}', "{n: 1}", None])
    column = pyarrow.ExtensionArray.from_storage(pyarrow.json_(), texts)
    assert [row for row, _left_out in rows_of(written(tmp_path, pyarrow.table({"a": column})))] == [
        {"a": {"n": 1}},
        {"a": "{n: 1}"},
        {},
    ]


def test_a_type_that_json_has_not_is_written_as_text(tmp_path: Path) -> None:
    column = pyarrow.array([UUID(int=5).bytes], pyarrow.uuid())
    assert only(tmp_path, column) == ["00000000-0000-0000-0000-000000000005"]


def test_a_row_that_memory_does_not_hold_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = parquet_rows._plain

    def full_at_the_third(value: Any, path: str, left_out: list[str]) -> Any:
        if value == 3:
            raise MemoryError
        return plain(value, path, left_out)

    monkeypatch.setattr(parquet_rows, "_plain", full_at_the_third)
    rows = rows_of(written(tmp_path, pyarrow.table({"a": [1, 2, 3]})))
    assert [next(rows)[0], next(rows)[0]] == [{"a": 1}, {"a": 2}]
    with pytest.raises(Stopped) as stopped:
        next(rows)
    assert (stopped.value.code, stopped.value.values) == ("memory", {"row": 3, "group": 1})


def test_a_missing_library_is_one_line_of_the_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    out = io.BytesIO()
    parquet_rows.read("t.parquet", out)
    assert out.getvalue() == b'!{"code": "missing"}\n.\n'


def test_the_program_limits_itself_and_prints_one_row_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    limits: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda limit, most: limits.append((limit, most)))
    table = pyarrow.table({"key": ["\u4e00", "b"], "image": [b"\xff", None]})
    parquet_rows.main("read", written(tmp_path, table), "1000")
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert lines == ['#["image"]', '{"key": "\u4e00"}', '{"key": "b"}', "."]
    assert limits == [(resource.RLIMIT_DATA, (1000, 1000)), (resource.RLIMIT_CPU, (900, 900))]


def test_a_stricter_limit_of_the_system_holds_and_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def not_allowed(_limit: int, _most: tuple[int, int]) -> None:
        raise ValueError("not allowed to raise maximum limit")

    monkeypatch.setattr(resource, "setrlimit", not_allowed)
    (tmp_path / "rows.jsonl").write_text('{"a": 1}\n')
    parquet_rows.main("write", str(tmp_path / "rows.jsonl"), "1000")
    assert capfdbinary.readouterr().out[:4] == b"PAR1"


def test_many_rows_are_written_as_several_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_rows, "GROUP_ROWS", 2)
    (tmp_path / "rows.jsonl").write_text("".join(f'{{"n": {n}}}\n' for n in (1, 2, 3, 2**60)))
    packed = io.BytesIO()
    write(str(tmp_path / "rows.jsonl"), packed)
    file = ParquetFile(packed)
    assert (file.num_row_groups, file.metadata.num_rows) == (2, 4)
    assert file.schema_arrow.field("n").type == pyarrow.int64()
    assert file.read().column("n").to_pylist() == [1, 2, 3, 2**60]


def test_a_pipe_counts_its_own_position() -> None:
    out = io.BytesIO()
    pipe = parquet_rows._Pipe(out)
    file = pyarrow.PythonFile(pipe, mode="w")
    file.write(b"four")
    file.flush()
    assert (file.tell(), out.getvalue()) == (4, b"four")
    file.close()
    assert pipe.closed
    assert not out.closed
