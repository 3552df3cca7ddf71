"""Scores and verdicts as judges write them: what is read, and what is left unread rather than guessed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from judging.readers.choices import choice_in, choice_in_text, choice_shape
from judging.readers.scales import Scale, score_shape, share_of

TEN, FIVE, THREE = (Scale.named(f"1-{top}") for top in (10, 5, 3))


@pytest.mark.parametrize(
    ("said", "score"),
    [
        (10, 10),
        (1, 1),
        (7.5, 7.5),
        ("10", 10),
        ("8/10", 8),
        ("8 / 10", 8),
        ("8 out of 10", 8),
        ("１０", 10),
        ("８／１０", 8),
        ("9分", 9),
        ("9 分。", 9),
        ("**7**", 7),
        ("[6]", 6),
        ("7 points", 7),
        ("7.0", 7),
    ],
)
def test_a_score_is_read(said: object, score: float) -> None:
    assert TEN.read(said) == score


@pytest.mark.parametrize(
    "said",
    [
        0,
        11,
        -3,
        1e9,
        float("nan"),
        float("inf"),
        True,
        False,
        None,
        [8],
        {"score": 8},
        "",
        "…",
        "<1-10>",
        "1-10",
        "1~10",
        "1 to 10",
        "8/5",
        "8/100",
        "0/10",
        "11/10",
        "eight",
        "8 or 9",
        "1e1",
        "10%",
        "满分",
        "1" * 400,
        "8/" + "1" * 400,
    ],
)
def test_what_is_no_score_on_the_scale_is_not_read(said: object) -> None:
    assert TEN.read(said) is None


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Good, with a slip.\nScore: 8", 8),
        ("Score: 10", 10),
        ("**Score:** 8/10", 8),
        ("Score (1-10): 7", 7),
        ("Final rating = 6 out of 10.", 6),
        ("It says 3 of 5 things. The score is 9.", 9),
        ("评分：８", 8),
        ("总体不错。得分是 9 分", 9),
        ('{"explanation": "unclosed, "score": 10', 10),
        ("10", 10),
    ],
)
def test_a_score_among_words_is_read_where_they_name_one(text: str, score: float) -> None:
    assert TEN.read_text(text) == score


@pytest.mark.parametrize(
    "text",
    [
        "Score: 1-10",
        "Score: <1-10>",
        "Score: 1 to 10",
        "score: 10-20",
        "Score: 3. Then again, score: 8.",
        "Well done!",
        "It has 7 parts.",
        "Score: 80%",
        "Score: 1e400",
        "Score: 8/5",
        "Score: 0",
        '{"score": 1, "x": 2} {"score": 10}',
        "Score: 10,000",
        "score: eight",
        "Score: 7 or 8",
    ],
)
def test_words_that_name_no_score_or_several_are_not_read(text: str) -> None:
    assert TEN.read_text(text) is None


@given(st.integers(1, 10), st.integers(2, 10))
def test_a_fraction_is_a_score_only_of_its_own_scale(score: int, top: int) -> None:
    assert Scale(1, top).read(f"{score}/10") == (float(score) if top == 10 and score <= 10 else None)


def test_other_names_and_a_missing_explanation_are_read() -> None:
    assert score_shape("1-10", explained=True).model_validate({"Rating": "8/10", "Reason": "r"}).model_dump() == {
        "explanation": "r",
        "score": 8.0,
    }
    assert score_shape("1-3", explained=True).model_validate({"评分": 3}).model_dump() == {
        "explanation": "",
        "score": 3.0,
    }
    with pytest.raises(ValidationError):
        score_shape("1-3", explained=False).model_validate({"score": 4})


@pytest.mark.parametrize("name", ["1-10", "1-5", "1-3"])
def test_the_schema_asks_for_the_explanation_first_and_says_the_range(name: str) -> None:
    schema = score_shape(name, explained=True).model_json_schema()["properties"]
    assert list(schema) == ["explanation", "score"]
    assert (schema["score"]["minimum"], schema["score"]["maximum"]) == (1, Scale.named(name).top)
    assert list(score_shape(name, explained=False).model_json_schema()["properties"]) == ["score"]


# --- verdicts on two --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("said", "choice"),
    [
        ("A", "first"),
        ("b", "second"),
        ("[[A]]", "first"),
        ("Ｂ", "second"),
        ("Answer A", "first"),
        ("回答 B", "second"),
        ("A is better", "first"),
        ("Response B is the better one.", "second"),
        ("回答A更好", "first"),
        ("both good", "both_good"),
        ("Both_good", "both_good"),
        ("Both are equally good.", "both_good"),
        ("both bad", "both_bad"),
        ("都好", "both_good"),
        ("两者都不好", "both_bad"),
        ("两个都差", "both_bad"),
    ],
)
def test_a_verdict_is_read(said: str, choice: str) -> None:
    assert choice_in(said) == choice


@pytest.mark.parametrize(
    "said",
    [
        "",
        "…",
        "A/B",
        "A or B",
        "A, B",
        "A/B/both good/both bad",
        "both",
        "tie",
        "neither",
        "A is worse",
        "B is not better",
        "C",
        "both good or both bad",
        None,
        1,
        True,
        ["A"],
        "Apples",
    ],
)
def test_what_names_no_verdict_or_several_is_not_read(said: object) -> None:
    assert choice_in(said) is None


def test_a_verdict_among_words_is_read_where_they_name_one() -> None:
    assert choice_in_text("A has a wrong sum.\nVerdict: B") == "second"
    assert choice_in_text('Here: {"explanation": "x, "verdict": "both good"}') == "both_good"
    assert choice_in_text("结论：A") == "first"
    assert choice_in_text("Verdict: A or B") is None
    assert choice_in_text("Verdict: A. No, verdict: B") is None
    assert choice_in_text("I like A") is None


def test_the_schema_asks_for_the_explanation_first() -> None:
    assert list(choice_shape(explained=True).model_json_schema()["properties"]) == ["explanation", "verdict"]
    read = choice_shape(explained=True).model_validate_json(json.dumps({"Verdict": "both good", "reason": "r"}))
    assert read.model_dump() == {"explanation": "r", "verdict": "both_good"}


@pytest.mark.parametrize(
    ("score", "variant", "share"),
    [(10.0, "scale=1-10", 1.0), (1.0, "scale=1-10", 0.0), (2.0, "scale=1-3 axes=ab12cd", 0.5), (0.6, "", 0.6),
     (None, "scale=1-10", None), (3.0, "scale=1-10-12", 3.0)],
)  # fmt: skip
def test_reports_get_a_share_of_the_scale(score: float | None, variant: str, share: float | None) -> None:
    assert share_of(score, Scale.in_variant(variant)) == share
