"""How many options may be chosen: what people are told, and what models are told and held to."""

from typing import Any

import pytest

from annotate.kinds.questions.types.choices import Choices


def question(**settings: Any) -> Choices:
    return Choices(name="topics", type="choices", options=["news", "code", "health"], **settings)


@pytest.mark.parametrize(
    ("settings", "answer", "is_allowed"),
    [
        ({"most": 2}, ["news", "code", "health"], False),
        ({"most": 2}, ["news", "code"], True),
        ({"least": 2}, ["news"], False),
        ({"least": 2, "required": False}, ["news"], False),
        ({"least": 2, "required": False}, [], True),
        ({}, [], False),
    ],
)
def test_a_model_is_held_to_what_people_may_choose(
    settings: dict[str, Any], answer: list[str], is_allowed: bool
) -> None:
    asked = question(**settings)
    assert (not list(asked.problems(answer, {}))) is is_allowed
    assert asked.fits(answer) is is_allowed
    kept, doubts = asked.from_model(answer, {})
    assert (kept, len(doubts)) == ((answer, 0) if is_allowed else (None, 1))


@pytest.mark.parametrize(
    ("settings", "language", "words"),
    [
        ({}, "en", ["- news", "- code", "- health"]),
        ({"least": 1, "most": 2}, "en", ["- news", "- code", "- health", "- at least 1 and at most 2"]),
        ({"most": 2}, "zh", ["- news", "- code", "- health", "- 至多选 2 项"]),
        (
            {"least": 2, "required": False},
            "en",
            ["- news", "- code", "- health", "- at least 2", "- an empty list if nothing applies"],
        ),
    ],
)
def test_a_model_is_told_how_many(settings: dict[str, Any], language: str, words: list[str]) -> None:
    assert question(**settings).in_words(language).splitlines() == words
