import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from annotate.kinds.protocol import JudgedItem
from judging.strategies.intent.intent_criteria import IntentCriterion, IntentOptions, criteria_for
from judging.strategies.intent.intent_replies import IntentScores, from_json, from_text
from judging.strategies.intent.strategies import ByIntent
from judging.strategies.strategy import Opinion, Unparsed
from tests.support.judges import saying, shipped, shown
from tests.support.running import run

REAL = Path(__file__).parents[5] / "shared" / "data" / "urs_real_judge_output.json"
real_data = pytest.mark.skipif(
    not REAL.exists() and os.environ.get("CI") != "true", reason=f"needs the published judge output in {REAL.parent}"
)
SOLVE = criteria_for("solve-professional-problem", {})
AXES = ["factuality", "user_satisfaction", "clarity", "logical_coherence", "completeness"]
ALL = dict(zip(AXES, (9, 8, 7, 6, 5), strict=True))


def scores(found: IntentScores | None) -> dict[str, float | None]:
    assert found is not None
    return {each.axis: each.score for each in found.given} | {"": found.final}


def joined(found: IntentScores | None) -> list[str]:
    assert found is not None
    return [each.joined for each in found.given]


def test_the_criteria_stand_in_their_order() -> None:
    assert [each.axis for each in SOLVE] == AXES


# --- from words -------------------------------------------------------------------------------------------------------
READABLE = {
    "straight": '{"Factuality": 9, "User Satisfaction": 8, "Clarity": 7, "Logical Coherence": 6, "Completeness": 5, '
    '"Final Score": 8}',
    "single": "{'Factuality': 9, 'User Satisfaction': 8, 'Clarity': 7, 'Logical Coherence': 6, 'Completeness': 5, "
    "'Final Score': 8}",
    "one-sided": "{’事实正确性’: 9, ’满足用户需求’: 8, ’清晰度’: 7, ’逻辑连贯性’: 6, ’完备性’: 5, ’综合得分’: 8}",
    "full-width": "｛“事实正确性”：９，“满足用户需求”：８，“清晰度”：７，“逻辑连贯性”：６，"
    "“完备性”：５，“综合得分”：８｝",
    "brackets": "{'事实正确性(Factuality)': 9, '满足用户需求 (User Satisfaction)': 8, '清晰度（Clarity）': 7, "
    "'逻辑连贯性（Logical Coherence）': 6, '完备性(Completeness)': 5, '综合得分(Final Score)': 8}",
    "bare": "{Factuality: 9, User_Satisfaction: 8, Clarity: 7, Logical-Coherence: 6, Completeness: 5, Final Score: 8}",
    "points": "{'事实正确性': '9分', '满足用户需求': '8 分', '清晰度': '7/10', "
    "'逻辑连贯性': 6.0, '完备性': 5, '综合得分': '8/10'}",
    "lines": "Factuality: 9\nUser satisfaction: 8\nClarity: 7\nLogical coherence: 6\nCompleteness: 5\nFinal score: 8",
    "list": "1. **事实正确性**：9\n2. **满足用户需求**：8\n3. **清晰度**：7\n"
    "4. **逻辑连贯性**：6\n5. **完备性**：5\n\n**综合得分**：8",
    "template": "{'维度一': 9, '维度二': 8, '维度三': 7, '维度四': 6, '维度五': 5, '综合得分': 8}",
    "numbered": "{'Criterion 1': 9, 'Criterion 2': 8, 'Criterion 3': 7, 'Criterion 4': 6, 'Criterion 5': 5, "
    "'Score': 8}",
    "synonyms": "{'准确性': 9, '用户满意度': 8, '可读性': 7, '逻辑性': 6, '完整性': 5, '总分': 8}",
}  # fmt: skip


@pytest.mark.parametrize("text", READABLE.values(), ids=READABLE.keys())
@pytest.mark.parametrize(
    "before", ["", "Compared with the reference (worth 8) it says more.\n\n"], ids=["alone", "prose"]
)
def test_what_judges_write_is_read(text: str, before: str) -> None:
    assert scores(from_text(before + text, SOLVE)) == ALL | {"": 8}


def test_names_that_are_not_ours_are_flagged() -> None:
    assert joined(from_text(READABLE["straight"], SOLVE)) == ["exact"] * 5
    assert joined(from_text(READABLE["template"], SOLVE)) == ["position"] * 5
    assert joined(from_text(READABLE["synonyms"], SOLVE)) == ["close"] * 5


@pytest.mark.parametrize(
    ("said", "read"), [("10", 10), ("10.0", 10), ("7.5", 7.5), ("1", 1), ("10分", 10), ("１０", 10)]
)
def test_ten_is_not_one_and_decimals_stay(said: str, read: float) -> None:
    found = from_text(f"{{'Clarity': {said}, 'Final Score': {said}}}", SOLVE)
    assert (scores(found)["clarity"], scores(found)[""]) == (read, read)
    assert scores(from_text(f"综合得分：{said}", SOLVE))[""] == read


@pytest.mark.parametrize("said", ["8", " 8.0\n", "**8**", "8分"])
def test_a_number_alone_is_the_final_score(said: str) -> None:
    assert scores(from_text(said, SOLVE)) == dict.fromkeys(AXES) | {"": 8}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The answer is good.",
        "{'Factuality': 9, 'Clarity': 8}",
        "综合得分：11",
        "综合得分：0",
        "综合得分：1-10",
        "Final score: 1 to 10",
        "Final score: 8/5",
        "Final score: 80%",
        "Final score: 1e1",
        "{'维度一': 打分, '综合得分': 打分}",
        "{'Clarity': 9, 'Final Score': 8, 'Overall score': 6}",
        "Final score: 8. No, on reflection: final score: 6.",
        "综合得分：八点五",
        "-9",
    ],
)
def test_what_cannot_be_read_is_not_guessed(text: str) -> None:
    assert from_text(text, SOLVE) is None


def test_the_last_dictionary_counts_and_an_echoed_template_does_not() -> None:
    echoed = "I answer as {'维度一': 1-10, '综合得分': 1-10}.\n{'清晰度': 4, '综合得分': 4} is too hard, so:\n"
    found = from_text(echoed + "{'清晰度': 7, '综合得分': 6}", SOLVE)
    assert (scores(found)["clarity"], scores(found)[""]) == (7, 6)


def test_a_criterion_with_two_scores_has_none() -> None:
    found = from_text("{'Clarity': 7, 'clarity': 4, 'Final score': 6}", SOLVE)
    assert scores(found)["clarity"] is None
    assert scores(found)[""] == 6


def test_a_name_of_another_intent_is_left_out() -> None:
    found = from_text("{'Engagement': 9, 'Clarity': 7, 'Final score': 6}", SOLVE)
    assert {axis for axis, score in scores(found).items() if score is not None} == {"clarity", ""}


# --- from JSON --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "said",
    [
        {"explanation": "…", "scores": ALL, "needs": "yes", "score": 8},
        {"scores": {name: str(value) for name, value in ALL.items()}, "score": "8"},
        {**ALL, "final_score": 8},
        {"scores": [{"criterion": axis, "score": value} for axis, value in ALL.items()], "Final Score": 8.0},
        {"评分": {axis: {"score": value, "reason": "…"} for axis, value in ALL.items()}, "综合得分": "8分"},
    ],
    ids=["asked", "texts", "flat", "list", "objects"],
)
def test_scores_are_found_where_judges_put_them(said: object) -> None:
    assert scores(from_json(said, SOLVE)) == ALL | {"": 8}


@pytest.mark.parametrize("said", [None, [], {}, {"scores": ALL}, {"score": True}, {"score": 0.9}, {"score": "good"}])
def test_json_without_a_final_score_is_none(said: object) -> None:
    assert from_json(said, SOLVE) is None


# --- the real one -----------------------------------------------------------------------------------------------------
def judged(text: str, intent: str) -> Opinion | Unparsed:
    case = JudgedItem([{"role": "user", "content": "如何写爬虫？"}], labels={"intent": [intent]})
    of = shown(case, "用 Python。", reference="用 Scrapy。", language="zh", options=IntentOptions())
    return run(ByIntent().judge(of, shipped("intent"), saying(text)))


@real_data
def test_the_real_output_is_read_and_what_its_judge_copied_is_flagged() -> None:
    """The judge wrote 维度一 and 维度二 for its first two criteria; the published parser lost both."""
    real = json.loads(REAL.read_text("utf-8"))
    said = judged(real["judge_output"], real["intent"])
    assert isinstance(said, Opinion), said
    assert said.score_first == 9
    assert [(piece.axis, piece.score_first, piece.joined) for piece in said.pieces] == [
        ("factuality", 9, "position"),
        ("user_satisfaction", 8, "position"),
        ("clarity", 9, "exact"),
        ("logical_coherence", 9, "exact"),
        ("completeness", 8, "exact"),
    ]
    assert [piece.label for piece in said.pieces[:2]] == ["维度一", "维度二"]


@real_data
def test_without_its_dictionary_the_real_output_has_no_final_score() -> None:
    real = json.loads(REAL.read_text("utf-8"))
    said = judged(real["judge_output"].split("综合得分")[0], real["intent"])
    assert isinstance(said, Unparsed)


@real_data
def test_what_the_dictionary_of_the_real_output_lacks_is_read_from_its_prose() -> None:
    real = json.loads(REAL.read_text("utf-8"))
    said = judged(real["judge_output"].replace("’维度一’: 9, ’维度二’: 8, ", ""), real["intent"])
    assert isinstance(said, Opinion)
    assert [piece.score_first for piece in said.pieces] == [9, 8, 9, 9, 8]


def test_what_is_missing_is_named_in_the_note() -> None:
    said = judged("{'清晰度': 7, '综合得分': 6}", "Solve_Professional_Problem")
    assert isinstance(said, Opinion)
    assert said.score_first == 6
    assert "factuality, user_satisfaction, logical_coherence, completeness" in said.note


def test_own_criteria_are_read_by_their_names() -> None:
    own: Sequence[IntentCriterion] = criteria_for("leisure", {"leisure": ["Wit", "clarity"]})
    assert scores(from_text("{'wit': 3, 'Clarity': 4, 'Final score': 4}", own)) == {"wit": 3, "clarity": 4, "": 4}
