"""The chain by which a model drafts a tree: who sees what, in which order, and what becomes a doubt."""

from typing import Any

import pytest

from annotate.kinds.branching.kind import KIND
from annotate.kinds.branching.shapes import BranchingOptions
from annotate.kinds.protocol import CallFailed
from annotate.kinds.values import ModelSuggestion
from tests.lib.texts.injections import INSTRUCTIONS
from tests.support.judges import simulated
from tests.support.running import run
from tests.support.scripted import Script, shipped
from tests.support.trees import PAIR, SINGLE, replies

PROMPTS = shipped("branching")
THREE = BranchingOptions(criteria=3)


def drafted(
    ask: Any, facts: dict[str, Any], options: BranchingOptions = THREE, language: str = "en"
) -> ModelSuggestion:
    return run(KIND.preannotate(KIND.read_facts(facts), options, PROMPTS, ask, language=language))


def words(suggested: ModelSuggestion) -> list[tuple[str, str]]:
    shown = [type(doubt).stored(doubt.as_json()) for doubt in suggested.doubts]
    return [(doubt.path, doubt.message) for doubt in shown]


def test_a_pair_goes_from_criteria_to_guidelines_to_judgements_to_a_correction() -> None:
    script = Script(replies(3))
    suggested = drafted(script, PAIR)
    assert script.steps == [
        *("criteria", "guideline/1", "guideline/2", "guideline/3"),
        *("comparison/1", "comparison/2", "comparison/3", "correction/first"),
    ]
    first = suggested.draft["branches"][0]
    assert first["guideline"] == {"id": "g1", "criterion": "c1", "levels": [f"1: like {n}" for n in (1, 2, 3, 4, 5)]}
    assert first["judgement"]["guideline"] == "g1"
    assert (first["judgement"]["score_first"], first["judgement"]["score_second"]) == (2, 5)
    assert suggested.draft["grounds_first"] == ["j1", "j2", "j3"]
    assert suggested.draft["grounds_second"] == []
    assert suggested.doubts == []


def test_a_single_response_is_judged_alone() -> None:
    script = Script(replies(3, scores=(4, 4)))
    draft = drafted(script, SINGLE).draft
    assert script.steps[4:] == ["judgement/1", "judgement/2", "judgement/3"]
    assert [one["judgement"]["score_second"] for one in draft["branches"]] == [None] * 3
    assert draft["correction_first"] == ""


@pytest.mark.parametrize("facts", [SINGLE, PAIR], ids=["single", "pair"])
def test_a_plan_counts_every_call_that_an_item_may_need(facts: dict[str, Any]) -> None:
    script = Script(replies(3, scores=(1, 1)))
    drafted(script, facts)
    assert len(script.steps) == KIND.preannotation_calls(KIND.read_facts(facts), THREE)


def test_criteria_and_guidelines_see_the_query_and_no_response() -> None:
    script = Script(replies(3))
    drafted(script, PAIR)
    for step in ("criteria", "guideline/1", "guideline/2", "guideline/3"):
        assert PAIR["query"] in script.said(step)
        assert PAIR["first"] not in script.said(step)
        assert PAIR["second"] not in script.said(step)


def test_a_judgement_sees_its_own_criterion_and_guideline_and_no_other() -> None:
    script = Script(replies(3))
    drafted(script, PAIR)
    said = script.said("comparison/2")
    for text in ("Look at 2.", "2: like 5", PAIR["first"], PAIR["second"]):
        assert text in said
    for text in ("Look at 1.", "3: like 5"):
        assert text not in said


def test_a_correction_sees_the_low_judgements_of_its_response_alone() -> None:
    given = replies(3, scores=(4, 5))
    given["comparison/2"] = {**given["comparison/2"], "score_first": 1, "explanation_first": "It miscounts."}
    script = Script(given)
    drafted(script, PAIR)
    said = script.said("correction/first")
    assert "It miscounts." in said
    assert "Name 2" in said
    assert "Name 1" not in said
    assert PAIR["second"] not in said


def test_everything_is_asked_at_temperature_0_but_the_correction() -> None:
    script = Script(replies(3))
    drafted(script, PAIR)
    temperatures = {question.step.split("/")[0]: question.temperature for question in script.asked}
    assert temperatures == {"criteria": 0, "guideline": 0, "comparison": 0, "correction": 0.1}


def test_too_few_criteria_and_a_score_off_the_scale_become_doubts_and_stay() -> None:
    given = replies(2)
    given["comparison/1"] = {**given["comparison/1"], "score_first": 10}
    suggested = drafted(Script(given), PAIR)
    assert suggested.draft["branches"][0]["judgement"]["score_first"] == 10
    assert suggested.draft["grounds_first"] == ["j2"]
    assert words(suggested) == [
        ("branches", "the model gave 2 criteria; 3 were requested."),
        ("branches[0]", "the model scored 10; the guideline goes from 1 to 5."),
    ]


def test_an_answer_that_fails_ends_the_chain_and_what_was_answered_is_not_asked_again() -> None:
    script = Script({name: reply for name, reply in replies(3).items() if name != "comparison/3"})
    with pytest.raises(CallFailed):
        drafted(script, PAIR)
    script.replies |= replies(3)
    drafted(script, PAIR)
    assert script.steps.count("criteria") == script.steps.count("comparison/1") == 1


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("count", [1, 5, 10])
def test_the_simulated_model_drafts_a_whole_tree(language: str, count: int) -> None:
    query = {"en": PAIR["query"], "zh": "蜘蛛有几条腿？请用一句话说明原因。"}[language]
    found = drafted(simulated(), {**PAIR, "query": query}, BranchingOptions(criteria=count), language)
    draft = KIND.read_draft(found.draft)
    assert len(draft.branches) == count
    facts = KIND.read_facts({**PAIR, "query": query})
    assert KIND.problems(facts, draft, BranchingOptions()) == []


def test_the_simulated_model_puts_right_what_a_response_put_off() -> None:
    weak = "About “how many legs” I have nothing to add."
    found = drafted(simulated(skill=1.0), {"query": PAIR["query"], "first": weak})
    assert found.draft["grounds_first"] == ["j1", "j2", "j3"]
    assert "how many legs" in found.draft["correction_first"]
    assert "nothing to add" not in found.draft["correction_first"]


@pytest.mark.parametrize("order", INSTRUCTIONS.values(), ids=INSTRUCTIONS.keys())
def test_an_obedient_model_scores_alike_with_and_without_an_order_in_a_response(order: str) -> None:
    """Responses stand in blocks; people are told what in them looks as if it spoke to the model."""
    good = "I have taken “eight legs” into account and settled it."
    plain, injected = (drafted(simulated(obeys=True), {**PAIR, "first": text}) for text in (good, f"{good}\n{order}"))
    scores = [[one["judgement"]["score_first"] for one in found.draft["branches"]] for found in (plain, injected)]
    assert scores[0] == scores[1]
    assert not any(doubt.path == "" for doubt in plain.doubts)
    assert any(doubt.path == "" for doubt in injected.doubts)
