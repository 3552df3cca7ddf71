"""Judging by the criteria that people have approved in the item."""

from typing import Any

import pytest

from annotate.kinds.branching.kind import KIND
from annotate.kinds.protocol import JudgedItem, Standard
from judging.strategies.strategy import Opinion, Strategy, strategies
from tests.judging.strategies.branches.test_branching import PROMPTS, compared, scripted
from tests.support.judges import Judge, shown
from tests.support.running import run
from tests.support.trees import DRAFT, PAIR

BOTH, SINGLE = strategies()["branching"], strategies()["branching-single"]
LEVELS = [f"like {score}" for score in range(1, 6)]
MESSAGES = [{"role": "user", "content": "How many legs has a spider?"}]


def by(strategy: Strategy, *standards: Standard, ask: Judge, branches: int = 5, **options: Any) -> Opinion:
    given = strategy.options(criteria="recovered", branches=branches, **options)
    second = "It has eight." if strategy.pairwise else None
    case = shown(JudgedItem(MESSAGES, criteria=standards), "Six.", second=second, options=given)
    found = run(strategy.judge(case, PROMPTS, ask))
    assert isinstance(found, Opinion)
    return found


COUNT = Standard("Count", "Whether the number is right.", LEVELS)
ORDER = Standard("Order", "Whether the order of animals is named.", LEVELS, weight=3)


def test_only_judgements_are_asked_each_by_its_own_guideline() -> None:
    ask = scripted(pair=compared(2, 4))
    found = by(BOTH, COUNT, Standard("Order", "Named?", LEVELS), ask=ask)
    assert ask.steps == ["judge/1/pair/1", "judge/1/pair/2"]
    told = ask.asked[0].messages[1]["content"]
    assert "Whether the number is right." in told
    assert "1: like 1\n2: like 2" in told
    assert (found.score_first, found.score_second, found.choice) == (4, 8, "second")
    assert [piece.label for piece in found.pieces] == ["Count", "Order"]


def test_no_more_criteria_count_than_were_asked_for_and_peoples_weights_do() -> None:
    assert len(by(BOTH, COUNT, ORDER, ask=scripted(pair=compared(2, 4)), branches=1).pieces) == 1
    (piece,) = by(BOTH, ORDER, ask=scripted(pair=compared(2, 4)), weights="5").pieces
    assert piece.weight == 3


FITS = [(BOTH, 0, False), (BOTH, 1, True), (SINGLE, 1, False), (SINGLE, 2, True)]


@pytest.mark.parametrize(("strategy", "there", "fits"), FITS)
def test_an_item_fits_with_one_criterion_for_pairs_and_with_all_for_sums(
    strategy: Strategy, there: int, fits: bool
) -> None:
    case = JudgedItem(MESSAGES, criteria=[COUNT] * there)
    assert strategy.fits(case, strategy.options(criteria="recovered", branches=2)) is fits
    assert strategy.fits(case, strategy.options(branches=2))


def test_they_are_another_judge_and_cost_fewer_calls() -> None:
    own, recovered = BOTH.options(), BOTH.options(criteria="recovered")
    assert BOTH.variant(own) == "n=5 criteria=shared scale=5-25"
    assert BOTH.variant(BOTH.options(sharing="apart")) == "n=5 scale=5-25"
    assert BOTH.variant(recovered) == "n=5 criteria=recovered scale=5-25"
    # In each of two orders five judgements; together one question for criteria and five for guidelines.
    assert (BOTH.calls_expected(own), BOTH.calls_expected(recovered)) == (8, 5)
    assert BOTH.calls_expected(BOTH.options(sharing="apart")) == 11


def test_everything_in_one_step_has_no_recovered_criteria() -> None:
    assert "criteria" not in strategies()["branching-one-step"].options.model_fields


def test_the_kind_hands_over_what_stands_in_the_tree_and_judges_see_no_original_judgement() -> None:
    facts = KIND.read_facts(PAIR | {"original": {"style": "verdict", "verdict": "second", "text": "A secret reason."}})
    case = KIND.judged(facts, KIND.read_draft(DRAFT), KIND.options())
    assert [one.name for one in case.criteria] == ["Name 1", "Name 2"]
    assert case.criteria[0].levels == [f"1: score {score}" for score in range(1, 6)]
    assert "secret" not in str(case)
    ask = scripted(pair=compared(2, 4))
    run(BOTH.judge(shown(case, "Six.", second="Eight.", options=BOTH.options(criteria="recovered")), PROMPTS, ask))
    assert not any("secret" in str(question.messages) for question in ask.asked)
