"""Files of Label Studio and Argilla: what is read of them, and what each fault is called."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.formats.registry import find_format
from annotate.formats.rows import ImportRow, Problem

TASK: dict[str, Any] = {"id": 7, "data": {"key": "a", "prompt": "Why?", "first": "One.", "second": "Two."}}
RECORD: dict[str, Any] = {"id": "a", "fields": {"prompt": "Why?", "first": "One.", "second": "Two."}}
FACTS = {"key": "a", "prompt": "Why?", "first": "One.", "second": "Two."}


def read(slug: str, folder: Path, content: Any) -> list[ImportRow | Problem]:
    path = folder / "given"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return list(find_format(slug).read(path))


def only(slug: str, folder: Path, content: Any) -> ImportRow:
    (row,) = read(slug, folder, [content])
    assert isinstance(row, ImportRow), row
    return row


def result(sort: str, value: Any, name: str = "choice") -> dict[str, Any]:
    return {"from_name": name, "to_name": "prompt", "type": sort, "value": value}


def annotated(*results: Any, **more: Any) -> dict[str, Any]:
    return TASK | {"annotations": [{"result": list(results)} | more]}


# --- Label Studio -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "read_as"),
    [
        (result("pairwise", {"selected": "left"}), {"choice": "first"}),
        (result("pairwise", {"selected": "right"}), {"choice": "second"}),
        (result("choices", {"choices": ["tie"]}, "choice__other"), {"choice": "tie"}),
        (result("choices", {"choices": ["a"]}, "types"), {"types": "a"}),
        (result("choices", {"choices": ["a"]}, "types__list"), {"types": ["a"]}),
        (result("choices", {"choices": ["a", "b"]}, "types"), {"types": ["a", "b"]}),
        (result("textarea", {"text": ["One.", "Two."]}, "reason"), {"reason": "One.\nTwo."}),
        (result("textarea", {"text": "One."}, "reason"), {"reason": "One."}),
        (result("textarea", {"text": ['{"a": 1}']}, "scores__json"), {"scores": {"a": 1}}),
        (result("rating", {"rating": 4}, "score"), {"score": 4}),
        (result("number", {"number": 0.5}, "score"), {"score": 0.5}),
    ],
)
def test_results_become_fields_of_a_draft(given: Any, read_as: dict[str, Any], tmp_path: Path) -> None:
    row = only("label_studio", tmp_path, annotated(given))
    assert row.value == FACTS | read_as
    assert not row.warnings


def test_predictions_are_suggestions_of_their_model(tmp_path: Path) -> None:
    told = {"model_version": "m-1", "result": [result("pairwise", {"selected": "left"})]}
    row = only("label_studio", tmp_path, TASK | {"predictions": [told]})
    assert row.value["suggestion"] == {"choice": "first", "model": "m-1"}


def test_a_task_without_data_is_its_own_data_and_a_cancelled_annotation_none(tmp_path: Path) -> None:
    assert only("label_studio", tmp_path, {"prompt": "Why?"}).value == {"prompt": "Why?"}
    given = annotated(result("pairwise", {"selected": "left"}), was_cancelled=True)
    assert only("label_studio", tmp_path, given).value == FACTS


def test_what_no_row_can_hold_is_named(tmp_path: Path) -> None:
    given = annotated(result("rectanglelabels", {"x": 1}), result("pairwise", {"selected": "left"}))
    given["annotations"].append({"result": [result("pairwise", {"selected": "right"})]})
    row = only("label_studio", tmp_path, given | {"agreement": 0.5})
    assert [path for path, _message in row.warnings] == ["agreement", "annotations[1]", "annotations[0].result[0]"]
    assert row.value["choice"] == "first"


@pytest.mark.parametrize(
    ("task", "path"),
    [
        ({"data": []}, "data"),
        (TASK | {"annotations": {"a": 1}}, "annotations"),
        (TASK | {"annotations": [1]}, "annotations"),
        (TASK | {"predictions": "x"}, "predictions"),
        (TASK | {"annotations": [{"result": {"a": 1}}]}, "annotations[0].result"),
        (annotated(1), "annotations[0].result[0]"),
        (annotated({"value": 1}), "annotations[0].result[0]"),
        (annotated(result("choices", {"choices": [1]})), "annotations[0].result[0].value"),
        (annotated(result("choices", {})), "annotations[0].result[0].value"),
        (annotated(result("pairwise", {"selected": "up"})), "annotations[0].result[0].value"),
        (annotated(result("pairwise", {"selected": []})), "annotations[0].result[0].value"),
        (annotated(result("rating", {"rating": "4"})), "annotations[0].result[0].value"),
        (annotated(result("rating", {"rating": True})), "annotations[0].result[0].value"),
        (annotated(result("textarea", {"text": None})), "annotations[0].result[0].value"),
        (annotated(result("textarea", {"text": [1]})), "annotations[0].result[0].value"),
        (annotated(result("textarea", {"text": ["{"]}, "x__json")), "annotations[0].result[0].value.x__json"),
        (annotated(result("textarea", {"text": ["NaN"]}, "x__json")), "annotations[0].result[0].value.x__json"),
        (annotated(result("choices", {"choices": ["a"]}, "")), "annotations[0].result[0].from_name"),
    ],
)
def test_a_bad_task_is_named_by_its_path_and_the_next_one_read(task: Any, path: str, tmp_path: Path) -> None:
    bad, good = read("label_studio", tmp_path, [task, TASK])
    assert isinstance(bad, Problem)
    assert (bad.line, bad.path, bad.level) == (1, path, "error")
    assert isinstance(good, ImportRow)
    assert good.value == FACTS


# --- Argilla ----------------------------------------------------------------------------------------------------------
def test_responses_are_drafts_and_suggestions_suggestions(tmp_path: Path) -> None:
    row = only(
        "argilla",
        tmp_path,
        RECORD
        | {
            "suggestions": {"choice": {"value": "first", "score": 0.5, "agent": "m-1"}},
            "responses": {"choice": [{"value": "tie", "user_id": "u"}], "reason": [{"value": "So.", "user_id": "u"}]},
        },
    )
    suggested = {"choice": "first", "model": "m-1"}
    assert row.value == FACTS | {"suggestion": suggested, "choice": "tie", "reason": "So."}


def test_records_of_version_one_are_read_too(tmp_path: Path) -> None:
    old = {
        "external_id": "a",
        "fields": RECORD["fields"],
        "suggestions": [{"question_name": "choice", "value": "first", "agent": None}],
        "responses": [
            {"values": {"choice": {"value": "second"}}, "status": "discarded"},
            {"values": {"choice": {"value": "tie"}}, "status": "submitted"},
        ],
    }
    assert only("argilla", tmp_path, old).value == FACTS | {
        "suggestion": {"choice": "first", "model": "argilla"},
        "choice": "tie",
    }


def test_argilla_also_line_by_line_and_numbers_as_keys(tmp_path: Path) -> None:
    lines = b"".join(json.dumps(RECORD | {"id": number}).encode() + b"\n" for number in (1, 2))
    found = read("argilla", tmp_path, lines)
    assert [each.value["key"] for each in found if isinstance(each, ImportRow)] == ["1", "2"]


def test_what_argilla_knows_and_no_row_can_hold_is_named(tmp_path: Path) -> None:
    given = {
        "metadata": {"a": 1},
        "vectors": {"v": [0.1]},
        "responses": {
            "choice": [{"value": "tie"}, {"value": "first"}],
            "spans": [{"value": [{"start": 0, "end": 1}]}],
        },
    }
    row = only("argilla", tmp_path, RECORD | given)
    assert [path for path, _message in row.warnings] == [
        "metadata",
        "vectors",
        "responses.choice[1]",
        "responses.spans",
    ]
    assert row.value == FACTS | {"choice": "tie"}


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"fields": []}, "fields"),
        ({"suggestions": 1}, "suggestions"),
        ({"suggestions": [1]}, "suggestions[0]"),
        ({"suggestions": {"choice": 1}}, "suggestions.choice"),
        ({"suggestions": {"choice": {"agent": "m"}}}, "suggestions.choice"),
        ({"responses": [{}]}, "responses[0]"),
        ({"responses": {"choice": [1]}}, "responses.choice"),
        ({"responses": {"x__json": [{"value": "{"}]}}, "responses.x__json"),
        ({"fields": {"x__json": "[1"}}, "fields.x__json"),
    ],
)
def test_a_bad_record_is_named_by_its_path(change: Any, path: str, tmp_path: Path) -> None:
    bad, good = read("argilla", tmp_path, [RECORD | change, RECORD])
    assert isinstance(bad, Problem)
    assert (bad.line, bad.path) == (1, path)
    assert isinstance(good, ImportRow)
