from typing import Any

import pytest

from annotate.kinds import find_kind
from annotate.kinds.shapes import Finding
from annotate.work.field_states import FieldState, act, checks, states, together
from tests.support.people import DRAFT, FACTS

KIND = find_kind("feedback")
READ = KIND.read_facts(FACTS)


def state(value: Any, suggested: Any, *, decided: bool = False, how: str = "text") -> FieldState:
    return FieldState("feedback", "Feedback", how, value, suggested, decided)


@pytest.mark.parametrize(
    ("field", "origin", "label"),
    [
        (state("a", None), "", "Draft"),
        (state("a", "a"), "machine", "Suggested · not confirmed"),
        (state("a", "a", decided=True), "machine", "Suggestion accepted"),
        (state("b", "a"), "person", "Edited"),
        (state(["b"], ["a"], how="choices"), "person", "Changed"),
        (state(None, "a"), "person", "Edited"),
    ],
)
def test_a_field_says_whose_value_it_is(field: FieldState, origin: str, label: str) -> None:
    assert (field.origin, field.origin_label if field.origin else "Draft") == (origin, label)


def test_a_suggested_value_waits_until_it_is_kept_or_changed() -> None:
    assert state("a", "a").unanswered
    assert not state("a", "a", decided=True).unanswered
    assert not state("b", "a").unanswered
    assert state("", None).unanswered


def test_values_taken_out_are_named() -> None:
    assert state(["a", "c"], ["a", "b"], how="choices").taken_out == ["b"]


def test_problems_stand_with_their_field() -> None:
    findings = [Finding("checklist[1]", "is empty."), Finding("feedback", "is missing.")]
    found = states(KIND, READ, DRAFT, findings=findings)
    assert found["checklist"].problems == findings[:1]
    assert found["feedback"].problems == findings[1:]
    assert not found["task_type"].problems


def test_two_fields_together_are_touched_when_one_is() -> None:
    found = states(KIND, READ, {**DRAFT, "sub_task_type": "Experience Advice"}, suggested=DRAFT)
    both = together(found["task_type"], found["sub_task_type"])
    assert both.touched
    assert both.names == ["task_type", "sub_task_type"]


def test_a_task_suggested_without_subtask_is_nobodys_change() -> None:
    draft = {**DRAFT, "sub_task_type": ""}
    found = states(KIND, READ, draft, suggested={"task_type": DRAFT["task_type"]})
    assert not together(found["task_type"], found["sub_task_type"]).touched


def test_an_unreadable_draft_has_problems_and_no_doubts_yet() -> None:
    draft = {**DRAFT, "checklist": [["How is it?", "x"]]}
    problems, doubts = checks(KIND, READ, draft, KIND.options())
    assert [problem.path for problem in problems] == ["checklist[0]"]
    assert doubts == []


def test_keep_and_reset_touch_only_known_fields() -> None:
    draft, decided = act(KIND, READ, dict(DRAFT), [], action="keep:feedback,nonsense", suggested=DRAFT)
    assert (draft, decided) == (DRAFT, ["feedback"])
    draft, decided = act(KIND, READ, {**draft, "feedback": "x"}, decided, action="reset:feedback", suggested=DRAFT)
    assert (draft, decided) == (DRAFT, [])


def test_reset_removes_what_the_draft_did_not_have() -> None:
    written = {**DRAFT, "reference_first_response": "Two."}
    draft, _decided = act(KIND, READ, written, [], action="reset:reference_first_response", suggested=DRAFT)
    assert "reference_first_response" not in draft
