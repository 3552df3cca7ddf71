import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.formats.rows import ImportRow
from annotate.formats.source import Limits
from tests.annotate.formats.conftest import Read


def test_cells_are_texts_and_empty_ones_are_missing_fields(read: Read) -> None:
    rows, problems = read(b"key,user_query,note\na1,007,\na2,,x\n", "csv")
    assert rows == [ImportRow(2, {"key": "a1", "user_query": "007"}), ImportRow(3, {"key": "a2", "note": "x"})]
    assert problems == []


def test_a_cell_of_json_becomes_its_value_and_what_only_looks_like_it_stays_text(read: Read) -> None:
    text = b'a,b,c,d\n"[[""x"", 1], [""y"", 0.5]]","{""k"": 2}","[1, NaN]",[see below]\n'
    rows, _problems = read(text, "csv")
    assert rows[0].value == {"a": [["x", 1], ["y", 0.5]], "b": {"k": 2}, "c": "[1, NaN]", "d": "[see below]"}


def test_a_column_of_json_holds_json_in_every_cell(read: Read) -> None:
    rows, problems = read(b'a (json),b\n3,x\n"""3""",\ntrue,\n,y\nNaN,z\n"[",z\n', "csv")
    assert [row.value for row in rows] == [{"a": 3, "b": "x"}, {"a": "3"}, {"a": True}, {"b": "y"}]
    assert [(problem.line, problem.path) for problem in problems] == [(6, '["a (json)"]'), (7, '["a (json)"]')]
    assert "Two columns" in read(b"a,a (json)\n1,2\n", "csv")[1][0].message


def test_what_was_neutralised_is_restored_unless_somebody_wants_it_kept(read: Read) -> None:
    content = b"a,b,c,d\n'=1+1,','tis,''=x\n"
    assert read(content, "csv")[0][0].value == {"a": "=1+1", "b": "", "c": "'tis", "d": "'=x"}
    kept = read(content, "csv", options={"apostrophes": "kept"})[0][0].value
    assert kept == {"a": "'=1+1", "b": "'", "c": "'tis", "d": "''=x"}


def test_the_line_is_where_the_record_starts(read: Read) -> None:
    rows, problems = read(b'\xef\xbb\xbfa,b\r\n"x\r\ny\n",1\r\n\r\n2,"3"\r\n4\r\n5,6', "csv")
    assert rows == [
        ImportRow(2, {"a": "x\r\ny\n", "b": "1"}),
        ImportRow(6, {"a": "2", "b": "3"}),
        ImportRow(8, {"a": "5", "b": "6"}),
    ]
    assert [problem.line for problem in problems] == [7]


def test_unicode_separators_in_a_cell_end_nothing(read: Read) -> None:
    assert read("a\nx\u2028y\x0bz\x85\n".encode(), "csv")[0] == [ImportRow(2, {"a": "x\u2028y\x0bz\x85"})]


def test_a_wrong_number_of_cells_is_told_with_both_numbers(read: Read) -> None:
    _rows, problems = read(b"a,b\n1,2,3\n", "csv")
    assert problems[0].line == 2
    assert "3 cells, but the header has 2 columns" in problems[0].message


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (b"a,b,a\n1,2,3\n", "Two columns are called “a”"),
        (b"a,,c\n1,2,3\n", "Column 2 has no name"),
        (b"a,b,\n1,2,\n", "Column 3 has no name"),
        (b"a,caf\xe9\n1,2\n", "column 2"),
        (b'a,"b\n1,2\n', "never closed"),
        (b"a,b\0\n1,2\n", "NUL"),
        (b"a\rb\rc", "carriage return"),
        (b"\n\n", "no header"),
    ],
)
def test_a_header_that_cannot_name_cells_refuses_the_file(text: bytes, part: str, read: Read) -> None:
    rows, problems = read(text, "csv")
    assert (rows, [problem.line for problem in problems]) == ([], [None])
    assert part in problems[0].message


def test_a_header_alone_holds_no_rows(read: Read) -> None:
    assert [problem.message for problem in read(b"a,b\n", "csv")[1]] == ["The file contains no rows."]


def test_a_quote_that_is_never_closed_is_named_where_its_record_starts(read: Read) -> None:
    rows, problems = read(b'a,b\n1,2\n3,"x\n5,6\n', "csv")
    assert [row.line for row in rows] == [2]
    assert [problem.line for problem in problems] == [3]
    assert "never closed" in problems[0].message


@pytest.mark.parametrize("bad", [b'"x"y,2', b"1\r2,3", b"caf\xe9,2", b"x\0,2", b"1", b"1,2,3"])
def test_a_bad_record_is_named_and_the_others_are_kept(bad: bytes, read: Read) -> None:
    rows, problems = read(b"a,b\n1,2\n" + bad + b"\n5,6\n", "csv")
    assert [row.line for row in rows] == [2, 4]
    assert [problem.line for problem in problems] == [3]


def test_bytes_that_are_not_utf_8_are_named_with_their_column(read: Read) -> None:
    _rows, problems = read(b"a,b\n1,caf\xe9\n", "csv")
    assert (problems[0].path, problems[0].message[:13]) == ("b", "The byte 0xE9")


@pytest.mark.parametrize(
    "long", [b"x" * 500_000 + b",2", b'"' + b"x\n" * 5000 + b'",2', b'"x""' + b"y" * 5000 + b'\n",2']
)
def test_a_record_over_the_limit_is_skipped_to_its_end(long: bytes, read: Read) -> None:
    rows, problems = read(b"a,b\n1,2\n" + long + b"\n5,6\n", "csv", limits=Limits(line_bytes=1000))
    assert [row.value for row in rows] == [{"a": "1", "b": "2"}, {"a": "5", "b": "6"}]
    assert [problem.line for problem in problems] == [3]
    assert rows[1].line == 4 + long.count(b"\n")


def test_a_cell_may_be_far_longer_than_the_parser_allows_by_default(read: Read) -> None:
    assert len(read(b"a\n" + b"x" * 1_000_000 + b"\n", "csv")[0][0].value["a"]) == 1_000_000


def test_the_separator_is_an_option(read: Read) -> None:
    assert read(b"a;b\n1;2,5\n", "csv", options={"separator": "semicolon"})[0] == [ImportRow(2, {"a": "1", "b": "2,5"})]
    assert read(b"a\tb\n1\t2\n", "csv", options={"separator": "tab"})[0] == [ImportRow(2, {"a": "1", "b": "2"})]


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(
    lambda text: text[0] not in "[{"
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(cells, cells), min_size=1))
def test_what_a_csv_writer_wrote_is_read_unchanged(read: Read, records: list[tuple[str, str]]) -> None:
    table = io.StringIO()
    csv.writer(table, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *records])
    rows, problems = read(table.getvalue().encode(), "csv")
    assert [(row.value["a"], row.value["b"]) for row in rows] == records
    assert problems == []
