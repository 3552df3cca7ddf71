"""Pairs of Auto-J and PandaLM as queries with two responses and people's label."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.formats.registry import find_format
from annotate.formats.rows import Row
from annotate.kinds.branching.kind import KIND

AUTOJ = {"row": 7, "group": "Code", "label": 1, "prompt": "Ask.", "response 1": "A.", "response 2": "B."}
PANDALM = {
    "idx": 3,
    "motivation_app": "Mail",
    "cmp_key": "model-a_model-b",
    "instruction": "Shorten it.",
    "input": "A long text.",
    "response1": "Short.",
    "response2": "Long.",
    "annotator1": 1,
    "annotator2": 1,
    "annotator3": 0,
}


def read(slug: str, value: dict[str, Any], folder: Path) -> dict[str, Any]:
    path = folder / "pairs.jsonl"
    path.write_text(json.dumps(value), "utf-8")
    (row,) = find_format(slug).read(path)
    assert isinstance(row, Row)
    return dict(row.value)


def test_a_pair_of_autoj_keeps_its_label(tmp_path: Path) -> None:
    native = KIND.read_row(read("autoj", AUTOJ, tmp_path))
    assert native.key == "autoj-0007"
    assert KIND.read_facts(native.facts).stored() == {
        "query": "Ask.",
        "first": "A.",
        "second": "B.",
        "human_label": "second",
        "scenario": "Code",
    }


def test_a_pair_of_pandalm_has_its_authors_and_what_most_annotators_say(tmp_path: Path) -> None:
    native = KIND.read_row(read("pandalm", PANDALM, tmp_path))
    assert native.key == "pandalm-0003"
    assert KIND.read_facts(native.facts).stored() == {
        "query": "Shorten it.\n\nA long text.",
        "first": "Short.",
        "second": "Long.",
        "human_label": "first",
        "author_first": "model-a",
        "author_second": "model-b",
        "scenario": "Mail",
    }


@pytest.mark.parametrize(
    ("said", "label"), [((0, 1, 2), None), ((2, 2, 2), "second"), ((0, 0, 1), "tie"), ((1, 9, 1), "first")]
)
def test_without_a_majority_a_pair_has_no_label(tmp_path: Path, said: tuple[int, ...], label: str | None) -> None:
    value = PANDALM | dict(zip(("annotator1", "annotator2", "annotator3"), said, strict=True))
    assert read("pandalm", value, tmp_path).get("human_label") == label


def test_an_answer_that_was_read_as_a_truth_value_is_kept_as_its_word(tmp_path: Path) -> None:
    assert read("pandalm", PANDALM | {"response1": True}, tmp_path)["first"] == "True"


def test_a_label_that_is_none_is_left_for_the_kind_to_refuse(tmp_path: Path) -> None:
    assert read("autoj", AUTOJ | {"label": 5}, tmp_path)["human_label"] == 5
    assert "query" not in read("autoj", {"row": 1}, tmp_path)
