import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from annotate.formats.format import BadOption
from annotate.formats.registry import find_format
from annotate.formats.rows import ImportRow, Problem
from tests.annotate.formats.conftest import Read

PUBLISHED = Path(__file__).parents[4] / "shared" / "data" / "fbbench_dataset_v3.json.gz"
SAMPLES: list[dict[str, Any]] = [
    {
        "bench_type": "Error Correction",
        "task_type": "Mathematics",
        "sub_task_type": "Algebra",
        "user_query": "2 + 2?",
        "origin_first_response": "5",
        "feedback": "No, it is 4.",
        "error_type": ["Logical errors"],
        "feedback_type": ["Pointing out errors"],
        "checklist": [["Does it say 4?", 1]],
    },
    {
        "bench_type": "Response Maintenance",
        "task_type": "Mathematics",
        "sub_task_type": "Algebra",
        "user_query": "1 + 1?",
        "origin_first_response": "2",
        "feedback": "It is 3.",
        "error_type": None,
        "feedback_type": ["Misinformation"],
        "checklist": ["Does it stay with 2?"],
        "reference_second_response": "It is 2.",
    },
]
AS_ARRAY = json.dumps(SAMPLES, indent=4).encode()
AS_LINES = "\n".join(json.dumps(sample) for sample in SAMPLES).encode()


@pytest.mark.parametrize("content", [AS_ARRAY, AS_LINES, gzip.compress(AS_ARRAY), b"\xef\xbb\xbf\n " + AS_LINES])
def test_array_and_lines_give_the_same_values_and_a_key_by_position(content: bytes, read: Read) -> None:
    rows, problems = read(content, "fbbench")
    assert problems == []
    assert [{**row.value, "key": ""} for row in rows] == [{**sample, "key": ""} for sample in SAMPLES]
    assert [row.value["key"] for row in rows] == [f"fbbench-{row.line - 1:04}" for row in rows]


def test_keys_count_from_zero_and_pass_over_bad_elements(read: Read) -> None:
    rows, _problems = read(b'[{"a": 1}, {"a": NaN}, {"a": 3}]', "fbbench")
    assert [row.value["key"] for row in rows] == ["fbbench-0000", "fbbench-0002"]


def test_a_key_in_the_row_stays(read: Read) -> None:
    assert read(b'{"key": "mine"}', "fbbench")[0][0].value == {"key": "mine"}


def test_with_facts_the_draft_fields_are_left_out(read: Read) -> None:
    rows, _problems = read(AS_ARRAY, "fbbench", options={"as": "facts"})
    facts = ("bench_type", "task_type", "sub_task_type", "user_query", "origin_first_response")
    assert rows[0].value == {"key": "fbbench-0000"} | {name: SAMPLES[0][name] for name in facts}


def test_suggestion_and_final_hand_over_the_same_rows(read: Read) -> None:
    assert read(AS_ARRAY, "fbbench", options={"as": "final"}) == read(AS_ARRAY, "fbbench")
    assert find_format("fbbench").complete({}) == {"as": "suggestion"}


def test_another_value_of_the_option_is_refused_with_the_choices(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="facts, suggestion, final"):
        find_format("fbbench").read(tmp_path, options={"as": "gold"})


def test_it_suits_the_kind_feedback_only() -> None:
    assert find_format("fbbench").suits("feedback")
    assert not find_format("fbbench").suits("preference")


def test_the_published_file_comes_over_with_every_value_unchanged() -> None:
    if not PUBLISHED.exists() and os.environ.get("CI") != "true":
        pytest.skip("the published dataset is not here; it is never part of the project")
    with gzip.open(PUBLISHED, "rt", encoding="utf-8") as file:
        published = json.load(file)
    found = list(find_format("fbbench").read(PUBLISHED))
    assert not [each for each in found if isinstance(each, Problem)]
    rows = [each.value for each in found if isinstance(each, ImportRow)]
    assert [row["key"] for row in rows] == [f"fbbench-{index:04}" for index in range(591)]
    expected = [{"key": f"fbbench-{index:04}", **sample} for index, sample in enumerate(published)]
    assert [json.dumps(row) for row in rows] == [json.dumps(sample) for sample in expected]
