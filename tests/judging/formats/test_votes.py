import json
from pathlib import Path
from typing import Any

import pytest

from annotate.formats.format import BadOption
from annotate.formats.rows import Problem
from judging.formats.format import Voted, judgement_formats
from tests.support.files import without
from tests.support.voted import on_a_pair, on_an_answer

PANDALM: dict[str, Any] = {
    "idx": 7,
    "motivation_app": "Weather",
    "cmp_key": "model-a_model-b",
    "instruction": "Say it shorter.",
    "input": "It is raining now.",
    "response1": "It rains.",
    "response2": "Rain.",
    "annotator1": 1,
    "annotator2": 0,
    "annotator3": 2,
    "gpt35_result": "Tie",
    "gpt35_reason": "Both are short.",
    "pandalm_result": 2,
    "pandalm_reason": "Shorter.",
}
AUTOJ: dict[str, Any] = {
    "row": 3,
    "group": "Weather",
    "label": 0,
    "prompt": "Will it rain?",
    "response 1": "Yes.",
    "response 2": "No.",
    "autoj_output": 0,
    "autoj_output_swapped_raw": 1,
}


def talk(*replies: str) -> list[dict[str, str]]:
    asked = ("Will it rain?", "And tomorrow?")
    pairs = zip(asked, replies, strict=False)
    return [message for question, reply in pairs for message in _turn(question, reply)]


def _turn(question: str, reply: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": question}, {"role": "assistant", "content": reply}]


MTBENCH: dict[str, Any] = {
    "question_id": 81,
    "model_a": "model-a",
    "model_b": "model-b",
    "winner": "model_a",
    "judge": "expert_3",
    "conversation_a": talk("Yes.", "Yes, again."),
    "conversation_b": talk("No.", "No, never."),
    "turn": 1,
}


def read(folder: Path, name: str, *rows: Any, **options: str) -> list[Any]:
    path = folder / "file.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return list(judgement_formats()[name].read(path, name="file.jsonl", options=options))


def choices(found: Voted) -> list[tuple[str, str | None]]:
    people = [(vote.rater, vote.draft["choice"]) for vote in found.votes]
    return people + [(said.judge, said.choice) for said in found.said]


def test_pandalm_gives_three_votes_and_two_verdicts(tmp_path: Path) -> None:
    [found] = read(tmp_path, "pandalm", PANDALM)
    assert (found.key, found.group) == ("pandalm-0007", "Weather")
    assert found.facts == {
        "prompt": "Say it shorter.\n\nIt is raining now.",
        "first": "It rains.",
        "second": "Rain.",
    }
    assert [side.author for side in found.sides] == ["model-a", "model-b"]
    assert choices(found) == [
        ("annotator1", "first"),
        ("annotator2", "tie"),
        ("annotator3", "second"),
        ("gpt-3.5", "tie"),
        ("pandalm-7b", "second"),
    ]
    assert [said.reason for said in found.said] == ["Both are short.", "Shorter."]
    assert found.warnings == []


def test_garbage_is_unreadable_and_the_judge_says_how_it_counts(tmp_path: Path) -> None:
    [found] = read(tmp_path, "pandalm", {**PANDALM, "gpt35_result": "garbage"})
    said = found.said[0]
    assert (said.choice, said.instead, said.variant) == (None, "garbage", "unreadable=tie")
    assert [path for path, _message in found.warnings] == ["gpt35_result"]


def test_an_answer_that_was_read_as_a_truth_value_is_a_word_again(tmp_path: Path) -> None:
    [found] = read(tmp_path, "pandalm", {**PANDALM, "response2": True})
    assert found.sides[1].text == "True"
    assert [path for path, _message in found.warnings] == ["response2"]


@pytest.mark.parametrize(("labels", "swapped"), [("exchanged", "first"), ("kept", "second")])
def test_the_swapped_run_of_auto_j_is_read_as_the_option_says(tmp_path: Path, labels: str, swapped: str) -> None:
    """1 is the second one shown, which is the first answer where the answers were exchanged."""
    [found] = read(tmp_path, "autoj", AUTOJ, labels=labels)
    assert [(said.swapped, said.choice) for said in found.said] == [(False, "first"), (True, swapped)]
    assert read(tmp_path, "autoj", AUTOJ)[0].said[1].choice == "first"


def test_a_tie_is_a_tie_in_either_order(tmp_path: Path) -> None:
    [found] = read(tmp_path, "autoj", {**AUTOJ, "autoj_output_swapped_raw": 2})
    assert found.said[1].choice == "tie"


@pytest.mark.parametrize("name", ["exchange", ""])
def test_an_option_has_the_choices_it_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadOption, match="exchanged, kept"):
        read(tmp_path, "autoj", AUTOJ, labels=name)


def test_a_vote_of_mt_bench_is_about_the_winner_and_not_about_an_order(tmp_path: Path) -> None:
    turned = MTBENCH | {
        "model_a": "model-b",
        "model_b": "model-a",
        "conversation_a": MTBENCH["conversation_b"],
        "conversation_b": MTBENCH["conversation_a"],
        "winner": "model_b",
    }
    one, other = read(tmp_path, "mtbench", MTBENCH, turned)
    assert (one.key, one.facts, one.sides, one.votes) == (other.key, other.facts, other.sides, other.votes)
    choice = one.votes[0].draft["choice"]
    assert one.sides[["first", "second"].index(choice)].author == "model-a"


def test_an_item_of_mt_bench_names_no_model(tmp_path: Path) -> None:
    """Its key is seen by whoever votes, and is the same whatever the models are called."""
    renamed = MTBENCH | {"model_a": "zebra", "model_b": "adder"}
    one, other = read(tmp_path, "mtbench", MTBENCH, renamed)
    assert one.key == other.key
    assert "model-" not in one.key
    assert one.facts == other.facts


def test_the_second_turn_is_another_item_with_the_replies_that_led_there(tmp_path: Path) -> None:
    first, second = read(tmp_path, "mtbench", MTBENCH, MTBENCH | {"turn": 2})
    assert first.key != second.key
    assert (first.group, second.group) == ("turn 1", "turn 2")
    assert second.facts["prompt"] == "Will it rain?\n\nAnd tomorrow?"
    text = next(side.text for side in second.sides if side.author == "model-a")
    assert text.startswith("Yes.")
    assert text.endswith("Yes, again.")
    assert {side.text for side in first.sides} == {"Yes.", "No."}


@pytest.mark.parametrize(
    ("who", "votes", "verdicts"),
    [
        ("expert_3", [("expert_3",)], []),
        ("author_1", [("author_1",)], []),
        (["gpt-4", "pair-v2"], [], [("gpt-4", "pair-v2")]),
        ("gpt4_pair", [], [("gpt4_pair", "pairwise")]),
    ],
)
def test_experts_and_authors_vote_and_whoever_else_is_a_judge(
    tmp_path: Path, who: Any, votes: list[Any], verdicts: list[Any]
) -> None:
    [found] = read(tmp_path, "mtbench", MTBENCH | {"judge": who, "winner": "tie (inconsistent)" if verdicts else "tie"})
    assert [(vote.rater,) for vote in found.votes] == votes
    assert [(said.judge, said.strategy) for said in found.said] == verdicts
    assert [choice for _who, choice in choices(found)] == ["tie"]


def test_plain_rows_are_votes_or_verdicts_on_pairs_or_scores_of_answers(tmp_path: Path) -> None:
    vote, verdict, scored = read(
        tmp_path,
        "ratings",
        on_a_pair(choice="cannot_tell"),
        on_a_pair(judge="judge-m", choice="second", swapped=True),
        on_an_answer(scores={"Clarity": 4, "Truth": None}),
        labels="exchanged",
    )
    assert choices(vote) == [("anna", "cannot_tell")]
    assert choices(verdict) == [("judge-m", "first")]
    assert scored.votes[0].draft["scores"] == {"Clarity": 4}
    assert scored.votes[0].draft["cannot_tell"] == ["Truth"]
    [judged] = read(tmp_path, "ratings", on_an_answer(scores={"Clarity": 4}, judge="judge-m"))
    assert judged.said[0].scores == {"": 4.0}  # as people's votes are read where there is one criterion only


@pytest.mark.parametrize(
    ("name", "row", "path"),
    [
        ("pandalm", {**PANDALM, "idx": "7"}, "idx"),
        ("pandalm", {**PANDALM, "idx": True}, "idx"),
        ("pandalm", {**PANDALM, "annotator2": 3}, "annotator2"),
        ("pandalm", {**PANDALM, "annotator2": True}, "annotator2"),
        ("pandalm", {**PANDALM, "gpt35_result": "both"}, "gpt35_result"),
        ("pandalm", {**PANDALM, "cmp_key": "model-a"}, "cmp_key"),
        ("pandalm", without(PANDALM, "pandalm_result"), "pandalm_result"),
        ("pandalm", {**PANDALM, "response1": 3}, "response1"),
        ("autoj", {**AUTOJ, "label": None}, "label"),
        ("autoj", {**AUTOJ, "autoj_output": "0"}, "autoj_output"),
        ("autoj", {**AUTOJ, "row": -1}, "row"),
        ("autoj", without(AUTOJ, "response 2"), "response 2"),
        ("mtbench", {**MTBENCH, "winner": "model-a"}, "winner"),
        ("mtbench", {**MTBENCH, "winner": "error"}, "winner"),
        ("mtbench", {**MTBENCH, "turn": 3}, "turn"),
        ("mtbench", {**MTBENCH, "model_b": "model-a"}, "model_b"),
        ("mtbench", {**MTBENCH, "judge": 4}, "judge"),
        ("mtbench", {**MTBENCH, "turn": 2, "conversation_b": talk("No.")}, "conversation_b"),
        ("mtbench", {**MTBENCH, "conversation_b": _turn("Will it snow?", "No.")}, "conversation_b"),
        ("mtbench", {**MTBENCH, "conversation_a": "Yes."}, "conversation_a"),
        ("ratings", {**on_a_pair(), "judge": "judge-m"}, "rater"),
        ("ratings", without(on_a_pair(), "rater"), "rater"),
        ("ratings", on_a_pair(choice=None), "choice"),
        ("ratings", on_a_pair(first={"author": "model-a"}), "first.text"),
        ("ratings", on_a_pair(first="Two."), "first"),
        ("ratings", on_a_pair(swapped=1), "swapped"),
        ("ratings", on_an_answer(scores={"Clarity": "4"}), "scores.Clarity"),
        ("ratings", on_an_answer(scores={}), "scores"),
    ],
)
def test_what_a_row_must_not_have_is_named_by_its_field(tmp_path: Path, name: str, row: Any, path: str) -> None:
    good = {"pandalm": PANDALM, "autoj": AUTOJ, "mtbench": MTBENCH, "ratings": on_a_pair()}[name]
    bad, fine = read(tmp_path, name, row, good)
    assert isinstance(bad, Problem)
    assert (bad.line, bad.path, bad.level) == (1, path, "error")
    assert isinstance(fine, Voted)


@pytest.mark.parametrize("name", ["pandalm", "autoj", "mtbench", "ratings"])
def test_what_is_no_row_is_a_problem_and_no_fault(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, name, '{"idx": 1', "[]", '"x"', "{}", "null")
    assert all(isinstance(each, Problem) for each in found)
    assert len(found) == 5
