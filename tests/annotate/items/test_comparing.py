from typing import Any

import pytest

from annotate.items.compare import FieldVersions, Version, changed_fields, changed_rows, compare, ordered_as, same_value
from annotate.kinds import find_kind
from annotate.kinds.values import Field
from tests.support.reviews import FACTS, SUGGESTED, WRITTEN

KIND = find_kind("feedback")
FIELDS = KIND.fields(KIND.read_facts(FACTS))


def compared(*drafts: dict[str, Any]) -> dict[str, FieldVersions]:
    versions = [Version(draft, f"v{place}") for place, draft in enumerate(drafts)]
    return {found.field.name: found for found in compare(KIND, FIELDS, versions)}


def test_only_fields_that_say_something_else_have_changed() -> None:
    assert changed_fields(FIELDS, SUGGESTED, WRITTEN) == ["feedback"]
    assert changed_fields(FIELDS, WRITTEN, WRITTEN) == []


def test_that_there_is_no_span_is_an_answer() -> None:
    spans = Field("errors", "Errors", "spans")
    assert changed_fields([spans], {"errors": None}, {"errors": []}) == ["errors"]
    assert changed_fields([spans], {}, {"errors": None}) == []


@pytest.mark.parametrize(("old", "new"), [(None, ""), ([], None), ("", []), (1, 1.0)])
def test_what_says_nothing_is_the_same_as_nothing(old: Any, new: Any) -> None:
    assert same_value(old, new)


@pytest.mark.parametrize(("old", "new"), [(None, False), (False, True), ("a", "A"), (["a", "b"], ["b", "a"])])
def test_a_no_is_not_nothing_and_order_counts(old: Any, new: Any) -> None:
    assert not same_value(old, new)


@pytest.mark.parametrize(
    ("posted", "kept"),
    [(["a", "b", "c"], ["c", "a", "b"]), (["a", "d", "c"], ["c", "a", "d"]), ([], []), (None, None)],
)
def test_choices_keep_the_order_they_had(posted: Any, kept: Any) -> None:
    before = {"feedback_type": ["c", "a", "b"], "checklist": ["z", "y"]}
    draft = ordered_as(FIELDS, {"feedback_type": posted, "checklist": ["y", "z"]}, before)
    assert draft == {"feedback_type": kept, "checklist": ["y", "z"]}


def test_words_are_marked_in_latin_text() -> None:
    step = compared(SUGGESTED, WRITTEN)["feedback"].last
    assert step.changed
    assert "<del>wrong</del>" in step.html
    assert "<ins>not right</ins>" in step.html


def test_characters_are_marked_in_chinese_text() -> None:
    old, new = {**SUGGESTED, "feedback": "你的回答是错的。"}, {**SUGGESTED, "feedback": "你的回答不是对的。"}
    html = compared(old, new)["feedback"].last.html
    assert html == "你的回答<del>是错</del><ins>不是对</ins>的。"


def test_text_of_people_is_escaped() -> None:
    bad = "<img src=x onerror=alert(1)>"
    step = compared(SUGGESTED, {**SUGGESTED, "feedback": bad})["feedback"].last
    for html in (step.html, step.html_before, step.html_after):
        assert "<img" not in html


def test_the_first_version_has_nothing_to_differ_from() -> None:
    step = compared(WRITTEN)["feedback"].last
    assert not step.changed
    assert step.text == WRITTEN["feedback"]


def test_each_step_differs_from_the_one_before() -> None:
    fixed = {**WRITTEN, "feedback": SUGGESTED["feedback"]}
    found = compared(SUGGESTED, WRITTEN, fixed)["feedback"]
    assert [step.changed for step in found.steps] == [False, True, True]
    assert found.text == SUGGESTED["feedback"]
    assert not compared(SUGGESTED, WRITTEN, fixed)["checklist"].changed


# --- rows of checklists -----------------------------------------------------------------------------------------------
def shown(old: list[Any], new: list[Any]) -> list[tuple[str, int | None, int | None]]:
    return [(row.how, row.old_place, row.new_place) for row in changed_rows(old, new)]


def test_untouched_rows_are_the_same() -> None:
    assert shown([["Is it so?", 1]], [["Is it so?", 1]]) == [("same", 1, 1)]


def test_a_new_weight_is_a_change_of_its_row() -> None:
    row = changed_rows([["Is it so?", 0.4]], [["Is it so?", 0.6]])[0]
    assert (row.how, row.reweighted, row.html) == ("changed", True, "Is it so?")


def test_a_rewritten_question_keeps_its_place() -> None:
    row = changed_rows(["Does it say so?"], ["Does it clearly say so?"])[0]
    assert row.how == "changed"
    assert "<ins>clearly </ins>" in row.html


def test_rows_are_followed_when_they_move() -> None:
    assert shown(["Is A?", "Totally other words here?"], ["Totally other words here?", "Is A?"]) == [
        ("moved", 2, 1),
        ("moved", 1, 2),
    ]


def test_removed_rows_come_last_and_added_ones_stand_where_they_are() -> None:
    old, new = ["Is the sky blue?", "Kept as it was."], ["42 = 6 × 7", "Kept as it was."]
    assert shown(old, new) == [("added", None, 1), ("same", 2, 2), ("removed", 1, None)]


def test_repeated_questions_are_matched_one_to_one() -> None:
    assert shown(["Same?", "Same?"], ["Same?"]) == [("same", 1, 1), ("removed", 2, None)]


def test_half_typed_rows_are_shown_as_they_are() -> None:
    row = changed_rows([], [["Question", "0.x"]])[0]
    assert (row.how, row.new, row.new_weight) == ("added", "Question", "0.x")
