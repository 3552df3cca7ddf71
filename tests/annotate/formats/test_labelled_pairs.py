"""Pairs of Auto-J and PandaLM as queries with two responses and people's label."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.formats.registry import find_format
from annotate.formats.rows import ImportRow
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


def read(slug: str, value: dict[str, Any], folder: Path, **options: str) -> dict[str, Any]:
    path = folder / "pairs.jsonl"
    path.write_text(json.dumps(value), "utf-8")
    (row,) = find_format(slug).read(path, options=options)
    assert isinstance(row, ImportRow)
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


# --- what their judges said -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("straight", "swapped", "labels", "other"),
    [(0, 1, "exchanged", "first"), (0, 0, "exchanged", "second"), (2, 2, "exchanged", "tie"), (0, 0, "kept", "first")],
)
def test_the_verdict_of_autoj_is_kept_in_both_orders_as_the_responses_are_called(
    tmp_path: Path, straight: int, swapped: int, labels: str, other: str
) -> None:
    value = AUTOJ | {"autoj_output": straight, "autoj_output_swapped_raw": swapped}
    said = read("autoj", value, tmp_path, labels=labels)["original"]
    verdict = {0: "first", 2: "tie"}[straight]
    assert said == {
        "style": "verdict",
        "judge": "auto-j",
        "verdict": verdict,
        "swapped": other,
        "source": "autoj-0007",
    }
    assert KIND.read_facts(KIND.read_row(read("autoj", value, tmp_path)).facts).original is not None


def test_a_verdict_that_is_none_or_not_wanted_is_not_kept(tmp_path: Path) -> None:
    assert "original" not in read("autoj", AUTOJ | {"autoj_output": 7}, tmp_path)
    assert "original" not in read("autoj", AUTOJ | {"autoj_output": 1}, tmp_path, judgement="left aside")


SAID = {"gpt35_result": "1", "gpt35_reason": "Shorter.", "pandalm_result": 2, "pandalm_reason": "More complete."}


@pytest.mark.parametrize(
    ("judge", "more", "said"),
    [
        ("pandalm", {}, {"judge": "pandalm-7b", "verdict": "second", "text": "More complete."}),
        ("gpt35", {}, {"judge": "gpt-3.5", "verdict": "first", "text": "Shorter."}),
        ("gpt35", {"gpt35_result": "Tie", "gpt35_reason": ""}, {"judge": "gpt-3.5", "verdict": "tie"}),
        ("gpt35", {"gpt35_result": "garbage"}, None),
        ("nobody", {}, None),
    ],
)
def test_one_judge_of_pandalm_is_kept_with_its_reason(
    tmp_path: Path, judge: str, more: dict[str, Any], said: dict[str, Any] | None
) -> None:
    kept = read("pandalm", PANDALM | SAID | more, tmp_path, judgement=judge).get("original")
    assert kept == (None if said is None else {"style": "verdict"} | said)
