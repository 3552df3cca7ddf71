import json

from annotate.formats.rows import Problem


def test_a_problem_is_written_with_its_level() -> None:
    assert Problem("a.jsonl", 3, "checklist[2]", "weight missing").as_json() == {
        "file": "a.jsonl",
        "line": 3,
        "path": "checklist[2]",
        "message": "weight missing",
        "level": "error",
    }


def test_whatever_a_file_held_a_problem_can_be_printed_and_stored() -> None:
    problem = Problem("\udcff.jsonl", 1, "a\x00b", "\ud800 \x1b[31m \u202e")
    text = json.dumps(problem.as_json(), ensure_ascii=False)
    assert text.encode().isascii()
    assert "\\u0000" not in text
    assert problem.path == "a\\x00b"


def test_chinese_stays_readable_in_a_problem() -> None:
    assert Problem("数据.jsonl", 1, "问题[0]", "缺").path == "问题[0]"


def test_an_endless_path_is_cut() -> None:
    assert len(Problem("a", 1, "x" * 10_000, "m" * 10_000).path) == 200
