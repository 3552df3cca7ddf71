"""What the checklist strategy asks, and how it reads the many ways in which judges answer."""

import json
from dataclasses import replace
from typing import Any

import pytest

from annotate.kinds.protocol import CallFailed, Cause, ChecklistQuestion
from judging.strategies.checklist.strategies import STRATEGIES
from judging.strategies.strategy import Opinion, Unparsed
from lib.texts.fencing import blocks
from tests.support.judges import UNWEIGHED, WEIGHED, Judge, by_step, saying, shipped, shown
from tests.support.running import run

(CHECKLIST,) = STRATEGIES
FIRST, SECOND = (question.text for question in WEIGHED.checklist)


def judged(ask: Judge, of: Any = None) -> Opinion | Unparsed:
    return run(CHECKLIST.judge(of or shown(), shipped("checklist"), ask))


def reply(first: Any = "yes", second: Any = "no", **names: str) -> str:
    result = names.get("result", "result")
    rows = {
        FIRST: {"reason": "a", result: first, "weight": 0.6},
        SECOND: {"reason": "b", result: second, "weight": 0.4},
    }
    return json.dumps(rows, ensure_ascii=False)


def opinion(text: str) -> Opinion:
    said = judged(saying(text))
    assert isinstance(said, Opinion), said
    return said


# --- asking -----------------------------------------------------------------------------------------------------------
def test_it_shows_both_turns_the_feedback_the_answer_and_the_checklist() -> None:
    ask = saying(reply())
    judged(ask)
    (question,) = ask.asked
    message = question.messages[1]["content"]
    found = blocks(message, message.split("<data-", 1)[1][:16])
    assert [found[name] for name in ("turn_1", "turn_2", "turn_3")] == [each["content"] for each in WEIGHED.messages]
    assert found["answer"] == "Mars has two moons."
    assert json.loads(found["checklist"]) == [
        {"question": FIRST, "weight": 0.6},
        {"question": SECOND, "weight": 0.4},
    ]
    assert (question.step, question.temperature, question.max_tokens) == ("judge/1/verdicts", 0.0, 4096)


def test_a_checklist_without_weights_shows_none() -> None:
    ask = saying("")
    judged(ask, shown(UNWEIGHED, language="zh"))
    message = ask.asked[0].messages[1]["content"]
    assert json.loads(blocks(message, message.split("<data-", 1)[1][:16])["checklist"]) == [
        {"question": each.text} for each in UNWEIGHED.checklist
    ]
    assert "是" in message.split("</data-")[-1]


# --- reading ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "yes",
    ["yes", "Yes.", "YES", "true", True, 1, "1", "是", "是的", "是。", " ｙｅｓ ", "**yes**", "✓", "满足",
     "Yes, it does.", "是，回答明确指出"],
)  # fmt: skip
def test_yes_in_many_words(yes: Any) -> None:
    assert opinion(reply(yes)).score_first == 0.6


@pytest.mark.parametrize(
    "no",
    ["no", "No.", "false", False, 0, "否", "不是", "不满足", "未满足", "not met", "partly", "partially met", "部分满足",
     "Yes, but only partly", "是，但只有部分", "Not at all", "否，因为没有", "Partly."],
)  # fmt: skip
def test_no_in_many_words_and_what_is_met_in_part_is_no(no: Any) -> None:
    said = opinion(reply("yes", no))
    assert (said.score_first, said.pieces[1].score_first) == (0.6, 0.0)


@pytest.mark.parametrize(
    "neither", ["yes/no", "是/否", "是否满足", "maybe", "", None, 2, 0.5, [], "notable", "yesterday"]
)
def test_what_is_neither_is_no_verdict(neither: Any) -> None:
    said = opinion(reply("yes", neither))
    assert (said.score_first, said.pieces[1].score_first, said.pieces[1].joined) == (0.6, None, "exact")


@pytest.mark.parametrize("name", ["answer", "verdict", "met", "Result", "ｒｅｓｕｌｔ", "结果", "结论", "是否满足"])
def test_the_name_of_the_result_may_be_another(name: str) -> None:
    assert opinion(reply(result=name)).score_first == 0.6


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"checklist": json.loads(reply())}),
        json.dumps({"results": [{"question": FIRST, "result": "yes"}, {"question": SECOND, "result": "no"}]}),
        json.dumps([{"question": FIRST, "result": "yes"}, {"问题": SECOND, "结果": "否"}], ensure_ascii=False),
        json.dumps([{FIRST: {"result": "yes"}}, {SECOND: {"result": "no"}}]),
        json.dumps([{"result": "yes"}, {"result": "no"}]),
        json.dumps({FIRST: "yes", SECOND: "no"}),
        json.dumps({"1": {"result": "yes"}, "2": {"result": "no"}}),
        f"Here you are:\n```json\n{reply()[:-1]},}}\n```",
        f"<think>Let me see. {{}}</think>{reply()}",
    ],
    ids=["wrapped", "list", "zh-list", "list-of-one", "by-place", "bare", "numbered", "fenced", "thoughts"],
)
def test_the_form_may_be_another(text: str) -> None:
    said = opinion(text)
    assert said.score_first == 0.6
    assert [piece.score_first for piece in said.pieces] == [1.0, 0.0]


def test_reasons_labels_and_preset_weights_are_kept_beside_the_verdicts() -> None:
    said = opinion(reply())
    assert [(piece.axis, piece.label, piece.reason, piece.weight) for piece in said.pieces] == [
        ("1", FIRST, "a", 0.6),
        ("2", SECOND, "b", 0.4),
    ]
    assert said.note == ""


def test_a_weight_that_was_changed_is_told_and_not_used() -> None:
    rows = json.loads(reply("yes", "yes"))
    rows[FIRST]["weight"] = "90%"
    said = opinion(json.dumps(rows))
    assert said.score_first == 1.0
    assert said.note == "Question 1 has weight 0.6; the judge wrote 0.9."


@pytest.mark.parametrize(("weight", "note"), [(0.0, ""), (1e-6, ""), (2e-6, "Question 1 has weight 0")])
def test_a_weight_may_be_off_by_a_millionth(weight: float, note: str) -> None:
    of = shown(replace(WEIGHED, checklist=[ChecklistQuestion(FIRST, 0.0), ChecklistQuestion(SECOND, 1.0)]))
    said = judged(saying(json.dumps({FIRST: {"result": "yes", "weight": weight}, SECOND: "no"})), of)
    assert isinstance(said, Opinion)
    assert said.note[:23] == note


def test_keys_that_are_not_word_for_word_are_flagged_and_foreign_ones_are_surplus() -> None:
    said = opinion(json.dumps({FIRST.rstrip("?"): "yes", "Is it short and kind and good?": "yes", SECOND: "no"}))
    assert [(piece.axis, piece.joined) for piece in said.pieces] == [
        ("1", "close"),
        ("2", "exact"),
        ("surplus/1", "surplus"),
    ]
    assert said.score_first == 0.6


def test_any_and_all_are_rules_of_the_item() -> None:
    text = json.dumps({UNWEIGHED.checklist[0].text: "否", UNWEIGHED.checklist[1].text: "是"}, ensure_ascii=False)
    said = judged(saying(text), shown(UNWEIGHED, language="zh"))
    assert isinstance(said, Opinion)
    assert said.score_first == 1.0


# --- repairing --------------------------------------------------------------------------------------------------------
PROSE = "The first one is met. The second one is not."


def test_an_unreadable_reply_is_put_into_shape_once() -> None:
    ask = by_step({"verdicts": PROSE, "repair": reply()})
    said = judged(ask)
    assert isinstance(said, Opinion)
    assert (said.score_first, ask.steps) == (0.6, ["judge/1/verdicts", "judge/1/repair"])
    message = ask.asked[1].messages[1]["content"]
    assert blocks(message, message.split("<data-", 1)[1][:16])["reply"] == PROSE
    assert "Mars has three moons." not in message


def test_a_reply_that_lacks_a_question_is_put_into_shape_and_the_better_one_counts() -> None:
    half = json.dumps({FIRST: "yes"})
    better = judged(by_step({"verdicts": half, "repair": reply("yes", "yes")}))
    assert isinstance(better, Opinion)
    assert better.score_first == 1.0
    worse = judged(by_step({"verdicts": half, "repair": "I cannot."}))
    assert isinstance(worse, Opinion)
    assert [(piece.score_first, piece.joined) for piece in worse.pieces] == [(1.0, "exact"), (None, "none")]


def test_what_cannot_be_repaired_is_unparsed_with_the_first_reason() -> None:
    assert judged(saying(PROSE)) == Unparsed("The reply has no JSON.", PROSE)


@pytest.mark.parametrize(("cause", "told"), [(Cause.EMPTY, "is empty"), (Cause.TRUNCATED, "cut off")])
def test_nothing_and_half_a_reply_are_not_repaired(cause: Cause, told: str) -> None:
    ask = saying(CallFailed(cause, "as the engine says it", '{"a": {"reason": "b'))
    said = judged(ask)
    assert isinstance(said, Unparsed)
    assert told in said.reason
    assert ask.steps == ["judge/1/verdicts"]


def test_a_repair_without_an_answer_fails_the_job() -> None:
    with pytest.raises(CallFailed):
        judged(by_step({"verdicts": PROSE}))


def test_verdicts_on_other_questions_only_are_unparsed() -> None:
    said = judged(saying(json.dumps({"Ist es nett?": "yes"})))
    assert said == Unparsed("None of the questions in the reply is on the checklist.", '{"Ist es nett?": "yes"}')
