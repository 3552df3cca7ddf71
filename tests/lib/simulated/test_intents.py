"""The simulated model names the intent of a question: by its words, as often as its skill says."""

import pytest

from lib.simulated.shapes.intent_label import best
from tests.annotate.engine.asked import closed, value

LISTED = ["book_flight", "cancel_order", "small_talk"]
SCHEMA = closed(intent={"type": "string", "enum": LISTED})


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Please book the next flight to Oslo.", "book_flight"),
        ("I want to cancel what I have on order.", "cancel_order"),
        ("???", "book_flight"),
    ],
)
def test_the_intent_whose_words_are_there_is_the_best_and_else_the_first(text: str, intent: str) -> None:
    assert best(text, LISTED) == intent


def test_a_skilled_model_names_it_and_an_unskilled_one_another() -> None:
    text = "Please cancel my order."
    assert value(SCHEMA, text, skill=1.0) == {"intent": "cancel_order"}
    assert value(SCHEMA, text, skill=0.0)["intent"] in {"book_flight", "small_talk"}


def test_an_only_intent_is_never_mistaken() -> None:
    only = closed(intent={"type": "string", "enum": ["book_flight"]})
    assert value(only, "Hello!", skill=0.0) == {"intent": "book_flight"}
