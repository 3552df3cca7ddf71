"""Answers of an older version under the newest one: kept, renamed, mapped, left where they are, and found again."""

from typing import Any

import pytest

from annotate.kinds.questions.definition import BadDefinition
from annotate.kinds.questions.versions import Versions

SHOW = "show: [{field: prompt}]\nquestions:\n"
SAFE = '  - {name: safe, type: choice, options: ["yes", "no", cannot tell]}\n'


def versions(*questions: str) -> Versions:
    return Versions.read([SHOW + text for text in questions])


def upgraded(answers: dict[str, Any], version: int, *questions: str) -> dict[str, Any]:
    return versions(*questions).upgraded(answers, version)


def test_answers_of_the_newest_version_are_as_they_are() -> None:
    assert upgraded({"safe": "yes"}, 1, SAFE) == {"safe": "yes"}


def test_a_renamed_question_keeps_its_answers() -> None:
    renamed = SAFE.replace("name: safe", "name: harmless, formerly: safe")
    assert upgraded({"safe": "no"}, 1, SAFE, renamed) == {"harmless": "no"}
    again = renamed.replace("name: harmless, formerly: safe", "name: secure, formerly: harmless")
    assert upgraded({"safe": "no"}, 1, SAFE, renamed, again) == {"secure": "no"}
    assert upgraded({"harmless": "no"}, 2, SAFE, renamed, again) == {"secure": "no"}


def test_a_renamed_option_keeps_its_answers() -> None:
    mapped = SAFE.replace("cannot tell]", "unclear], was: {cannot tell: unclear}")
    assert upgraded({"safe": "cannot tell"}, 1, SAFE, mapped) == {"safe": "unclear"}
    assert upgraded({"safe": "yes"}, 1, SAFE, mapped) == {"safe": "yes"}


def test_steps_of_a_scale_are_mapped_as_numbers() -> None:
    five = '  - {name: good, type: rating, scale: {"1": bad, "5": good}}\n'
    four = '  - {name: good, type: rating, scale: {"1": bad, "4": good}, was: {"5": "4"}}\n'
    assert upgraded({"good": 5}, 1, five, four) == {"good": 4}


def test_two_questions_can_exchange_their_names() -> None:
    two = "  - {name: a, type: text}\n  - {name: b, type: text}\n"
    changed = "  - {name: c, type: text, formerly: a}\n  - {name: d, type: text, formerly: b}\n"
    back = "  - {name: b, type: text, formerly: c}\n  - {name: a, type: text, formerly: d}\n"
    assert upgraded({"a": "1", "b": "2"}, 1, two, changed, back) == {"b": "1", "a": "2"}


def test_answers_to_a_question_that_is_gone_stay_under_its_name() -> None:
    other = "  - {name: why, type: text}\n"
    assert upgraded({"safe": "no"}, 1, SAFE, other) == {"safe": "no"}
    assert list(versions(SAFE, other).retired) == ["safe"]


def test_an_older_version_shows_its_answers_again() -> None:
    """Undo: nothing that the version between could not hold is lost."""
    several = "  - {name: safe, type: choices, options: [a, b]}\n"
    assert upgraded({"safe": ["a", "b"]}, 1, several, SAFE) == {}
    assert upgraded({"safe": ["a", "b"]}, 1, several, SAFE, several) == {"safe": ["a", "b"]}
    assert upgraded({"safe": "no"}, 1, SAFE, "  - {name: why, type: text}\n", SAFE) == {"safe": "no"}


@pytest.mark.parametrize(
    ("before", "after", "answer", "expected"),
    [
        (SAFE, "  - {name: safe, type: choices, options: [a, b]}\n", "yes", {"safe": ["yes"]}),
        ("  - {name: safe, type: choices, options: [a, b]}\n", SAFE, ["a"], {"safe": "a"}),
        ("  - {name: safe, type: choices, options: [a, b]}\n", SAFE, ["a", "b"], {}),
        (SAFE, "  - {name: safe, type: text}\n", "yes", {"safe": "yes"}),
        ('  - {name: safe, type: rating, scale: {"1": a, "2": b}}\n', SAFE, 2, {"safe": "2"}),
        (
            "  - {name: safe, type: text}\n",
            '  - {name: safe, type: rating, scale: {"1": a, "2": b}}\n',
            "2",
            {"safe": 2},
        ),
    ],
)
def test_another_type_keeps_what_it_can_hold(before: str, after: str, answer: Any, expected: dict[str, Any]) -> None:
    assert upgraded({"safe": answer}, 1, before, after) == expected


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("  - {name: b, type: text, formerly: nothing}\n", "line 3, questions[0].formerly: the version before has no"),
        (f"{SAFE}  - {{name: b, type: text, formerly: safe}}\n", "“safe” is still asked"),
        (
            "  - {name: b, type: text, formerly: safe}\n  - {name: c, type: text, formerly: safe}\n",
            "was “safe” already",
        ),
    ],
)
def test_a_change_that_contradicts_the_version_before_is_refused(change: str, said: str) -> None:
    with pytest.raises(BadDefinition) as bad:
        versions(SAFE, change)
    assert said in str(bad.value)


def test_the_name_of_an_old_question_is_not_the_name_of_a_column() -> None:
    with pytest.raises(BadDefinition, match="was the name of a question"):
        Versions.read([SHOW + SAFE, "show: [{field: safe}]\nquestions: [{name: q, type: text}]"])
