"""Criteria that people write row by row: what may be handed in, the buttons of rows, and drafts of a model."""

from typing import Any

import pytest
from django.http import QueryDict

from annotate.kinds.questions.base import Question
from annotate.kinds.questions.definition import read_definition
from annotate.kinds.questions.types.criteria import LONGEST_CRITERION

TEXT = "show: [{field: prompt}]\nquestions: [{name: c, type: criteria, least: 2, most: 3}]\n"
GOOD = {"criterion": "Says why", "points": 5, "tags": ["content"]}
BAD = {"criterion": "Guesses", "points": -2.5}


@pytest.fixture(scope="module")
def question() -> Question:
    return read_definition(TEXT).questions[0]


def posted(*rows: tuple[str, str, str]) -> QueryDict:
    data = QueryDict(mutable=True)
    for row in rows:
        for part, text in zip(("criterion", "points", "tags"), row, strict=True):
            data.appendlist(f"q-c.{part}", text)
    return data


def problems(question: Question, *rows: Any) -> dict[str, str]:
    return {place: str(message) for place, message in question.placed_problems(list(rows), {})}


def test_a_form_posts_a_row_for_each_criterion(question: Question) -> None:
    rows = posted(("Says why", "5", "content, "), (" ", "", ""), ("Guesses", "−2,5", ""), ("Half", "x", "a，b, a"))
    assert question.read(rows) == [
        {**GOOD},
        {**BAD},
        {"criterion": "Half", "points": "x", "tags": ["a", "b"]},
    ]
    assert not any(question.shape_faults(question.read(rows)))  # a draft keeps what is half typed


def test_what_is_missing_wrong_or_twice_is_named_by_its_row(question: Question) -> None:
    assert problems(question, GOOD, BAD) == {}
    assert list(problems(question)) == [""]
    found = problems(question, GOOD, {"criterion": " ", "points": "x"}, {**GOOD, "criterion": "Says  why"})
    assert list(found) == ["[1]", "[2]"]
    assert found["[2]"] == "repeats criterion 1."
    assert "2 to 3 are wanted" in problems(question, GOOD)[""]
    for wrong in ("no list", [GOOD | {"weight": 1}], [GOOD | {"tags": "a"}], [GOOD | {"points": True}], [None]):
        assert any(question.shape_faults(wrong)), wrong


def test_buttons_move_remove_and_add_rows(question: Question) -> None:
    rows = [GOOD, BAD]
    for action in ("up-2", "down-1"):
        assert question.edited(rows, action) == [BAD, GOOD]
    for action in ("up-1", "down-2", "remove-3", "up-", "remove-0", "other"):
        assert question.edited(rows, action) == rows, action
    assert question.edited(rows, "remove-1") == [BAD]
    assert question.edited(None, "add-row") == [{"criterion": "", "points": None}]


def test_a_draft_of_a_model_is_checked_row_by_row(question: Question) -> None:
    answer = [GOOD, {**GOOD, "criterion": " Says why "}, {"criterion": "", "points": 1}, {"criterion": "Odd"}, BAD]
    kept, doubts = question.from_model(answer, {})
    assert kept == [GOOD, BAD]
    assert [params["n"] for _message, params in doubts] == [3]
    kept, doubts = question.from_model([{"criterion": f"No. {n}", "points": n} for n in range(5)], {})
    assert [len(kept), doubts[0][1]["n"]] == [3, 2]
    assert question.from_model([{"criterion": "x"}], {})[0] is None


def test_versions_are_compared_as_lines(question: Question) -> None:
    assert question.shown([GOOD, BAD]) == "+5 Says why · content\n−2.5 Guesses"


def test_rows_of_a_table_leave_out_what_is_null(question: Question) -> None:
    assert question.typed([{**BAD, "tags": None}]) == [BAD]
    for other in (None, [], "Says why", [GOOD, "Guesses"]):
        assert question.typed(other) == other
    assert not any(question.shape_faults(None))


def test_a_criterion_longer_than_judges_read_is_refused(question: Question) -> None:
    found = problems(question, GOOD, {**BAD, "criterion": "x" * (LONGEST_CRITERION + 1)})
    assert list(found) == ["[1]"]
    assert f"at most {LONGEST_CRITERION} are allowed" in found["[1]"]


def test_messages_without_places_are_the_same(question: Question) -> None:
    rows = [GOOD, GOOD]
    assert list(question.problems(rows, {})) == list(question.limits(rows, {})) == ["repeats criterion 1."]
    assert list(question.problems([], {})) == ["write at least one criterion."]
    assert not question.fits([GOOD])
