"""A judge of own questions: what it is asked, which sides it sees, and how its answers are read."""

import json
from dataclasses import replace
from typing import Any

import pytest

from annotate.kinds.protocol import CallFailed, Cause, JudgedItem
from judging.strategies.forms.strategies import STRATEGIES, WhichQuestions
from judging.strategies.strategy import Opinion, ShownCase, Unparsed
from tests.support.judges import Judge, messages, own_questions, questioned, saying, shipped, shown
from tests.support.running import run

(FORM,) = STRATEGIES
COLUMNS = {"prompt": "Which?", "answer": "Eight legs.", "other": "Six legs."}
REPLY = {"good": 4, "safe": "yes", "topics": ["news"], "better": "first", "order": [2, 1], "why": "So."}


def case(*questions: str, **more: Any) -> ShownCase:
    return questioned(COLUMNS, options=WhichQuestions(questions=list(questions)), **more)


def asked(reply: Any, shown: ShownCase | None = None) -> tuple[Opinion | Unparsed, Judge]:
    ask = saying(reply if isinstance(reply, str | CallFailed) else json.dumps(reply))
    return run(FORM.judge(shown or case(), shipped("forms"), ask)), ask


def answers(reply: Any, shown: ShownCase | None = None) -> dict[str, Any]:
    said, _ask = asked(reply, shown)
    assert isinstance(said, Opinion), said
    return {piece.axis: json.loads(piece.label) for piece in said.pieces if piece.label}


def material(shown: ShownCase) -> dict[str, str]:
    """The columns as the judge reads them."""
    (text,) = [text for text in messages(asked(REPLY, shown)[1].asked) if '"answer"' in text]
    columns: dict[str, str] = json.loads(text[text.index("{\n") : text.index("\n}") + 2])
    return columns


def test_all_questions_are_asked_in_one_request_with_a_schema_of_their_options() -> None:
    _said, ask = asked(REPLY)
    assert ask.steps == ["judge/1/answers"]
    assert ask.asked[0].answer is not None
    schema = ask.asked[0].answer.model_json_schema()["properties"]
    assert list(schema) == list(REPLY)
    assert schema["topics"]["items"]["enum"] == ["news", "code", "health"]


def test_some_questions_are_asked_with_those_that_their_conditions_name() -> None:
    _said, ask = asked({"good": 3, "safe": "no"}, case("safe"))
    assert ask.asked[0].answer is not None
    assert list(ask.asked[0].answer.model_json_schema()["properties"]) == ["good", "safe"]
    assert FORM.variant(WhichQuestions(questions=["safe"])) == "questions=safe"
    assert FORM.variant(WhichQuestions()) == ""


def test_each_answer_is_a_part_with_the_answer_as_json() -> None:
    shown = case("good", "safe", "topics")
    assert answers({"good": 4, "safe": "yes", "topics": ["code", "news"]}, shown) == {
        "good": 4,
        "safe": "yes",
        "topics": ["code", "news"],
    }
    said, _ask = asked({"good": 4, "safe": "yes"}, shown)
    assert isinstance(said, Opinion)
    assert [(piece.axis, piece.score_first) for piece in said.pieces] == [("good", 4.0), ("safe", None)]
    assert said.reason == 'good: 4\nsafe: "yes"'


def test_an_empty_set_is_an_answer_and_a_question_that_is_left_out_has_none() -> None:
    shown = case("good", "topics")
    assert answers({"good": 4, "topics": []}, shown) == {"good": 4, "topics": []}
    assert answers({"good": 4, "topics": None}, shown) == {"good": 4}
    assert answers({"good": 4}, shown) == {"good": 4}


def test_a_set_that_must_not_be_empty_is_left_out_with_the_reason() -> None:
    needed = own_questions(
        "show: [{field: answer}]\nquestions:\n"
        "  - {name: good, type: choice, options: [a, b]}\n  - {name: topics, type: choices, options: [news, code]}\n"
    )
    shown = replace(case(), judged=JudgedItem(messages=[], questions=needed), first='{"answer": "Eight legs."}')
    said, _ask = asked({"good": "a", "topics": []}, shown)
    assert isinstance(said, Opinion)
    assert [(piece.axis, piece.label, piece.reason) for piece in said.pieces] == [
        ("good", '"a"', ""),
        ("topics", "", "the model gave no answer."),
    ]


def test_an_answer_to_a_question_that_is_not_asked_does_not_count() -> None:
    assert answers({"good": 1, "safe": "yes"}, case("safe")) == {"good": 1}


def test_a_reply_may_leave_out_what_is_asked_only_under_a_condition() -> None:
    assert answers({"good": 1}, case("safe")) == {"good": 1}


def test_an_answer_that_is_not_allowed_is_a_part_without_one_that_says_why() -> None:
    said, _ask = asked({"good": 4, "safe": "maybe"}, case("safe"))
    assert isinstance(said, Opinion)
    assert [(piece.axis, piece.label, piece.joined) for piece in said.pieces] == [
        ("good", "4", "exact"),
        ("safe", "", "none"),
    ]
    assert "“maybe”, which is not allowed here" in said.pieces[1].reason


@pytest.mark.parametrize("reply", ["", "no JSON", "{}", json.dumps({"good": 9}), json.dumps({"good": "four"})])
def test_a_reply_without_a_single_allowed_answer_is_unparsed(reply: str) -> None:
    said, _ask = asked(reply, case("good"))
    assert isinstance(said, Unparsed)
    assert said.reason


def test_no_reply_at_all_is_passed_on() -> None:
    with pytest.raises(CallFailed):
        asked(CallFailed(Cause.TIMEOUT))


# --- sides ----------------------------------------------------------------------------------------------------------
def test_with_every_repeat_the_compared_texts_change_sides_and_the_answers_are_about_the_columns() -> None:
    """Whoever always takes the text that stands first says the opposite on the other side."""
    once, again = case(), replace(case(), repeat=2)
    seen = [material(once), material(again)]
    assert {tuple(columns[name] for name in ("answer", "other")) for columns in seen} == {
        ("Eight legs.", "Six legs."),
        ("Six legs.", "Eight legs."),
    }
    for seen_case, columns in zip((once, again), seen, strict=True):
        straight = columns["answer"] == COLUMNS["answer"]
        told = answers(REPLY, seen_case)
        assert told["better"] == ("first" if straight else "second")
        assert told["order"] == ([2, 1] if straight else [1, 2])  # of [other, answer]
        assert (told["good"], columns["prompt"]) == (4, "Which?")
    assert material(replace(case(), repeat=3)) == seen[0]


def test_about_half_of_the_items_are_seen_on_each_side() -> None:
    straight = sum(
        material(questioned({**COLUMNS, "prompt": f"{n}"}, options=WhichQuestions()))["answer"] == COLUMNS["answer"]
        for n in range(200)
    )
    assert 70 < straight < 130


def test_sides_are_left_alone_where_no_question_compares() -> None:
    for repeat in (1, 2):
        assert material(replace(case("good"), repeat=repeat)) == COLUMNS


# --- criteria one by one ----------------------------------------------------------------------------------------------
RUBRIC = """
show: [{field: answer}]
questions:
  - {name: good, type: choice, options: ["yes", "no"]}
  - {name: rubric, type: rubric, from: criteria, when: {good: ["yes"]}}
"""
CRITERIA = [{"criterion": f"Criterion {n}", "points": n} for n in (1, 2, 3)]
ONE_BY_ONE = WhichQuestions(one_by_one=True)


def judged_by_criterion(*replies: str | CallFailed, only: tuple[str, ...] = ()) -> tuple[Opinion | Unparsed, Judge]:
    item = JudgedItem(messages=[], questions=own_questions(RUBRIC))
    options = WhichQuestions(one_by_one=True, questions=list(only))
    columns = json.dumps({"answer": "Eight legs.", "criteria": CRITERIA})
    ask = saying(*replies)
    return run(FORM.judge(shown(item, columns, options=options), shipped("forms"), ask)), ask


def met(answer: str) -> str:
    return json.dumps({"rubric": {"1": answer}})


def test_each_criterion_is_asked_alone_and_the_answers_make_one_list() -> None:
    opinion, ask = judged_by_criterion('{"good": "yes"}', met("met"), met("cannot_tell"), met("not_met"))
    assert isinstance(opinion, Opinion)
    found = {piece.axis: json.loads(piece.label) for piece in opinion.pieces}
    assert found == {"good": "yes", "rubric": ["met", "cannot_tell", "not_met"]}
    assert ask.steps == ["judge/1/answers", *(f"judge/1/answers/1/{n}" for n in (1, 2, 3))]
    second = ask.asked[2].messages[1]["content"]
    assert ["Criterion 1" in second, "Criterion 2" in second, "good" in second] == [False, True, False]


def test_criteria_that_a_condition_rules_out_cost_no_call() -> None:
    opinion, ask = judged_by_criterion('{"good": "no"}')
    assert isinstance(opinion, Opinion)
    assert (len(ask.asked), [piece.axis for piece in opinion.pieces]) == (1, ["good"])


def test_a_criterion_without_a_readable_reply_is_left_open_and_flagged() -> None:
    opinion, _ask = judged_by_criterion('{"good": "yes"}', met("met"), "no idea", met("maybe"))
    assert isinstance(opinion, Opinion)
    assert {piece.axis: piece.label for piece in opinion.pieces}["rubric"] == '["met", null, null]'
    unread, _ask = judged_by_criterion("no idea")
    assert isinstance(unread, Unparsed)
    with pytest.raises(CallFailed):
        judged_by_criterion('{"good": "yes"}', met("met"), CallFailed(Cause.SERVER_ERROR, "gone"))


def test_one_by_one_is_another_judge_with_other_costs() -> None:
    assert FORM.variant(ONE_BY_ONE) == "criteria=one-by-one"
    assert FORM.variant(WhichQuestions(one_by_one=True, questions=["rubric"])) == "questions=rubric criteria=one-by-one"
    item = JudgedItem(messages=[], questions=own_questions(RUBRIC))
    columns = json.dumps({"answer": "Eight legs.", "criteria": CRITERIA})
    assert FORM.calls_about(item, columns, ONE_BY_ONE) == 4
    assert FORM.calls_about(item, columns, WhichQuestions()) == 1
