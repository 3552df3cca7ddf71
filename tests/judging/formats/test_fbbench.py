import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from annotate.formats.rows import Problem
from judging.formats.format import ChecklistMark, Judgement, judgement_formats

FORMAT = judgement_formats()["fbbench"]
COMPACT: dict[str, Any] = {
    "model": "ann",
    "sample_index": 7,
    "bench_type": "Error Correction",
    "judge_model": "judge-m",
    "judgement": {"Is it so?": {"result": "是", "weight": 0.6}, "Or so?": {"result": "否", "weight": 0.4}},
    "score": 0.6,
}
RAW: dict[str, Any] = {
    "infer_model": "ann",
    "judge_model": "judge-m",
    "user_query": "How many moons?",
    "origin_first_response": "Three.",
    "feedback": "One too many.",
    "second_response": "Two.",
    "checklist": [["Is it so?", 1.0]],
    "judgement": {"Is it so?": {"评判理由": "It is.", "评判结果": "是", "weight": 1.0}},
    "score": 1,
}


def read(tmp_path: Path, *rows: Any) -> list[Any]:
    path = tmp_path / "file.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return list(FORMAT.read(path, name="file.jsonl"))


def test_a_compact_row_names_its_item_by_its_place_in_the_dataset(tmp_path: Path) -> None:
    assert read(tmp_path, COMPACT) == [
        Judgement(
            line=1,
            author="ann",
            judge="judge-m",
            named_in="sample_index",
            key="fbbench-0007",
            said={"Is it so?": ChecklistMark(True, weight=0.6), "Or so?": ChecklistMark(False, weight=0.4)},
            score=0.6,
        )
    ]


def test_a_raw_row_holds_the_answer_and_the_texts(tmp_path: Path) -> None:
    [found] = read(tmp_path, RAW)
    assert isinstance(found, Judgement)
    assert (found.key, found.text, found.checklist) == ("", "Two.", ["Is it so?"])
    assert list(found.texts.values()) == ["How many moons?", "Three.", "One too many."]
    assert found.said == {"Is it so?": ChecklistMark(True, "It is.", 1.0)}


@pytest.mark.parametrize(
    ("judgement", "instead"),
    [({"API fialed": "$REPETITIVE$"}, "API fialed: $REPETITIVE$"), (None, "None"), ({}, "{}"), ("no", "no")],
)
def test_whatever_is_no_judgement_is_a_failed_call(tmp_path: Path, judgement: Any, instead: str) -> None:
    [found] = read(tmp_path, COMPACT | {"judgement": judgement, "score": 0})
    assert isinstance(found, Judgement)
    assert (found.failed, dict(found.said)) == (instead, {})


def test_a_verdict_that_says_neither_is_none_of_both(tmp_path: Path) -> None:
    [found] = read(tmp_path, COMPACT | {"judgement": {"a": {"result": "也许"}, "b": {"result": "是"}, "c": "否"}})
    assert isinstance(found, Judgement)
    assert [told.met for told in found.said.values()] == [None, True, False]


def test_an_array_and_a_packed_file_read_the_same(tmp_path: Path) -> None:
    packed = tmp_path / "file.json.gz"
    packed.write_bytes(gzip.compress(json.dumps([COMPACT, RAW]).encode()))
    assert list(FORMAT.read(packed, name="file.json.gz")) == read(tmp_path, COMPACT, RAW)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"sample_index": -1}, "sample_index"),
        ({"sample_index": True}, "sample_index"),
        ({"sample_index": "7"}, "sample_index"),
        ({"model": ""}, "model"),
        ({"model": "two\nlines"}, "model"),
        ({"model": "n" * 121}, "model"),
        ({"model": None}, "model"),
        ({"judge_model": 4}, "judge_model"),
        ({"score": "0.5"}, "score"),
        ({"score": 10**400}, "score"),
    ],
)
def test_a_bad_value_is_named_by_line_and_path(tmp_path: Path, change: dict[str, Any], path: str) -> None:
    good, bad = read(tmp_path, COMPACT, COMPACT | change)
    assert isinstance(good, Judgement)
    assert isinstance(bad, Problem)
    assert (bad.line, bad.path, bad.level) == (2, path, "error")


@pytest.mark.parametrize("field", ["infer_model", "second_response", "user_query", "feedback", "judgement"])
def test_a_raw_row_needs_its_fields(tmp_path: Path, field: str) -> None:
    [bad] = read(tmp_path, {name: value for name, value in RAW.items() if name != field})
    assert isinstance(bad, Problem)
    assert bad.path == field


@pytest.mark.parametrize(
    "line", ["{", "[1]", '"text"', '{"a": NaN}', "{} {}", '{"sample_index": 1, "sample_index": 2}']
)
def test_what_is_no_row_is_told_by_its_line(tmp_path: Path, line: str) -> None:
    good, bad = read(tmp_path, COMPACT, line)
    assert isinstance(good, Judgement)
    assert isinstance(bad, Problem)
    assert bad.line == 2


def test_huge_weights_do_no_harm(tmp_path: Path) -> None:
    [found] = read(tmp_path, COMPACT | {"judgement": {"a": {"result": "是", "weight": 10**400}}})
    assert isinstance(found, Judgement | Problem)


def test_a_missing_or_empty_file_is_one_problem(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    for name in ("missing.jsonl", "empty.jsonl"):
        [problem] = FORMAT.read(tmp_path / name, name=name)
        assert isinstance(problem, Problem)
        assert problem.line is None
