import re
from typing import Any

import pytest
from pydantic import ValidationError

from annotate.kinds.intents import NAMES
from annotate.kinds.protocol import JudgedItem
from judging.strategies.intent.intent_criteria import IntentOptions, criteria_for, shipped, weighing
from judging.strategies.intent.strategies import ByIntent
from judging.strategies.strategy import Opinion
from tests.support.judges import messages, shown, simulated
from tests.support.judges import shipped as prompts
from tests.support.running import run

ORDER = {
    "Factual_QA": ["factuality", "user_satisfaction", "clarity", "completeness", "logical_coherence"],
    "Solve_Professional_Problem": ["factuality", "user_satisfaction", "clarity", "logical_coherence", "completeness"],
    "API": ["factuality", "user_satisfaction", "clarity", "logical_coherence", "completeness"],
    "Text_Assistant": ["clarity", "user_satisfaction", "logical_coherence", "factuality", "creativity"],
    "Ask_for_Advice": ["user_satisfaction", "factuality", "fairness_and_responsibility", "creativity", "richness"],
    "Seek_Creativity": ["user_satisfaction", "logical_coherence", "creativity", "richness", "factuality"],
    "Leisure": ["user_satisfaction", "engagement", "appropriateness", "creativity", "factuality"],
}  # fmt: skip
strategy = ByIntent()


def asked(intent: str, language: str = "en", answer: str = "Blot it.", **options: Any) -> tuple[str, Opinion]:
    case = JudgedItem([{"role": "user", "content": "Wine on wool?"}], labels={"intent": [intent]})
    of = shown(case, answer, reference="Blot it.", language=language, options=IntentOptions(**options))
    ask = simulated()
    said = run(strategy.judge(of, prompts("intent"), ask))
    assert isinstance(said, Opinion), said
    return messages(ask.asked)[1], said


def axes_in(text: str) -> list[str]:
    return re.findall(r"^- .*?[(（]([a-z_]+)[)）]", text, re.MULTILINE)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("intent", NAMES)
def test_each_intent_has_its_five_criteria_in_the_order_of_the_paper(intent: str, language: str) -> None:
    text, said = asked(intent, language)
    assert axes_in(text) == ORDER[intent]
    assert [piece.axis for piece in said.pieces] == ORDER[intent]
    assert all(piece.score_first is not None and 1 <= piece.score_first <= 10 for piece in said.pieces)


@pytest.mark.parametrize("intent", NAMES)
def test_only_for_problem_solving_the_first_two_decide(intent: str) -> None:
    text, _said = asked(intent)
    decides = intent in ("Solve_Professional_Problem", "API")
    assert ("Factuality and User satisfaction decide the final score" in text) == decides


def test_the_reference_counts_as_eight_and_the_bands_are_said() -> None:
    for language, words in (("en", ["worth 8 points of 10", "1–2:", "9–10:"]), ("zh", ["值 8 分", "1–2：", "9–10："])):
        text, _said = asked("Leisure", language)
        assert all(word in text for word in words)


def test_an_answer_like_the_reference_gets_eight() -> None:
    assert asked("Leisure")[1].score_first == 8


def test_every_criterion_is_said_in_both_languages() -> None:
    for axis, criterion in shipped()["criteria"].items():
        for part in ("name", "means"):
            assert criterion[part]["en"].strip(), axis
            assert criterion[part]["zh"].strip(), axis
    assert {each for named in shipped()["intents"].values() for each in named} == set(shipped()["criteria"])


def test_criteria_can_be_replaced_and_then_it_is_another_judge() -> None:
    own = {"criteria": "Leisure = Wit, clarity"}
    text, said = asked("Leisure", **own)
    assert axes_in(text) == ["wit", "clarity"]
    assert [piece.axis for piece in said.pieces] == ["wit", "clarity"]
    assert asked("Factual_QA", **own)[0] == asked("Factual_QA")[0]
    assert strategy.variant(IntentOptions()) == "scale=1-10 weights=leading"
    assert strategy.variant(IntentOptions(**own)) != strategy.variant(IntentOptions())


def test_a_command_may_give_criteria_as_json() -> None:
    assert IntentOptions(criteria={"Leisure": ["Wit", "clarity"]}).criteria == "Leisure = Wit, clarity"  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["Leisure", "= wit", "Leisure =", "Leisure = wit, wit", "Leisure = a,b,c,d,e,f,g,h,i"])
def test_criteria_that_cannot_be_meant_are_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        IntentOptions(criteria=text)


# The sense of URS table 8, by words that only the right meaning has.
SENSE = {
    "fairness_and_responsibility": (["can be carried out", "risks", "consequences"], ["可行", "负责", "后果"]),
    "engagement": (["fun", "relaxes", "entertains"], ["有趣", "放松"]),
    "appropriateness": (["every kind", "improper", "offensive"], ["各类用户", "不当", "冒犯"]),
    "richness": (["depth", "context", "examples"], ["深度", "背景", "例子"]),
    "factuality": (["reliable facts"], ["可靠"]),
    "creativity": (["original", "new insights"], ["独到", "新的见解"]),
}  # fmt: skip


@pytest.mark.parametrize("axis", SENSE)
def test_criteria_mean_what_the_paper_defines(axis: str) -> None:
    means = shipped()["criteria"][axis]["means"]
    for language, words in zip(("en", "zh"), SENSE[axis], strict=True):
        assert [word for word in words if word not in means[language]] == []


def test_the_order_of_criteria_weighs_nothing_unless_a_lead_says_so() -> None:
    for language, words in (("en", "the earlier ones weigh more"), ("zh", "排在前面的标准比后面的更重要")):
        assert words not in asked("Leisure", language)[0]
        assert words in asked("Leisure", language, weights="order")[0]
    assert strategy.variant(IntentOptions(weights="order")) == "scale=1-10 weights=order"


@pytest.mark.parametrize(
    ("weights", "deciding"),
    [
        ("leading", {"Solve_Professional_Problem", "API"}),
        ("leading_all", set(NAMES)),
        ("none", set()),
        ("order", set()),
    ],
)
def test_two_criteria_decide_for_the_intents_that_the_lead_chooses(weights: str, deciding: set[str]) -> None:
    words = "Factuality and User satisfaction decide the final score"
    assert {intent for intent in NAMES if words in asked(intent, weights=weights)[0]} == deciding


def test_two_criteria_decide_only_where_both_are_asked() -> None:
    own = criteria_for("api", {"api": ["clarity", "factuality"]})
    assert "decide" not in weighing("api", own, "en")


def test_a_criterion_of_ones_own_comes_with_its_definition() -> None:
    own = {
        "criteria": "Leisure = Wit, engagement",
        "definitions": "Wit: makes the reader smile； 趣味性：keeps them there",
    }
    text, said = asked("Leisure", **own)
    assert "- Wit (wit): makes the reader smile" in text
    assert "- Engagement (engagement): keeps them there" in text
    assert "- Wit（wit）：makes the reader smile" in asked("Leisure", "zh", **own)[0]
    assert [piece.axis for piece in said.pieces] == ["wit", "engagement"]
    assert strategy.refusal(IntentOptions(**own)) == ""
    plain = IntentOptions(criteria=own["criteria"])
    assert strategy.variant(IntentOptions(**own)) != strategy.variant(plain)


def test_a_name_without_a_definition_is_refused_with_the_remedy() -> None:
    reason = strategy.refusal(IntentOptions(criteria="Leisure = Wit, clarity", definitions="Warmth: is kind"))
    assert "“Wit”" in reason
    assert "definitions" in reason
    assert "fairness_and_responsibility" in reason


def test_a_command_may_give_definitions_as_json() -> None:
    given = IntentOptions(definitions={"Wit": "smiles; laughs", "Warmth": "is kind"})  # type: ignore[arg-type]
    assert given.definitions == "Wit: smiles, laughs\nWarmth: is kind"


@pytest.mark.parametrize("text", ["Wit", "Wit:", ": smiles", "Wit: a; wit: b"])
def test_definitions_that_cannot_be_meant_are_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        IntentOptions(definitions=text)


def test_an_item_without_an_intent_is_not_judged_so() -> None:
    assert not strategy.suits(JudgedItem([{"role": "user", "content": "Why?"}]))
    assert strategy.suits(JudgedItem([{"role": "user", "content": "Why?"}], labels={"intent": ["Leisure"]}))


def test_an_intent_of_a_projects_own_has_general_criteria() -> None:
    assert [each.axis for each in criteria_for("gardening", {})] == shipped()["intents"]["general"]
