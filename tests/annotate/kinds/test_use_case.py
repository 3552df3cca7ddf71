from typing import Any

import pytest
from django.http import QueryDict

from annotate.kinds import find_kind
from annotate.kinds.use_case.shapes import UseCaseOptions
from tests.support.running import run
from tests.support.scripted import Script, shipped
from tests.support.use_cases import DRAFT, FACTS

kind = find_kind("use_case")
facts = kind.read_facts(FACTS)


def problems(options: UseCaseOptions | None = None, **changes: Any) -> list[str]:
    found = kind.problems(facts, kind.read_draft(DRAFT | changes), options or UseCaseOptions())
    return [one.path for one in found]


def test_a_decided_case_has_no_problem() -> None:
    assert problems() == []


def test_a_dropped_case_needs_its_reason_and_nothing_else() -> None:
    dropped = {"keep": False, "personal_data": True, "harmless": None, "intent": "", "first_question": ""}
    assert problems(**dropped) == ["drop_reason"]
    assert problems(**dropped, drop_reason="names a patient") == []
    assert kind.unsuitable(kind.read_draft(DRAFT | dropped))


@pytest.mark.parametrize(
    "changes",
    [
        {"keep": None},
        {"personal_data": None},
        {"personal_data": True},
        {"harmless": None},
        {"harmless": False},
        {"first_question": " \n"},
        {"intent": ""},
        {"intent": "Gardening"},
    ],
    ids=str,
)
def test_what_is_missing_or_forbids_keeping_is_named_at_its_field(changes: dict[str, Any]) -> None:
    assert problems(**changes) == list(changes)


def test_a_project_may_have_intents_of_its_own() -> None:
    own = UseCaseOptions(intents=["Gardening"])
    assert problems(own, intent="Gardening") == []
    assert problems(own) == ["intent"]


def test_a_case_without_a_reference_is_doubted_but_not_stopped() -> None:
    draft = kind.read_draft(DRAFT | {"reference": ""})
    assert problems(reference="") == []
    assert [one.path for one in kind.doubts(facts, draft, UseCaseOptions())] == ["reference"]
    assert kind.answers(facts, draft) == {}


def test_the_form_posts_what_is_stored() -> None:
    posted = QueryDict(mutable=True)
    words = {True: "yes", False: "no"}
    posted.update(
        {name: words.get(value, value) if isinstance(value, bool) else value for name, value in DRAFT.items()}
    )
    posted["reference"] = "one\r\ntwo"
    assert kind.read_form(posted, facts) == DRAFT | {"reference": "one\ntwo"}


def test_candidates_get_the_question_that_people_chose_at_their_own_temperature() -> None:
    draft = kind.read_draft(DRAFT | {"first_question": "Wine on wool?"})
    asked = kind.asked(facts, draft, UseCaseOptions())
    assert asked.messages == [{"role": "user", "content": "Wine on wool?"}]
    assert asked.temperature is None


def test_judged_cases_are_labelled_by_the_decided_intent_and_the_reported_language() -> None:
    draft = kind.read_draft(DRAFT | {"intent": "Leisure"})
    assert kind.judged(facts, draft, UseCaseOptions()).labels == {"intent": ["Leisure"], "language": ["EN"]}
    assert kind.answers(facts, draft) == {"reference": ("reference", DRAFT["reference"])}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_model_writes_the_reference_and_decides_nothing(language: str) -> None:
    ask = Script({"reference": {"response": " Blot it. "}})
    suggested = run(kind.preannotate(facts, UseCaseOptions(), shipped("use_case"), ask, language=language))
    assert suggested.draft["reference"] == "Blot it."
    assert suggested.draft["keep"] is suggested.draft["harmless"] is suggested.draft["personal_data"] is None
    assert suggested.draft["intent"] == "Ask_for_Advice"
    assert [one.path for one in suggested.doubts] == ["reference"]
    assert FACTS["question"] in ask.said("reference")


def test_values_are_shown_in_words() -> None:
    assert kind.shown("keep", False) == "No"
    assert kind.shown("intent", "Leisure") == "Leisure"
    assert kind.shown("intent", "Factual_QA") == "Factual question"
