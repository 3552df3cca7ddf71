"""What annotators see of checks: events in the words of ordinary work, and numbers that two never share."""

import pytest
from django.db import IntegrityError

from annotate import hidden_checks
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("reviews", "verb", "state"), [(1, "submitted", "reviewing"), (0, "accepted", "accepted")])
def test_an_event_about_a_check_looks_like_one_about_work(reviews: int, verb: str, state: str) -> None:
    member = make_member(make_project(reviews=reviews))
    assert hidden_checks.disguise("imported", member) == {"round": 1, "to_state": "ready"}
    assert hidden_checks.disguise("submitted", member) == {
        "round": 1,
        "verb": verb,
        "from_state": "ready",
        "to_state": state,
    }
    assert hidden_checks.disguise("withdrawn", member) == {"round": 1, "from_state": state, "to_state": "ready"}
    assert hidden_checks.disguise("claimed", member) == {"round": 1}


def test_another_number_is_drawn_while_others_draw_the_same() -> None:
    attempts: list[int] = []

    def taken_twice() -> str:
        attempts.append(len(attempts))
        if len(attempts) < 3:
            raise IntegrityError
        return "slot"

    assert hidden_checks.until_free(taken_twice) == "slot"
    assert len(attempts) == 3


def test_drawing_ends_where_no_number_is_free() -> None:
    attempts: list[int] = []

    def taken() -> None:
        attempts.append(1)
        raise IntegrityError

    assert hidden_checks.until_free(taken) is None
    assert len(attempts) == hidden_checks.TRIES
