import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.engine.prompts import problems, unseen

WANTED = {"user_query", "feedback"}
FINE = "Read {{ user_query }} and {{ feedback }}."


@pytest.mark.parametrize(
    "text",
    [
        FINE,
        "{{user_query}}{{  feedback  }}",
        "{{{ user_query }}{ {{\nfeedback\n}}",
        FINE + " Twice: {{ feedback }}",
        FINE + ' Give {"a": {"b": {}}} and } } }}.',
        FINE + "\nOne { brace { and another.",
    ],
)
def test_all_slots_and_no_other_is_right(text: str) -> None:
    assert problems(text, WANTED) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            FINE + " {{ first_answer }}",
            ["There is no slot “first_answer” in this step. Slots: feedback, user_query."],
        ),
        (FINE + "\n{{ two words }}", ["Line 2: “{{ two words }}” is not a slot."]),
        (FINE + "\n\n{{ user_query", ["Line 3: “{{” is not a slot."]),
        (FINE + ' {{"a": 1}}', ['Line 1: “{{"a": 1}}” is not a slot.']),
        (FINE + " {{ user-query }}", ["Line 1: “{{ user-query }}” is not a slot."]),
        (FINE + " {{}}", ["Line 1: “{{}}” is not a slot."]),
        (FINE + " {{ 用户 }}", ["Line 1: “{{ 用户 }}” is not a slot."]),
    ],
)
def test_what_is_wrong_is_named(text: str, said: list[str]) -> None:
    found = problems(text, WANTED)
    assert len(found) == len(said)
    assert all(told.startswith(start) for told, start in zip(found, said, strict=True))


def test_everything_is_told_at_once() -> None:
    assert len(problems("{{ x }} {{ y z }}", WANTED)) == 2


def test_a_slot_that_is_left_out_is_no_problem_and_is_named() -> None:
    assert problems("{{ user_query }}", WANTED) == []
    assert list(unseen("{{ user_query }}", WANTED)) == [
        "The slot {{ feedback }} is missing: the model will not see its text."
    ]
    assert list(unseen(FINE, WANTED)) == []


def test_a_step_without_slots_says_so() -> None:
    assert problems("{{ x }}", set()) == ["There is no slot “x” in this step. Slots: none."]


@given(st.text(alphabet="{} ab\n", max_size=60))
def test_a_text_without_double_braces_is_never_blamed_for_its_slots(text: str) -> None:
    assert problems(re.sub(r"\{+", "{", text), set()) == []
