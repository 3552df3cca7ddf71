"""Rows in the shapes of Prometheus and JudgeLM become items that keep the judgement in its own style."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.formats.registry import find_format
from annotate.formats.rows import ImportRow
from annotate.kinds.branching.kind import KIND

PROMETHEUS = {
    "orig_instruction": "How deep is the lake?",
    "orig_response": "Very deep.",
    "orig_reference_answer": "It is 254 metres deep.",
    "orig_criteria": "Does it answer with a figure?",
    "orig_score1_description": "No figure.",
    "orig_score5_description": "The right figure.",
    "orig_score": "2",
    "orig_feedback": "It names no figure.",
    "output": "It names no figure. [RESULT] 2",
}
JUDGELM = {
    "question_id": 17,
    "question_body": "How deep is the lake?",
    "answer1_body": "Very deep.",
    "answer2_body": "It is 254 metres deep.",
    "answer1_model_id": "model-a",
    "answer2_model_id": "model-b",
    "answer1_metadata": {"decoding": "top_p"},
    "score": [3, 8.5],
    "text": "The second gives the figure.",
    "score_w_reference": [2, 9],
    "text_w_reference": "The second is what the reference says.",
    "reference": {"text": "254 metres."},
}


def read(slug: str, rows: Any, folder: Path, **options: str) -> dict[str, Any]:
    path = folder / "given.json"
    path.write_text(json.dumps(rows), "utf-8")
    (row,) = find_format(slug).read(path, options=options)
    assert isinstance(row, ImportRow)
    return dict(row.value)


def test_one_score_with_feedback_rubric_and_reference(tmp_path: Path) -> None:
    native = KIND.read_row(read("prometheus", [PROMETHEUS | {"idx": 4}], tmp_path))
    assert native.key == "prometheus-0004"
    assert KIND.read_facts(native.facts).stored() == {
        "query": "How deep is the lake?",
        "first": "Very deep.",
        "original": {
            "style": "score",
            "judge": "prometheus",
            "lowest": 1,
            "highest": 5,
            "text": "It names no figure.",
            "score_first": 2,
            "rubric": "Does it answer with a figure?\n1: No figure.\n5: The right figure.",
            "reference": "It is 254 metres deep.",
        },
    }


def test_plain_names_do_as_well_and_without_rubric(tmp_path: Path) -> None:
    row = {
        "id": "a-1",
        "instruction": "Ask.",
        "response": "Say.",
        "score": 4,
        "feedback": "Fine.",
        "model": "m",
        "judge": "gpt-4",
    }
    value = read("prometheus", row, tmp_path)
    assert (value["key"], value["author_first"]) == ("a-1", "m")
    said = {"style": "score", "judge": "gpt-4", "lowest": 1, "highest": 5, "text": "Fine.", "score_first": 4}
    assert value["original"] == said


def test_two_scores_say_who_is_ahead_and_other_fields_stay_out(tmp_path: Path) -> None:
    native = KIND.read_row(read("judgelm", JUDGELM, tmp_path))
    assert native.key == "judgelm-0017"
    facts = KIND.read_facts(native.facts).stored()
    assert (facts["author_first"], facts["author_second"]) == ("model-a", "model-b")
    assert facts["original"] == {
        "style": "scores",
        "judge": "judgelm",
        "lowest": 1,
        "highest": 10,
        "text": "The second gives the figure.",
        "score_first": 3,
        "score_second": 8.5,
        "verdict": "second",
    }


def test_scores_beside_the_reference_say_so(tmp_path: Path) -> None:
    said = read("judgelm", JUDGELM, tmp_path, scores="beside the reference")["original"]
    assert (said["score_first"], said["score_second"], said["reference"]) == (2, 9, "254 metres.")
    assert KIND.set_aside(KIND.read_facts(KIND.read_row(read("judgelm", JUDGELM, tmp_path)).facts)) == ""


@pytest.mark.parametrize(("swapped", "other"), [([8, 3], "first"), ("4 4", "tie"), ([1], None), (None, None)])
def test_a_run_in_the_other_order_is_kept_where_it_can_be_read(tmp_path: Path, swapped: Any, other: str | None) -> None:
    said = read("judgelm", JUDGELM | {"score_swapped": swapped}, tmp_path)["original"]
    assert said.get("swapped") == other


def test_scores_that_are_none_are_left_for_the_kind_to_refuse(tmp_path: Path) -> None:
    value = read("judgelm", JUDGELM | {"score": "good"}, tmp_path)
    assert value["original"]["score_first"] == "good"
    assert "verdict" not in value["original"]


@pytest.mark.parametrize("slug", ["prometheus", "judgelm"])
def test_a_row_without_its_texts_stays_as_it_is(slug: str, tmp_path: Path) -> None:
    assert read(slug, {"score": 3, "odd": 1}, tmp_path) == {"score": 3, "odd": 1}
