from annotate.formats.rows import ImportRow
from annotate.formats.source import Limits
from tests.annotate.formats.conftest import Read


def test_rows_carry_their_line_blank_lines_counted(read: Read) -> None:
    rows, problems = read(b'{"a": 1}\n\n  \r\n{"a": 2}')
    assert rows == [ImportRow(1, {"a": 1}), ImportRow(4, {"a": 2})]
    assert problems == []


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(read: Read) -> None:
    assert read(b'\xef\xbb\xbf{"a": 1}\r\n{"a": 2}\r\n')[0] == [ImportRow(1, {"a": 1}), ImportRow(2, {"a": 2})]


def test_only_a_line_feed_ends_a_line(read: Read) -> None:
    text = "x\u2028y\u2029z\x85"
    rows, _problems = read(f'{{"a": "{text}"}}\n{{"b":\r\x20 2}}\n{{"c": 3}}'.encode())
    assert rows == [ImportRow(1, {"a": text}), ImportRow(2, {"b": 2}), ImportRow(3, {"c": 3})]


def test_a_vertical_tab_neither_ends_a_line_nor_counts_as_white_space(read: Read) -> None:
    rows, problems = read(b'{"a": 1}\x0b\n{"a": 2}')
    assert [row.line for row in rows] == [2]
    assert [problem.line for problem in problems] == [1]


def test_a_bad_line_is_named_and_the_others_are_kept(read: Read) -> None:
    rows, problems = read(b'{"a": 1}\n{"checklist": ["x", NaN]}\n{"a": 3}\n')
    assert [row.line for row in rows] == [1, 3]
    assert [(each.file, each.line, each.path, each.level) for each in problems] == [
        ("given", 2, "checklist[1]", "error")
    ]


def test_a_line_of_exactly_the_limit_is_read_and_one_more_is_not(read: Read) -> None:
    line = b'{"a": 1}'
    for end in (b"\n", b""):
        assert len(read(line + end, limits=Limits(line_bytes=8))[0]) == 1
        assert read(line + b" " + end, limits=Limits(line_bytes=8))[1][0].line == 1


def test_a_line_over_the_limit_is_skipped_whole(read: Read) -> None:
    long = b'{"a": "' + b"x" * 300_000 + b'"}'
    rows, problems = read(b'{"a": 1}\n' + long + b'\n{"a": 3}', limits=Limits(line_bytes=1000))
    assert [row.line for row in rows] == [1, 3]
    assert [problem.line for problem in problems] == [2]
    assert "longer than" in problems[0].message


def test_a_file_of_blank_lines_holds_no_rows(read: Read) -> None:
    _rows, problems = read(b"\n\n")
    assert [problem.message for problem in problems] == ["The file contains no rows."]
