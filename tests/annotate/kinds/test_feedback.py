import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.http import QueryDict
from django.utils.translation import override

from annotate.kinds import find_kind
from annotate.kinds.values import BadShape
from tests.support.people import DRAFT, FACTS

KIND = find_kind("feedback")
MAINTENANCE = FACTS | {"bench_type": "Response Maintenance"}
KEPT = {
    "task_type": "Knowledge Q&A",
    "sub_task_type": "Objective Facts",
    "feedback": "Are you sure?",
    "feedback_type": ["Simple Questioning"],
    "checklist": ["Does it stand by two moons?"],
}
PUBLISHED = Path(__file__).resolve().parents[4] / "shared" / "data" / "fbbench_dataset_v3.json.gz"


def problems(draft: dict[str, Any], facts: dict[str, Any] = FACTS) -> dict[str, str]:
    found = KIND.problems(KIND.read_facts(facts), KIND.read_draft(draft), KIND.options())
    return {one.path: one.message for one in found}


def test_a_good_draft_of_either_scenario_has_no_problem() -> None:
    assert problems(DRAFT) == {}
    assert problems(KEPT, MAINTENANCE) == {}


@pytest.mark.parametrize(
    ("weights", "fine"),
    [
        ([0.6, 0.4], True),
        ([1, 0], True),
        ([0.1] * 10, True),  # 0.1 ten times is not 1 in binary
        ([0.3333, 0.3333, 0.3333], True),  # 0.9999: thirds, rounded by a person
        ([0.33, 0.33, 0.33], False),
        ([0.6, 0.5], False),
    ],
)
def test_weights_add_up_to_one_within_the_tolerance(weights: list[float], fine: bool) -> None:
    rows = [[f"Is it {no}?", weight] for no, weight in enumerate(weights)]
    assert (problems(DRAFT | {"checklist": rows}) == {}) is fine


@pytest.mark.parametrize(
    ("change", "path", "says"),
    [
        ({"task_type": "Maths"}, "task_type", "not allowed"),
        ({"task_type": ""}, "task_type", "choose a task"),
        ({"sub_task_type": "Algebra"}, "sub_task_type", "Objective Facts"),
        ({"error_type": []}, "error_type", "at least one"),
        ({"error_type": ["Logical Error", "Typo"]}, "error_type[1]", "Typo"),
        ({"feedback_type": ["Misinformation"]}, "feedback_type[0]", "Pointing Out Errors"),
        ({"feedback_type": []}, "feedback_type", "at least one"),
        ({"checklist": []}, "checklist", "at least one question"),
        ({"checklist": [["Is it?", 0.5], ["  ", 0.5]]}, "checklist[1]", "empty"),
        ({"checklist": [["Is it?", 0.5], ["Is  it?", 0.5]]}, "checklist[1]", "repeats question 1"),
        ({"checklist": ["Is it?"]}, "checklist[0]", "weight missing"),
        ({"checklist": [["Is it?", 1.2], ["Was it?", -0.2]]}, "checklist[0]", "between 0 and 1"),
    ],
)
def test_a_problem_names_its_place_and_the_remedy(change: dict[str, Any], path: str, says: str) -> None:
    assert says in problems(DRAFT | change)[path]


def test_response_maintenance_has_neither_deficiencies_nor_weights() -> None:
    found = problems(KEPT | {"error_type": ["Logical Error"], "checklist": [["Is it?", 1]]}, MAINTENANCE)
    assert set(found) == {"error_type", "checklist[0]"}


def test_what_is_called_unsuitable_needs_nothing_else() -> None:
    assert problems(DRAFT | {"suitable": False, "checklist": [], "feedback": ""}) == {}


@pytest.mark.parametrize("bad", [["q"], ["q", "0.5"], ["q", True], ["q", float("nan")], [1, 0.5], 7, None])
def test_a_checklist_entry_of_another_shape_is_named(bad: Any) -> None:
    with pytest.raises(BadShape) as refused:
        KIND.read_draft(DRAFT | {"checklist": [["Is it?", 1], bad]})
    assert [found.path for found in refused.value.findings] == ["checklist[1]"]


def test_a_question_that_asks_how_is_doubted_in_both_languages() -> None:
    rows = [["How well is it explained?", 0.5], ["为什么是两颗？", 0.5]]
    found = KIND.doubts(KIND.read_facts(FACTS), KIND.read_draft(DRAFT | {"checklist": rows}), KIND.options())
    assert [one.path for one in found] == ["checklist[0]", "checklist[1]"]


def test_a_posted_form_is_read_as_the_draft() -> None:
    data = QueryDict(mutable=True)
    data.update({"task": "Knowledge Q&A / Objective Facts", "feedback": "one\r\ntwo", "suitable": "yes"})
    data.setlist("error_type", ["Factual Error"])
    data.setlist("feedback_type", ["Pointing Out Errors"])
    data.setlist("question", ["Is it?", "", "Was it?"])
    data.setlist("weight", ["1", "", "0,25"])
    draft = KIND.read_form(data, KIND.read_facts(FACTS))
    assert draft == {
        "task_type": "Knowledge Q&A",
        "sub_task_type": "Objective Facts",
        "feedback": "one\ntwo",
        "feedback_type": ["Pointing Out Errors"],
        "error_type": ["Factual Error"],
        "checklist": [["Is it?", 1], ["Was it?", 0.25]],
        "suitable": True,
    }


def test_a_weight_that_is_no_number_stays_as_typed() -> None:
    data = QueryDict(mutable=True)
    data.setlist("question", ["Is it?"])
    data.setlist("weight", ["0.x"])
    assert KIND.read_form(data, KIND.read_facts(FACTS))["checklist"] == [["Is it?", "0.x"]]


@pytest.mark.skipif(
    not PUBLISHED.exists() and os.environ.get("CI") != "true", reason=f"the published data is not at {PUBLISHED}"
)
def test_all_published_samples_pass_and_come_out_as_they_went_in() -> None:
    rows = json.loads(gzip.decompress(PUBLISHED.read_bytes()))
    for row in rows:
        native = KIND.read_row(row)
        facts, draft = KIND.read_facts(native.facts), KIND.read_draft(native.draft)
        assert KIND.problems(facts, draft, KIND.options()) == []
        written = KIND.write_row(facts.stored(), draft.stored())
        assert {name: json.dumps(value) for name, value in written.items()} == {
            name: json.dumps(value) for name, value in row.items()
        }
    assert len(rows) == 591


def test_labels_are_shown_in_the_language_of_the_reader() -> None:
    with override("zh-hans"):
        assert KIND.shown("task_type", "Reasoning") == "推理"
        assert KIND.shown("error_type", ["Logical Error"]) == "逻辑错误"
        assert KIND.shown("task_type", "") == ""


def test_a_checklist_is_shown_line_by_line_with_its_weights() -> None:
    assert (
        KIND.shown("checklist", [["Is it two?", 0.6], ["Is it short?", 0.4]]) == "[0.6] Is it two?\n[0.4] Is it short?"
    )
    assert KIND.shown("checklist", ["Is it two?"]) == "Is it two?"


def test_checklists_agree_whatever_their_order_spaces_and_rounding() -> None:
    ours = [["Is it two?", 0.6], ["Is it short?", 0.4]]

    def differ(*theirs: list[Any]) -> bool:
        drafts = [DRAFT | {"checklist": ours}, DRAFT | {"checklist": list(theirs)}]
        return "checklist" in KIND.disagreements(KIND.read_facts(FACTS), drafts)

    assert not differ(["Is  it short? ", 0.4], ["Is it two?", 0.6])
    assert differ(["Is it two?", 0.4], ["Is it short?", 0.6])
    assert differ(["Is it two?", 0.6], ["Is it brief?", 0.4])
