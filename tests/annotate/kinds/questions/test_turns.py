"""Questions about the turns of a transcript: one answer for each of them, and the number of one."""

import json
from typing import Any

import pytest
from django.http import QueryDict
from jsonschema import Draft202012Validator

from annotate.kinds import find_kind
from annotate.kinds.contract import Kind
from annotate.kinds.protocol import Question, Reply
from annotate.kinds.questions.definition import BadDefinition, read_definition
from annotate.kinds.shapes import LenientOptions
from annotate.kinds.values import BadShape
from tests.support.running import run
from tests.support.scripted import shipped

DEFINITION = """
show: [{field: log, as: chat}, {field: task}]
questions:
  - {name: ok, type: choice, options: [good, bad], on_each: turns, of: log}
  - {name: calm, type: rating, scale: {"1": no, "3": "yes"}, on_each: turns, of: log, required: false,
     roles: [user, tool]}
  - {name: first_wrong, type: step, of: log, roles: [assistant], none: Nothing wrong}
"""
LOG = [{"role": role, "content": f"text {n}"} for n, role in enumerate(("user", "assistant", "tool", "assistant"))]
FACTS = {"log": LOG, "task": "Find a train."}
OK = [{"turn": 1, "value": "good"}, {"turn": 3, "value": "bad"}]


@pytest.fixture(scope="module")
def kind() -> Kind:
    return find_kind("form").by_definition([DEFINITION])


def problems(kind: Kind, **answers: Any) -> list[tuple[str, str]]:
    draft = kind.read_draft({"ok": OK, "first_wrong": "none"} | answers)
    found = kind.problems(kind.read_facts(FACTS), draft, LenientOptions())
    return [(finding.path, str(finding.message)) for finding in found]


def test_every_turn_of_the_roles_needs_an_answer(kind: Kind) -> None:
    assert problems(kind) == []
    assert problems(kind, ok=[]) == [("ok", "2 of 2 turns have no answer; the first of them is no. 2.")]
    assert problems(kind, ok=OK[:1]) == [("ok[3]", "1 of 2 turns have no answer; the first of them is no. 4.")]


@pytest.mark.parametrize(
    ("answers", "path", "said"),
    [
        ({"ok": [*OK, {"turn": 2, "value": "bad"}]}, "ok[2]", "turn 2 of “log” is not asked about"),
        ({"ok": [OK[0], {"turn": 3, "value": "fine"}]}, "ok[3]", "“fine” is not one of the options"),
        ({"calm": [{"turn": 0, "value": 9}]}, "calm[0]", "9 is not on the scale"),
        ({"first_wrong": 4}, "first_wrong", "there is no turn 5; the transcript has 4."),
        ({"first_wrong": 2}, "first_wrong", "turn 3 is not by assistant."),
        ({"first_wrong": "the last"}, "first_wrong", "“the last” is not the number of a turn."),
        ({"first_wrong": None}, "first_wrong", "answer this question."),
    ],
)
def test_answers_are_checked_against_the_transcript(kind: Kind, answers: Any, path: str, said: str) -> None:
    ((where, message),) = problems(kind, **answers)
    assert where == path
    assert said in message


@pytest.mark.parametrize(
    ("answers", "path"),
    [
        ({"ok": "good"}, "ok"),
        ({"ok": ["good"]}, "ok[0]"),
        ({"ok": [{"turn": -1, "value": "good"}]}, "ok[0]"),
        ({"ok": [{"turn": True, "value": "good"}]}, "ok[0]"),
        ({"ok": [OK[0], OK[0]]}, "ok[1].turn"),
        ({"ok": [{"turn": 1, "value": 3}]}, "ok[0].value"),
        ({"first_wrong": 1.5}, "first_wrong"),
    ],
)
def test_answers_of_another_shape_are_refused_with_their_place(kind: Kind, answers: Any, path: str) -> None:
    with pytest.raises(BadShape) as bad:
        kind.read_draft(answers)
    assert [found.path for found in bad.value.findings] == [path]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: q, type: text, on_each: turns, of: log", "`on_each` goes with the types choice and rating."),
        ("name: q, type: choice, options: [a], on_each: turns, of: log", "questions[0].options: has too few entries"),
        ("name: q, type: choice, options: [a, b], on_each: words, of: log", "questions[0].on_each: is “words”"),
        ("name: q, type: choice, options: [a, b], on_each: turns, of: task", "show it as chat"),
        ("name: q, type: choice, options: [a, b], on_each: turns, of: x", "needs the column “x”"),
        ('name: q, type: rating, scale: {"0": a, "9": b}, on_each: turns, of: log', "10 values for each turn"),
        ("name: q, type: step, of: task", "show it as chat"),
    ],
)
def test_what_is_wrong_in_a_definition_is_said(text: str, said: str) -> None:
    with pytest.raises(BadDefinition) as bad:
        read_definition(f"show: [{{field: log, as: chat}}, {{field: task}}]\nquestions: [{{{text}}}]")
    assert said in str(bad.value)


def test_forms_are_read_and_people_count_from_1(kind: Kind) -> None:
    facts = kind.read_facts(FACTS)
    posted = "q-ok.3=bad&q-ok.1=good&q-ok.x=good&q-ok.2=&q-calm.0=2&q-first_wrong=4&q-first_wrong.none=none"
    assert kind.read_form(QueryDict(posted), facts) == {"ok": OK, "calm": [{"turn": 0, "value": 2}], "first_wrong": 3}
    assert kind.read_form(QueryDict("q-first_wrong.none=none"), facts)["first_wrong"] == "none"
    assert kind.read_form(QueryDict("q-first_wrong=0"), facts)["first_wrong"] == "0"
    assert kind.shown("ok", OK) == "2. good\n4. bad"
    assert (kind.shown("first_wrong", 3), kind.shown("first_wrong", "none")) == ("Turn 4", "Nothing wrong")


def test_the_page_knows_which_turns_can_be_chosen(kind: Kind) -> None:
    asked = kind.questions()["first_wrong"].form_context(kind.read_facts(FACTS).columns)
    assert (asked["turns"], asked["count"], asked["roles"]) == ([2, 4], 4, "assistant")


def test_files_may_have_places_as_names_and_any_order(kind: Kind) -> None:
    row = kind.read_row({"ok": {"3": "bad", "1": "good"}, "calm": [{"turn": 2, "value": "3"}], "first_wrong": "3"})
    assert row.draft == {"ok": OK, "calm": [{"turn": 2, "value": 3}], "first_wrong": 3}
    assert kind.read_draft(row.draft or {}).stored() == row.draft


def test_a_value_that_is_called_otherwise_now_is_read_under_its_new_name() -> None:
    second = DEFINITION.replace("[good, bad], on_each", "[fine, bad], was: {good: fine}, on_each")
    kind = find_kind("form").by_definition([DEFINITION, second])
    assert kind.upgrade({"ok": OK}, 1)["ok"][0] == {"turn": 1, "value": "fine"}


def test_a_model_answers_by_the_numbers_of_turns(kind: Kind) -> None:
    reply = {"ok": {"1": "good", "3": "fine"}, "calm": {"0": 3, "2": 1}, "first_wrong": "3"}
    asked: list[Question] = []

    async def ask(question: Question, /) -> Reply:
        asked.append(question)
        assert question.answer is not None
        return Reply(json.dumps(reply), question.answer.model_validate(reply))

    facts = kind.read_facts(FACTS)
    suggestion = run(kind.preannotate(facts, LenientOptions(), shipped("form"), ask, language="en"))
    assert suggestion.draft["ok"] == OK[:1]
    assert suggestion.draft["calm"] == [{"turn": 0, "value": 3}, {"turn": 2, "value": 1}]
    assert suggestion.draft["first_wrong"] == 3
    assert [(doubt.path, doubt.said) for doubt in suggestion.doubts] == [("ok", {"n": 1})]
    assert '"3": {' in asked[0].messages[1]["content"]
    assert asked[0].answer is not None
    schema = asked[0].answer.model_json_schema()
    of_turns = {name: part["enum"] for name, part in schema["$defs"].items() if "enum" in part}
    assert list(of_turns.values()) == [["good", "bad"]]
    assert schema["properties"]["first_wrong"]["enum"] == ["1", "3", "none"]


def test_the_schema_of_a_row_allows_what_files_have(kind: Kind) -> None:
    schema = Draft202012Validator(kind.row_schema(per_rater=False, decided=True))
    for first_wrong in (3, "none"):
        answers = {"ok": OK, "calm": [{"turn": 0, "value": 3}], "first_wrong": first_wrong}
        row = {"key": "k", **kind.write_row(FACTS, answers), "provenance": {}}
        assert list(schema.iter_errors(row)) == []
    assert list(schema.iter_errors(row | {"ok": [{"turn": 1, "value": "fine"}]})) != []


def test_parts_are_named_by_the_number_and_the_opening_of_their_turn(kind: Kind) -> None:
    question = kind.questions()["ok"]
    parts = [*OK, {"turn": 0, "value": "good"}]
    assert question.named_parts(parts, FACTS) == [(2, "good", "text 1"), (4, "bad", "text 3")]
    assert question.named_parts(None, FACTS) == []


def test_what_is_no_answer_about_turns_stays_as_it_is_for_the_check(kind: Kind) -> None:
    question = kind.questions()["ok"]
    for other in ("good", [["good"]], {"turn": "x"}):
        assert question.in_order(other) == other
        assert question.mapped(other) == other
    assert question.typed({"3": "bad", "1": "good"}) == OK


def test_problems_without_places_are_the_same(kind: Kind) -> None:
    assert list(kind.questions()["ok"].problems([], FACTS)) == [
        "2 of 2 turns have no answer; the first of them is no. 2."
    ]
