"""Judging in branches: what is asked and seen at each step, how scores are read, and what noise does to it."""

import json
from itertools import product
from typing import Any

import pytest
from pydantic import ValidationError
from scipy.stats import binomtest

from annotate.kinds.protocol import CallFailed, Cause, JudgedItem
from judging.readers.scales import Scale, share_of
from judging.strategies.branches.criterion_scores import merged, numbered
from judging.strategies.branches.strategies import Branches, showing_b_first
from judging.strategies.orders import judged
from judging.strategies.strategy import Opinion, Strategy, Unparsed, strategies
from tests.support.judges import Judge, by_step, shipped, shown, simulated
from tests.support.running import run

PAIR, SINGLE = strategies()["branching"], strategies()["branching-single"]
BSM, ONE_STEP = strategies()["branch-solve-merge"], strategies()["branching-one-step"]
PROMPTS = shipped("branches")
QUERY = JudgedItem(messages=[{"role": "user", "content": "How many legs has a spider, and how many eyes?"}])
FIRST, SECOND = "It has six legs.", "It has eight legs and mostly eight eyes."


def case(n: int = 2, weights: str = "", **more: Any) -> Any:
    return shown(QUERY, FIRST, **{"second": SECOND, "options": Branches(branches=n, weights=weights)} | more)


def said(strategy: Strategy, ask: Judge, **how: Any) -> Opinion | Unparsed:
    return run(strategy.judge(case(**how), PROMPTS, ask))


def criteria(*names: str) -> str:
    return json.dumps({"criteria": [{"name": name, "description": f"About {name}."} for name in names]})


LEVELS = json.dumps({f"level_{score}": f"like {score}" for score in range(1, 6)})


def compared(first: Any, second: Any) -> str:
    return json.dumps({"explanation_first": "a", "comparison": "c", "score_first": first, "score_second": second})


def scripted(**replies: Any) -> Judge:
    """By the step without its place."""
    given = {"criteria": criteria("legs", "eyes"), "guideline": LEVELS, **replies}
    return Judge(lambda question: given[question.step.replace("/swapped", "").split("/")[2]])


def test_a_pair_is_judged_step_by_step_and_the_larger_sum_wins() -> None:
    ask = scripted(pair=compared(2, 4))
    found = said(PAIR, ask)
    assert ask.steps == [
        "judge/1/criteria",
        *("judge/1/guideline/1", "judge/1/pair/1"),
        *("judge/1/guideline/2", "judge/1/pair/2"),
    ]
    assert isinstance(found, Opinion)
    assert (found.score_first, found.score_second, found.choice) == (4, 8, "second")
    assert [(piece.axis, piece.label) for piece in found.pieces] == [("1", "legs"), ("2", "eyes")]
    assert {question.temperature for question in ask.asked} == {0}


def test_criteria_and_guidelines_are_made_without_the_answers() -> None:
    ask = scripted(pair=compared(2, 4))
    said(PAIR, ask)
    for question in ask.asked:
        text = question.messages[1]["content"]
        seen = FIRST in text or SECOND in text
        assert seen == ("/pair/" in question.step), question.step


def test_both_orders_and_every_answer_get_the_same_questions_about_criteria() -> None:
    """Equal questions at temperature 0: a run that shares replies judges all answers by the same criteria."""
    one, other = scripted(single='{"score": 3}'), scripted(single='{"score": 3}')
    run(SINGLE.judge(case(second=None), PROMPTS, one))
    run(SINGLE.judge(shown(QUERY, SECOND, options=Branches(branches=2)), PROMPTS, other))
    digests = [[each.digest("m") for each in ask.asked if "/single/" not in each.step] for ask in (one, other)]
    assert digests[0] == digests[1]


def test_a_single_answer_gets_the_sum_of_its_scores() -> None:
    found = said(SINGLE, scripted(single='{"explanation": "e", "score": 4}'), second=None)
    assert isinstance(found, Opinion)
    assert (found.score_first, found.score_second, found.choice) == (8, None, "")
    assert share_of(found.score_first, Scale.in_variant(SINGLE.variant(Branches(branches=2)))) == 0.75


@pytest.mark.parametrize(("written", "read"), [(4, 4), ("4", 4), ("4/5", 4), ("５", 5), (4.5, 4.5), ("3 分", 3)])
def test_scores_are_read_as_people_would(written: Any, read: float) -> None:
    found = said(PAIR, scripted(pair=compared(written, 1)), n=1)
    assert isinstance(found, Opinion)
    assert found.score_first == read


@pytest.mark.parametrize("written", [10, "10", "1-5", "1/10", 0, True, None, "good", "4 or 5"])
def test_what_is_no_score_of_the_scale_is_none(written: Any) -> None:
    found = said(PAIR, scripted(pair=compared(written, 1)), n=1)
    assert isinstance(found, Unparsed)
    assert "pair/1" in found.reason


def test_fewer_criteria_than_asked_for_are_unparsed_and_more_are_left_out() -> None:
    found = said(PAIR, scripted(pair=compared(2, 4)), n=3)
    assert isinstance(found, Unparsed)
    assert "2" in found.reason
    cut = said(PAIR, scripted(pair=compared(2, 4)), n=1)
    assert isinstance(cut, Opinion)
    assert len(cut.pieces) == 1


def test_a_reply_that_never_came_fails_the_job() -> None:
    with pytest.raises(CallFailed):
        said(PAIR, by_step({"criteria": CallFailed(Cause.TIMEOUT)}))


def test_weights_go_by_place_and_name_another_judge() -> None:
    replies = {"1": compared(5, 1), "2": compared(1, 3)}
    given = {"criteria": criteria("legs", "eyes"), "guideline": LEVELS}
    ask = Judge(lambda question: given.get(question.step.split("/")[2]) or replies[question.step.rsplit("/", 1)[1]])
    found = said(PAIR, ask, weights="1, 3")
    assert isinstance(found, Opinion)
    assert (found.score_first, found.score_second) == (4, 5)  # (5 + 3·1)·2/4 against (1 + 3·3)·2/4
    assert found.choice == "second"
    assert PAIR.variant(Branches(weights="1, 3")) == "n=5 weights=1,3 scale=5-25"
    assert PAIR.variant(Branches()) == "n=5 scale=5-25"


@pytest.mark.parametrize("weights", ["heavy", "1 -2", "0 0", "nan", "1e9"])
def test_weights_that_are_none_are_refused(weights: str) -> None:
    with pytest.raises(ValidationError):
        Branches(weights=weights)


def test_the_variants_for_comparison_ask_less() -> None:
    asks = {one.slug: simulated() for one in (PAIR, BSM, ONE_STEP)}
    for slug, ask in asks.items():
        found = said(strategies()[slug], ask, n=5)
        assert isinstance(found, Opinion)
        assert len(found.pieces) == 5
        assert len(ask.asked) == strategies()[slug].calls_expected(Branches(branches=5))
    assert [len(ask.asked) for ask in asks.values()] == [11, 6, 1]


def test_pairs_are_always_judged_in_both_orders() -> None:
    assert [one.always_both_orders for one in (PAIR, SINGLE, BSM, ONE_STEP)] == [True, False, True, True]


def test_labels_can_stay_on_the_answers_in_the_other_order() -> None:
    """B under its letter above A; what is said of A is about the first answer as it is stored, in both orders."""
    ask = scripted(pair=compared(2, 4))
    of = shown(QUERY, FIRST, second=SECOND, options=PAIR.options(branches=1, labels="kept"))
    straight, swapped = (run(judged(PAIR, of, PROMPTS, ask, swapped=turn)).said for turn in (False, True))
    assert isinstance(straight, Opinion)
    assert isinstance(swapped, Opinion)
    assert straight.choice == swapped.choice == "second"
    assert [(one.score_first, one.score_second) for one in swapped.pieces] == [(2, 4)]
    one, other = (each.messages[1]["content"] for each in ask.asked if "/pair/" in each.step)
    assert one.index("Answer A:") < one.index(FIRST) < one.index("Answer B:") < one.index(SECOND)
    assert other.index("Answer B:") < other.index(SECOND) < other.index("Answer A:") < other.index(FIRST)


def test_exchanged_labels_go_with_the_places() -> None:
    """A judge that always says the same of A and B says the opposite of the answers."""
    of = shown(QUERY, FIRST, second=SECOND, options=PAIR.options(branches=1))
    swapped = run(judged(PAIR, of, PROMPTS, scripted(pair=compared(2, 4)), swapped=True)).said
    assert isinstance(swapped, Opinion)
    assert swapped.choice == "first"


def test_kept_labels_name_another_judge_and_only_pairs_have_labels() -> None:
    assert PAIR.variant(PAIR.options(labels="kept")) == "n=5 labels=kept criteria=shared scale=5-25"
    assert "labels" not in SINGLE.options.model_fields


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("strategy", [PAIR, BSM, ONE_STEP], ids=lambda one: one.slug)
def test_every_prompt_about_pairs_can_show_b_first(strategy: Strategy, language: str) -> None:
    wording = PROMPTS.text(strategy.steps[-1], language)
    turned_round = showing_b_first(wording)
    assert sorted(turned_round.split()) == sorted(wording.split())
    assert turned_round.index("{{ second }}") < turned_round.index("{{ answer }}")


def test_a_reworded_prompt_whose_answers_stand_apart_is_said_and_not_guessed_at() -> None:
    with pytest.raises(CallFailed) as failed:
        showing_b_first("A: {{ answer }} is held against the criterion {{ criterion }}, then B: {{ second }}")
    assert failed.value.cause == Cause.UNSUITABLE


@pytest.mark.slow
def test_with_a_noisy_judge_consistency_rises_with_the_number_of_criteria() -> None:
    """A criterion misses in six of ten cases; the sum of nine says the same in both orders more often than one does.

    One answer meets two of three demands, the other one: they are worth 1 + round(4 · 2/3) = 4 and 1 + round(4/3) = 2
    under every criterion, so that the whole curve follows from the noise alone.
    """
    met, left = "On “{}”: this is now worked out in full and checked.", "About “{}” I have nothing to add."
    parts = ("the legs", "the eyes", "the webs")
    first = " ".join([met.format(parts[0]), met.format(parts[1]), left.format(parts[2])])
    second = " ".join([met.format(parts[0]), left.format(parts[1]), left.format(parts[2])])
    ask = simulated(biases={"noise": 0.6})
    alike = [0] * 9
    for number in range(60):
        query = JudgedItem(messages=[{"role": "user", "content": f"Tell me of spiders, please, in {number} words."}])
        of = shown(query, first, second=second, options=Branches(branches=9))
        both = [run(judged(PAIR, of, PROMPTS, ask, swapped=swapped)).said for swapped in (False, True)]
        opinions = [one for one in both if isinstance(one, Opinion)]
        choices = [[merged(numbered(one.pieces), n).choice for n in range(1, 10)] for one in opinions]
        for n, (one, other) in enumerate(zip(*choices, strict=True)):
            alike[n] += one == other
    assert alike[0] < alike[4] < alike[8]
    for n, (seen, share) in enumerate(zip(alike, expected_curve(9, noise=0.6, first=4, second=2), strict=True), 1):
        assert binomtest(seen, 60, share).pvalue > 0.0005, n


def expected_curve(most: int, *, noise: float, first: int, second: int) -> list[float]:
    """How often two independent looks say the same by 1, 2, … criteria.

    Each score misses with that chance, by -2 to 2 points alike, and stays between 1 and 5.
    """

    def scored(true: int) -> dict[int, float]:
        found: dict[int, float] = {true: 1 - noise}
        for off in (-2, -1, 0, 1, 2):
            score = min(5, max(1, true + off))
            found[score] = found.get(score, 0) + noise / 5
        return found

    ones, sums, curve = (scored(first), scored(second)), {0: 1.0}, []
    for _criterion in range(most):
        added: dict[int, float] = {}
        for so_far, chance in sums.items():
            for one, other in product(*(each.items() for each in ones)):
                ahead = so_far + one[0] - other[0]
                added[ahead] = added.get(ahead, 0) + chance * one[1] * other[1]
        sums = added
        shares = [
            sum(chance for ahead, chance in sums.items() if (ahead > 0) - (ahead < 0) == sign) for sign in (1, 0, -1)
        ]
        curve.append(sum(share**2 for share in shares))
    return curve


def test_the_expected_curve_of_one_criterion_can_be_counted_by_hand() -> None:
    """Noise 1, both worth 3: scores 1 to 5, all alike: equal in 5 of 25, each ahead in 10: .4² + .2² + .4² = .36."""
    assert expected_curve(1, noise=1, first=3, second=3) == [pytest.approx(0.36)]
    assert expected_curve(3, noise=0, first=4, second=2) == [1, 1, 1]
