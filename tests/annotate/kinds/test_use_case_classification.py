"""Intents by a model: what it is told, and what becomes of what it says."""

from typing import Any

import pytest
from pydantic import ValidationError

from annotate.engine.purposes import purposes
from annotate.kinds.protocol import Question
from annotate.kinds.use_case.kind import KIND
from annotate.kinds.use_case.shapes import MEANINGS, UseCaseOptions
from annotate.kinds.values import ModelClassification
from annotate.models import Classification, Job
from lib.simulated.shapes.intent_label import best
from tests.annotate.purposes.test_preannotate import make_run
from tests.support.running import run
from tests.support.scripted import Script, shipped
from tests.support.use_cases import decided_case, use_case_project

NAMES = list(UseCaseOptions().intents)
CLASSIFY = purposes()["classify"]


def classified(said: str, **options: Any) -> ModelClassification:
    return asked_about(said, **options)[0]


def classification_prompt(**options: Any) -> str:
    return asked_about("Cooking", **options)[1]


def asked_about(
    said: str, *, question: str = "How do I get wine out of a carpet?", **options: Any
) -> tuple[ModelClassification, str]:
    facts = KIND.read_facts({"question": question, "user_intent": "Leisure"})
    asked: list[Question] = []

    async def ask(one: Question) -> Any:
        asked.append(one)
        return type("Reply", (), {"read": one.answer and one.answer.model_validate({"intent": said})})()

    done = run(KIND.classify(facts, UseCaseOptions(**options), shipped("use_case"), ask, language="en"))
    told = asked[0].messages[-1]["content"]
    assert question in told
    assert told.count("Leisure") == (0 if options else 1)  # in the list alone: what they reported is not said
    return done, told


@pytest.mark.parametrize(
    "said",
    ["Ask_for_Advice", "ask for advice", "- Ask_for_Advice: to be helped", " Ask_for_Advice ", "ASK_FOR_ADVICE：x"],
)
def test_an_intent_is_known_however_it_is_copied(said: str) -> None:
    assert classified(said) == ModelClassification(("Ask_for_Advice",), True)


def test_an_intent_that_the_list_does_not_have_is_kept_and_said_to_be_none() -> None:
    assert classified("Small talk") == ModelClassification(("Small talk",), False)


def test_a_projects_own_intents_are_offered_by_their_names() -> None:
    assert classified("cooking", intents=["Cooking", "Travel"]) == ModelClassification(("Cooking",), True)
    assert MEANINGS.lines(["Cooking", "Leisure"], {}, "zh-hans").splitlines()[0] == "- Cooking"
    assert MEANINGS.lines(["Cooking", "Leisure"], {}, "zh-hans").splitlines()[1].startswith("- Leisure：想")


def test_a_project_says_what_its_intents_mean_in_each_language() -> None:
    own = UseCaseOptions(
        intents=["Cooking", "Leisure"],
        definitions={"Cooking": {"en": "to prepare a meal", "zh": "做饭"}, "Leisure": "to rest"},
    ).definitions
    assert MEANINGS.lines(["Cooking", "Leisure"], own, "en") == "- Cooking: to prepare a meal\n- Leisure: to rest"
    assert MEANINGS.line("Cooking", own, "zh") == "Cooking：做饭"
    asked = classification_prompt(intents=["Cooking", "Travel"], definitions={"Travel": "to get somewhere"})
    assert "- Cooking\n- Travel: to get somewhere" in asked


def test_a_definition_of_an_intent_that_the_project_lacks_is_refused_by_its_name() -> None:
    with pytest.raises(ValidationError, match="no label “Cokking”"):
        UseCaseOptions(intents=["Cooking"], definitions={"Cokking": "to prepare a meal"})


@pytest.mark.parametrize(
    ("question", "intent"),
    [("Translate this letter into German.", "Text_Assistant"), ("请把这段话翻译成英文", "Text_Assistant"),
     ("Tell me a joke", "Leisure"), ("Which is the longest river?", "Factual_QA"),
     ("给我的猫起个名字", "Seek_Creativity"),
     ("Should I change my job?", "Ask_for_Advice"), ("Debug this Python code", "Solve_Professional_Problem")],
)  # fmt: skip
def test_the_simulated_model_recognises_plain_cases(question: str, intent: str) -> None:
    assert best(question, NAMES) == intent


@pytest.mark.django_db
def test_the_run_keeps_an_intent_an_item() -> None:
    item = decided_case(use_case_project(), intent="Leisure")
    planned = make_run(item.project, "classify")
    job = Job.objects.create(run=planned, subject="item", item=item)
    (case,) = CLASSIFY.load(planned, [job], shipped("use_case"))
    CLASSIFY.store(case, run(CLASSIFY.work(case, Script({"intent": {"intent": "Ask_for_Advice"}}))))
    found = Classification.objects.get()
    assert (found.item, found.label, found.group, found.listed) == (item, "Ask_for_Advice", "Ask_for_Advice", True)
