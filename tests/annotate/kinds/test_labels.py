from typing import Any

import pytest

from annotate.kinds import find_kind
from annotate.kinds.values import Field

FEEDBACK = find_kind("feedback")


@pytest.mark.parametrize(
    ("how", "value", "label"),
    [
        ("choice", "Coding", "Coding"),
        ("choice", "", None),
        ("choices", ["b", "a"], "a · b"),
        ("choices", [], None),
        ("flag", True, "yes"),
        ("flag", False, "no"),
        ("text", "some words", None),
        ("choice", None, None),
    ],
)
def test_a_field_of_choice_is_one_label(how: str, value: Any, label: str | None) -> None:
    assert FEEDBACK.label(Field("any", "Any", how), {"any": value}) == label


def test_a_field_that_a_draft_lacks_says_nothing() -> None:
    assert FEEDBACK.label(Field("any", "Any", "choice"), {}) is None


@pytest.mark.parametrize(("draft", "label"), [({}, "yes"), ({"suitable": None}, "yes"), ({"suitable": False}, "no")])
def test_who_does_not_call_an_item_unsuitable_takes_it_for_suitable(draft: dict[str, Any], label: str) -> None:
    assert FEEDBACK.label(Field("suitable", "Suitable?", "flag"), draft) == label
