"""The simulated judge of answers that are scored or compared."""

import pytest

from annotate.kinds.protocol import JudgedItem
from judging.strategies.strategy import Opinion, strategies
from lib.simulated.traits import departures, slips
from tests.support.judges import shipped, shown, simulated
from tests.support.perturbations import Spoiled, spoiled_pairs
from tests.support.running import run

PAIRS = [pair for pair in spoiled_pairs(12) if pair.ability != "score-invariant"]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.category)
def test_what_was_spoiled_shows_and_what_was_not_does_not(pair: Spoiled) -> None:
    assert slips(pair.gold, pair.prompt) == []
    assert slips(pair.perturbed, pair.prompt)
    assert departures(pair.perturbed, pair.gold)
    assert departures(pair.gold, pair.gold) == []


@pytest.mark.parametrize(
    ("text", "request_", "place"),
    [
        ("7 × 8 = 54.", "", "7 × 8 = 54"),
        ("It is teh best.", "", "teh"),
        ("It is is good.", "", "is is"),
        ("A box of 3 kg holds 12 litres.", "A box of 12 kg?", "3 kg"),
        ("It takes 12 litres.", "A box of 12 kg?", "12 litres"),
        ("The capital of France is Lyon.", "", "capital france"),
        ("火星有三颗卫星。", "", "火星 卫星"),
        ("1. One.\n3. Three.", "", "1, 3"),
        ("- One.\n- Two.", "Give three bullet points.", "three bullet points: 2"),
        ("It breaks off in the", "", "It breaks off in the"),
    ],
)
def test_a_slip_is_named_by_its_place(text: str, request_: str, place: str) -> None:
    assert place in slips(text, request_)


def test_what_is_right_is_no_slip() -> None:
    assert slips("10 ÷ 3 = 3.33, and 2 + 2 = 4.", "") == []
    assert slips("12 kg and 12 kg make 12 + 12 = 24, that is 24 kg.", "Two boxes of 12 kg each?") == []
    assert slips("", "") == []


def verdict(slug: str, model: str, pair: Spoiled, **knobs: object) -> Opinion:
    strategy = strategies()[slug]
    judged = JudgedItem([{"role": "user", "content": pair.prompt}], labels={"ability": [pair.ability]})
    second = pair.perturbed if strategy.pairwise else None
    of = shown(judged, pair.gold if second else pair.perturbed, second=second, options=strategy.options())
    said = run(strategy.judge(of, shipped(strategy.family), simulated(model, **knobs)))
    assert isinstance(said, Opinion)
    return said


def test_a_careful_judge_notices_more_than_a_careless_one() -> None:
    for slug, top in (("vanilla", 10.0), ("rubric", 3.0)):
        noticed = {
            model: sum(verdict(slug, model, pair).score_first != top for pair in PAIRS)
            for model in ("simulated-careful", "simulated-careless")
        }
        assert noticed["simulated-careful"] > len(PAIRS) * 0.85
        assert noticed["simulated-careless"] < len(PAIRS) * 0.6


def test_what_it_noticed_stands_in_its_explanation() -> None:
    assert "“3 * 5 = 17”" in verdict("vanilla", "simulated-judge", PAIRS[0]).reason
    assert verdict("vanilla", "simulated-judge", PAIRS[0], biases={"blindness": 1.0}).reason == (
        "I find nothing to object to."
    )


def test_a_judge_can_lean_to_the_answer_that_is_shown_first() -> None:
    blind = {"blindness": 1.0}
    assert verdict("pairwise", "simulated-judge", PAIRS[0], biases=blind).choice == "both_good"
    assert verdict("pairwise", "simulated-judge", PAIRS[0], biases=blind | {"position": 1.0}).choice == "first"


def test_leniency_forgives_what_the_explanation_names() -> None:
    said = verdict("vanilla", "simulated-judge", PAIRS[0], biases={"leniency": 1.0})
    assert said.score_first == 10.0
    assert "something is wrong" in said.reason


def test_the_same_request_and_seed_get_the_same_verdict() -> None:
    once, again = (verdict("axis", "simulated-careless", PAIRS[5]) for _ in range(2))
    assert once == again
    others = {verdict("axis", "simulated-careless", PAIRS[5], seed=seed).score_first for seed in range(20)}
    assert len(others) > 1
