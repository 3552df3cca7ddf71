"""Rubrics of items: their shape, answers in forms and files, the score, and a model's answers."""

import json
from typing import Any

import pytest
from django.http import QueryDict
from jsonschema import Draft202012Validator

from annotate.kinds import find_kind
from annotate.kinds.contract import Kind
from annotate.kinds.protocol import Question, Reply
from annotate.kinds.questions.types.rubric import Rubric, RubricScore
from annotate.kinds.shapes import LenientOptions
from annotate.kinds.values import BadShape
from tests.support.running import run
from tests.support.scripted import shipped

DEFINITION = """
show: [{field: prompt}, {field: response}]
questions:
  - {name: rubric, type: rubric, from: rubric}
  - {name: checks, type: rubric, from: rubrics, required: false}
"""
CRITERIA: list[dict[str, Any]] = [
    {"criterion": "Names the cause.", "points": 5, "tags": ["axis:accuracy"]},
    {"criterion": "Gives a dose.", "points": -8},
    {"criterion": "Says when to see a doctor.", "points": 2.5, "tags": []},
]
FACTS = {"prompt": "My head aches.", "response": "Drink water.", "rubric": CRITERIA, "rubrics": CRITERIA[:1]}


@pytest.fixture(scope="module")
def kind() -> Kind:
    return find_kind("form").by_definition([DEFINITION])


def rubric(kind: Kind) -> Rubric:
    question = kind.questions()["rubric"]
    assert isinstance(question, Rubric)
    return question


def problems(kind: Kind, answer: Any) -> list[str]:
    draft = kind.read_draft({"rubric": answer})
    return [str(found.message) for found in kind.problems(kind.read_facts(FACTS), draft, LenientOptions())]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (["met", "not_met", "cannot_tell"], []),
        ([], ["3 of 3 criteria have no answer; the first of them is no. 1."]),
        (["met", None], ["2 of 3 criteria have no answer; the first of them is no. 2."]),
        (
            ["met", "perhaps", "met"],
            ["“perhaps” is not one of the answers; allowed: met, not_met, cannot_tell."],
        ),
        (["met"] * 4, ["has 4 answers for 3 criteria; remove what is too much."]),
    ],
)
def test_answers_are_checked_against_the_criteria_of_the_item(kind: Kind, answer: Any, said: list[str]) -> None:
    assert problems(kind, answer) == said


@pytest.mark.parametrize(
    ("value", "path", "said"),
    [
        ("Names the cause.", "rubric", "must be a list of criteria"),
        ([], "rubric", "with at least one"),
        ([CRITERIA[0]] * 501, "rubric", "has 501 criteria; at most 500 are allowed."),
        (["Names the cause."], "rubric[0]", "must be an object with `criterion` and `points`"),
        ([CRITERIA[0], {"points": 1}], "rubric[1].criterion", "must be the text"),
        ([{"criterion": " ", "points": 1}], "rubric[0].criterion", "must be the text"),
        ([{"criterion": "a", "points": "5"}], "rubric[0].points", "must be a number"),
        ([{"criterion": "a", "points": True}], "rubric[0].points", "must be a number"),
        ([{"criterion": "a", "points": -(10**400)}], "rubric[0].points", "must lie between -1000000 and 1000000."),
        ([{"criterion": "a", "points": 1, "tags": "b"}], "rubric[0].tags", "must be a list of texts"),
    ],
)
def test_a_column_that_is_no_rubric_is_refused_with_its_place(kind: Kind, value: Any, path: str, said: str) -> None:
    with pytest.raises(BadShape) as bad:
        kind.read_facts({**FACTS, "rubric": value})
    assert [found.path for found in bad.value.findings] == [path]
    assert said in bad.value.findings[0].message


def test_an_answer_of_another_shape_is_refused(kind: Kind) -> None:
    for answer in ("met", [1], {"1": "met"}):
        with pytest.raises(BadShape, match="for each criterion"):
            kind.read_draft({"rubric": answer})


def test_the_form_keeps_the_places_of_criteria_that_are_not_answered_yet(kind: Kind) -> None:
    facts = kind.read_facts(FACTS)
    posted = "q-rubric.count=3&q-rubric.2=met&q-checks.count=1&q-checks.9=met"
    assert kind.read_form(QueryDict(posted), facts) == {"rubric": [None, None, "met"], "checks": []}
    assert kind.read_form(QueryDict("q-rubric.count=x"), facts)["rubric"] == []
    assert len(kind.read_form(QueryDict("q-rubric.count=999999&q-rubric.0=met"), facts)["rubric"]) == 500


# Points 5 and 2.5 are positive: 7.5 in all.
@pytest.mark.parametrize(
    ("answer", "value", "cannot_tell"),
    [
        (["met", "not_met", "met"], 1.0, 0),
        (["met", "met", "not_met"], -3 / 7.5, 0),  # an item may lie below 0
        (["met", "not_met", "cannot_tell"], 1.0, 1),  # 5 of 5: the third is in neither
        (["cannot_tell", "not_met", "cannot_tell"], None, 2),  # no positive points are left
        (["not_met", "not_met"], 0.0, 0),
    ],
)
def test_the_score_is_points_met_of_positive_points(
    kind: Kind, answer: list[str], value: float | None, cannot_tell: int
) -> None:
    question = rubric(kind)
    assert question.score(question.measured(answer), FACTS) == RubricScore(value, cannot_tell)


def test_a_name_that_column_and_question_share_holds_both_in_files(kind: Kind) -> None:
    answers = {"rubric": ["met", None, "cannot_tell"], "checks": ["not_met"]}
    row = kind.write_row(FACTS, answers)
    assert row["rubric"][0] == {**CRITERIA[0], "answer": "met"}
    assert row["rubric"][1] == CRITERIA[1]
    native = kind.read_row({"key": "k", **row, "system": "m"})
    assert (native.facts, native.draft, native.metadata) == (FACTS, answers, {"system": "m"})
    assert kind.read_row({"key": "k", **FACTS}).draft is None
    assert kind.read_row({"rubric": [True, False, None]}).draft == {"rubric": ["met", "not_met", None]}
    graded = [{"explanation": "It does.", "criteria_met": True}, {"criteria_met": False}]
    assert kind.read_row({"checks": graded}).draft == {"checks": ["met", "not_met"]}


def test_criteria_are_not_taken_for_answers_of_an_older_version() -> None:
    first = DEFINITION.replace("  - {name: rubric, type: rubric, from: rubric}\n", "")
    kind = find_kind("form").by_definition([first, DEFINITION])
    assert kind.upgrade(FACTS, 1) == FACTS
    assert kind.upgrade({"rubric": ["met"]}, 2) == {"rubric": ["met"]}


def test_answers_read_as_lines(kind: Kind) -> None:
    assert kind.shown("rubric", ["met", None, "cannot_tell"]) == "1. Met\n3. Cannot tell"
    texts = [row["criterion"] for row in FACTS["rubric"]]
    named = kind.questions()["rubric"].named_parts(["met", None, "cannot_tell"], FACTS)
    assert named == [(1, "Met", texts[0]), (3, "Cannot tell", texts[2])]


def suggested(kind: Kind, reply: dict[str, Any]) -> tuple[Any, Question]:
    asked: list[Question] = []

    async def ask(question: Question, /) -> Reply:
        asked.append(question)
        assert question.answer is not None
        return Reply(json.dumps(reply), question.answer.model_validate(reply))

    facts = kind.read_facts(FACTS)
    return run(kind.preannotate(facts, LenientOptions(), shipped("form"), ask, language="en")), asked[0]


def test_a_model_answers_all_criteria_in_one_call(kind: Kind) -> None:
    reply = {"rubric": {"1": "met", "2": "no", "3": "cannot_tell"}, "checks": {"1": "met"}}
    suggestion, question = suggested(kind, reply)
    assert suggestion.draft == {"rubric": ["met", None, "cannot_tell"], "checks": ["met"]}
    assert [(doubt.path, doubt.said) for doubt in suggestion.doubts] == [("rubric", {"n": 1})]
    text = question.messages[1]["content"]
    assert '"3": {' in text
    assert "one of met, not_met, cannot_tell" in text
    assert question.answer is not None
    schema = question.answer.model_json_schema()
    assert json.dumps(schema).count("cannot_tell") == 1  # the answers are written once
    assert suggested(kind, reply)[1].answer is question.answer


def test_the_schema_of_a_row_allows_what_files_have(kind: Kind) -> None:
    row = kind.write_row(FACTS, {"rubric": ["met", None, "cannot_tell"], "checks": ["not_met"]})
    schema = Draft202012Validator(kind.row_schema(per_rater=False, decided=True))
    assert list(schema.iter_errors({"key": "k", **row, "provenance": {}})) == []
    row["rubric"] = [{"criterion": "Names the cause."}]
    assert [error.json_path for error in schema.iter_errors({"key": "k", **row, "provenance": {}})] == ["$.rubric[0]"]
    by_rater = Draft202012Validator(kind.row_schema(per_rater=True, decided=True))
    rated = {"key": "k", "rater": "r1", "rubric": ["met", "met", "met"], "provenance": {}}
    assert list(by_rater.iter_errors(rated)) == []
    assert list(by_rater.iter_errors(rated | {"rubric": ["yes"]})) != []


def test_a_row_as_healthbench_publishes_it_is_read() -> None:
    text = "show: [{field: prompt, as: chat}, {field: response}]\nquestions: [{name: r, type: rubric, from: rubrics}]"
    kind = find_kind("form").by_definition([text])
    row = {
        "prompt": [{"content": "My head aches.", "role": "user"}],
        "prompt_id": "p-1",
        "rubrics": CRITERIA,
        "example_tags": ["theme:hedging"],
        "response": "Drink water.",
    }
    native = kind.read_row(row)
    facts = kind.read_facts(native.facts)
    assert (kind.title(facts), native.draft) == ("Drink water.", None)
    assert native.metadata == {"prompt_id": "p-1", "example_tags": ["theme:hedging"]}
