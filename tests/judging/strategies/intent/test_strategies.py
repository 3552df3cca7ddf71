import re
from typing import Any

import pytest
from pydantic import ValidationError

from annotate.kinds.judged import Judged
from annotate.kinds.use_case.intents import NAMES
from judging.strategies.base import Opinion
from judging.strategies.intent.criteria import IntentOptions, criteria_for, shipped
from judging.strategies.intent.strategies import ByIntent
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
    case = Judged([{"role": "user", "content": "Wine on wool?"}], labels={"intent": [intent]})
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
    assert strategy.variant(IntentOptions()) == "scale=1-10"
    assert strategy.variant(IntentOptions(**own)) != "scale=1-10"


def test_a_command_may_give_criteria_as_json() -> None:
    assert IntentOptions(criteria={"Leisure": ["Wit", "clarity"]}).criteria == "Leisure = Wit, clarity"  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["Leisure", "= wit", "Leisure =", "Leisure = wit, wit", "Leisure = a,b,c,d,e,f,g,h,i"])
def test_criteria_that_cannot_be_meant_are_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        IntentOptions(criteria=text)


def test_an_item_without_an_intent_is_not_judged_so() -> None:
    assert not strategy.suits(Judged([{"role": "user", "content": "Why?"}]))
    assert strategy.suits(Judged([{"role": "user", "content": "Why?"}], labels={"intent": ["Leisure"]}))


def test_an_intent_of_a_projects_own_has_general_criteria() -> None:
    assert [each.axis for each in criteria_for("gardening", {})] == shipped()["intents"]["general"]
