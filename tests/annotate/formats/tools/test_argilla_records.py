"""Records of Argilla with answers to own questions: spans in UTF-16 units, rankings, and responses as ratings."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.formats.registry import find_format
from annotate.formats.rows import ImportRow, Out, Problem
from annotate.kinds.questions.definition import read_definition

DEFINITION = read_definition("""
show: [{field: a, as: text}, {field: b, as: text}, {field: log, as: chat, optional: true}]
questions:
  - {name: marks, type: spans, on: [a, b], labels: [Person, Place]}
  - {name: errors, type: spans, on: [a], labels: [x], attributes: {s: [y]}}
  - {name: order, type: ranking, of: [b, a]}
  - {name: grade, type: rating, scale: {"1": null, "5": null}}
  - {name: price, type: number}
""")
FACTS = {"a": "🙂 Ana 🙂🙂 北京", "b": "two", "log": [{"role": "user", "content": "Hi"}]}
ANA = {"field": "a", "start": 2, "end": 5, "text": "Ana", "label": "Person"}
PLACE = {"field": "a", "start": 6, "end": 11, "text": "🙂🙂 北京", "label": "Place"}
TWO = {"field": "b", "start": 0, "end": 3, "text": "two", "label": "Place"}
ARGILLA = find_format("argilla").for_definition(DEFINITION)


def written(**draft: Any) -> dict[str, Any]:
    [record] = json.loads(b"".join(ARGILLA.written([Out("k", FACTS, draft, {}, is_final=True)], [])))
    return dict(record)


def read(folder: Path, record: Any, *, ratings: bool = False) -> list[ImportRow | Problem]:
    (folder / "records.json").write_text(json.dumps([record]), encoding="utf-8")
    return list(ARGILLA.read(folder / "records.json", ratings=ratings))


@pytest.mark.parametrize(
    "answers",
    [
        {"marks": [ANA, PLACE, TWO]},
        {"marks": [TWO]},
        {"marks": []},
        {"errors": [{"field": "a", "start": 0, "end": 1, "text": "🙂", "label": "x", "s": "y", "note": "n"}]},
        {"order": [2, 1], "grade": 4},
    ],
)
def test_answers_come_back_equal(answers: dict[str, Any], tmp_path: Path) -> None:
    [row] = read(tmp_path, written(**answers))
    assert isinstance(row, ImportRow)
    assert {name: row.value.get(name) for name in answers} == answers
    assert {name: row.value[name] for name in FACTS} == FACTS


def test_offsets_are_utf16_units_there() -> None:
    [value] = written(marks=[ANA, PLACE])["responses"]["marks"]
    assert value["value"] == [{"start": 3, "end": 6, "label": "Person"}, {"start": 7, "end": 14, "label": "Place"}]


def test_offsets_inside_a_character_are_taken_as_code_points(tmp_path: Path) -> None:
    record = written() | {"responses": {"marks": [{"value": [{"start": 1, "end": 5, "label": "Person"}]}]}}
    [row] = read(tmp_path, record)
    assert isinstance(row, ImportRow)
    assert row.value["marks"] == [{"field": "a", "start": 1, "end": 5, "text": " Ana", "label": "Person"}]


def test_every_user_who_responded_is_a_rater(tmp_path: Path) -> None:
    responses = {
        "grade": [{"value": 4, "user_id": "u-1"}, {"value": 2, "user_id": "u-2"}],
        "price": [{"value": "1.5", "user_id": "u-2"}],
    }
    rows = read(tmp_path, written() | {"responses": responses}, ratings=True)
    assert [row.value for row in rows if isinstance(row, ImportRow)] == [
        {"key": "k", **FACTS, "rater": "u-1", "grade": 4},
        {"key": "k", **FACTS, "rater": "u-2", "grade": 2, "price": "1.5"},
    ]


@pytest.mark.parametrize("value", [5, [7], [{"start": 0}], [{"rank": 1}]])
@pytest.mark.parametrize("question", ["marks", "order"])
def test_a_value_that_does_not_fit_is_named(question: str, value: Any, tmp_path: Path) -> None:
    [problem] = read(tmp_path, written() | {"responses": {question: [{"value": value}]}})
    assert isinstance(problem, Problem)
    assert problem.path == f"responses.{question}"
