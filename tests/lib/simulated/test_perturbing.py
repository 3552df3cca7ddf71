"""The simulated model makes answers worse in the way it is asked to, and says what it changed."""

from typing import Any

import pytest

from annotate.kinds.perturbation import generation
from annotate.kinds.perturbation.kind import KIND, doubts
from annotate.kinds.perturbation.shapes import PerturbationOptions, build_taxonomy
from annotate.kinds.protocol import Prompts
from annotate.kinds.values import GeneratedItem
from lib.simulated.chance import Draw
from lib.simulated.shapes import perturbation
from tests.lib.simulated.test_feedback import Model
from tests.support.running import run

PROMPTS = Prompts(generation.wordings())
CATEGORIES = list(build_taxonomy({}, {}).categories)
ASKED = {
    "en": "How long does the train need from Arden to Corvale? Show the calculation.",
    "zh": "从甲城到乙城的火车要多久？请写出计算过程。",
}
GOLD = {
    "en": "The line from Arden to Corvale is 240 km long. The train runs at 80 km per hour, because the track is old. "
    "So the trip takes 240 / 80 = 3 hours. The dining car is closed on Sundays.",
    "zh": "甲城到乙城的铁路长240公里。火车每小时行驶80公里，因为线路较旧。所以全程需要3小时。餐车在周日是关闭的。",
}


def made(category: str, language: str = "en", gold: str = "", **knobs: Any) -> GeneratedItem:
    options, text = PerturbationOptions(), gold or GOLD[language]
    ask = Model(**{"skill": 1.0} | knobs)
    return run(generation.perturb(category, ASKED[language], text, options, PROMPTS, ask, language=language))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("category", CATEGORIES)
def test_every_category_gets_another_text_and_an_explanation_of_what_changed(category: str, language: str) -> None:
    found = made(category, language)
    assert found.draft["perturbed_answer"] != GOLD[language]
    facts, draft = KIND.read_facts(found.facts), KIND.read_draft(found.draft)
    told = [doubt.message for doubt in doubts(facts, draft, PerturbationOptions().taxonomy.categories[category])]
    assert not [message for message in told if "explanation" in message or message.startswith("no ")]
    assert made(category, language) == found


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("category", CATEGORIES)
def test_every_shipped_category_is_recognised(category: str, language: str) -> None:
    one = PerturbationOptions().taxonomy.categories[category]
    words = one.zh if language == "zh" else one
    assert words is not None
    assert perturbation.ways_of([words.name, words.definition])


def test_a_number_becomes_another_number_and_nothing_else_moves() -> None:
    text = made("number-errors").draft["perturbed_answer"]
    assert text.translate({ord(digit): None for digit in "0123456789"}) == GOLD["en"].translate(
        {ord(digit): None for digit in "0123456789"}
    )


def test_units_keep_their_numbers() -> None:
    text = made("incorrect-units").draft["perturbed_answer"]
    assert [word for word in text.split() if word[0].isdigit()] == [
        word for word in GOLD["en"].split() if word[0].isdigit()
    ]


def test_a_paraphrase_keeps_every_number_and_name() -> None:
    text = made("score_invariant").draft["perturbed_answer"]
    for kept in ("240", "80", "3 hours", "Arden", "Corvale", "Sundays"):
        assert kept in text
    assert text != GOLD["en"]


def test_without_skill_nothing_hurts() -> None:
    assert made("number-errors", skill=0.0).draft == made("score_invariant").draft


def test_another_seed_finds_another_place() -> None:
    found = {made("number-errors", seed=seed).draft["perturbed_answer"] for seed in range(12)}
    assert len(found) > 1


@pytest.mark.parametrize(
    "way", sorted({way for _words, ways in perturbation.WAYS for way in ways}, key=lambda w: w.__name__)
)
@pytest.mark.parametrize("text", ["", "x", "7", "是", "No.", "Ünïcode 👩‍👩‍👧 only"])
def test_texts_with_nothing_in_them_are_survived(way: perturbation.Way, text: str) -> None:
    found = way(text, Draw(1, "x"))
    assert found is None or isinstance(found.text, str)
    assert perturbation.perturbed(text, ["anything"], Draw(1, "x")).text != text
