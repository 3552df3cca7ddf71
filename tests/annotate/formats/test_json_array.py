from annotate.formats.rows import ImportRow
from annotate.formats.source import Limits
from tests.annotate.formats.conftest import Read


def test_the_line_is_the_number_of_the_element(read: Read) -> None:
    rows, problems = read(b'\xef\xbb\xbf [\n{"a": 1},\n\n{"a":\n2}]\n', "json")
    assert rows == [ImportRow(1, {"a": 1}), ImportRow(2, {"a": 2})]
    assert problems == []


def test_bad_elements_are_named_and_the_others_are_kept(read: Read) -> None:
    rows, problems = read(b'[{"a": 1}, {"a": 1e999}, 7, {"a": 4}, ]', "json")
    assert [row.line for row in rows] == [1, 4]
    assert [(problem.line, problem.path) for problem in problems] == [(2, "a"), (3, ""), (5, "")]


def test_rows_before_a_missing_bracket_are_kept(read: Read) -> None:
    rows, problems = read(b'[{"a": 1}, {"a": 2}, {"a": ', "json")
    assert [row.line for row in rows] == [1, 2]
    assert [problem.line for problem in problems] == [None]


def test_an_object_at_the_top_is_one_problem_that_names_the_other_format(read: Read) -> None:
    rows, problems = read(b'{"rows": [{"a": 1}]}', "json")
    assert (rows, len(problems)) == ([], 1)
    assert "jsonl" in problems[0].message


def test_an_empty_list_holds_no_rows(read: Read) -> None:
    assert [problem.message for problem in read(b"[]", "json")[1]] == ["The file contains no rows."]


def test_an_element_over_the_limit_is_skipped(read: Read) -> None:
    text = b'[{"a": "' + b"x" * 2000 + b'"}, {"a": 2}]'
    rows, problems = read(text, "json", limits=Limits(line_bytes=1000))
    assert [row.line for row in rows] == [2]
    assert [problem.line for problem in problems] == [1]
