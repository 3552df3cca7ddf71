"""The history checker finds each broken promise, and nothing where what happened was allowed."""

from tests.soak.checker import Stored, violations
from tests.soak.history import Operation, Outcome

DONE, REFUSED, UNKNOWN = Outcome.ACKNOWLEDGED, Outcome.REFUSED, Outcome.UNKNOWN


def step(person: str, verb: str, text: str = "", *, at: float, token: str = "t1", told: Outcome = DONE) -> Operation:
    return Operation(person, verb, 7, token, text, at, at + 0.5, told)


def stored(text: str, person: str = "ada", *, submitted: bool = True, aside: list[str] | None = None) -> Stored:
    return Stored(7, person, text, submitted, aside or [])


OPENED = step("ada", "open", at=1)


def test_what_was_submitted_and_is_stored_is_fine() -> None:
    assert violations([OPENED, step("ada", "submit", "a", at=2)], [stored("a")]) == []


def test_an_acknowledged_text_that_is_nowhere_is_lost() -> None:
    (said,) = violations([OPENED, step("ada", "submit", "a", at=2)], [])
    assert "is nowhere" in said


def test_an_acknowledged_submission_that_is_a_draft_is_told() -> None:
    (said,) = violations([OPENED, step("ada", "submit", "a", at=2)], [stored("a", submitted=False)])
    assert "and it is not" in said


def test_a_refused_text_has_to_be_a_draft_or_set_aside() -> None:
    steps = [OPENED, step("ada", "submit", "a", at=2, told=REFUSED)]
    assert violations(steps, [stored("a", submitted=False)]) == []
    assert violations(steps, [stored("", submitted=False, aside=["a"])]) == []
    assert len(violations(steps, [stored("", submitted=False)])) == 1


def test_a_step_without_an_answer_may_have_been_done_or_not() -> None:
    steps = [OPENED, step("ada", "save", "a", at=2), step("ada", "submit", "b", at=3, told=UNKNOWN)]
    assert violations(steps, [stored("a", submitted=False)]) == []
    assert violations(steps, [stored("b")]) == []
    assert len(violations(steps, [stored("", submitted=False)])) == 1


def test_after_an_undo_it_need_not_be_submitted() -> None:
    steps = [OPENED, step("ada", "submit", "a", at=2), step("ada", "undo", at=3)]
    assert violations(steps, [stored("a", submitted=False)]) == []


def test_a_submitted_text_that_nobody_sent_is_told() -> None:
    (said,) = violations([], [stored("made up")])
    assert "nobody sent" in said


def test_an_older_lease_does_not_count_once_somebody_else_has_the_item() -> None:
    other = step("bo", "open", at=5, token="t2")
    late, early = step("ada", "submit", "a", at=6), step("ada", "submit", "a", at=4)
    (said,) = violations([OPENED, other, late], [stored("a")])
    assert "counted after bo" in said
    assert violations([OPENED, other, early], [stored("a")]) == [], "it came before"


def test_a_repeated_answer_to_a_double_click_is_no_second_submission() -> None:
    other = step("bo", "open", at=5, token="t2")
    steps = [OPENED, step("ada", "submit", "a", at=2), other, step("ada", "submit", "a", at=6)]
    assert violations(steps, [stored("a")]) == []


def test_two_submitted_texts_in_one_slot_are_told() -> None:
    steps = [step("ada", "submit", "a", at=2), step("bo", "submit", "b", at=2, token="t2")]
    (said,) = violations(steps, [stored("a"), stored("b", "bo")])
    assert "submitted by ada, bo" in said
