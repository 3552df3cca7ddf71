"""Scores: the sum of points that the first fitting rule gives to each span; and what a definition may say of them."""

from typing import Any

import pytest

from annotate.definitions.templates import all_templates
from annotate.kinds.questions.definition import BadDefinition, read_definition

DEFINITION = """show: [{field: target}]
questions:
  - {name: errors, type: spans, on: [target], labels: {Form: [Grammar], Sense: []}, attributes: {severity: [Minor, Major]}}
  - {name: why, type: text}
scores: {penalty: {sum: errors, rules: %s}}
"""  # noqa: E501  # as people write it


def definition(rules: str) -> str:
    return DEFINITION % rules


def spans(*labels: tuple[str, str]) -> list[dict[str, Any]]:
    place = {"field": "target", "start": 0, "end": 1, "text": "a"}
    return [{**place, "label": label, "severity": severity} for label, severity in labels]


@pytest.mark.parametrize(
    ("label", "severity", "points"),
    [
        ("Non-translation!", "Major", 25),
        ("Source issue", "Major", 0),
        ("Fluency/Punctuation", "Major", 5),
        ("Fluency/Punctuation", "Minor", 0.1),
        ("Accuracy/Addition", "Minor", 1),
        ("Anything else", "Minor", 1),
    ],
)
def test_the_score_of_the_template_has_the_weights_of_mqm(label: str, severity: str, points: float) -> None:
    score = read_definition(all_templates()["mqm"].definition).scores["mqm"]
    assert score.of({"errors": spans((label, severity))}) == points
    assert score.lower_is_better


def test_points_are_summed_and_a_category_stands_for_its_labels() -> None:
    score = read_definition(definition("[{label: Form, severity: Major, points: 3}, {label: Form, points: -0.5}]"))
    of = score.scores["penalty"].of
    assert of({"errors": spans(("Form/Grammar", "Major"), ("Form/Grammar", "Minor"), ("Sense", "Major"))}) == 2.5
    assert of({"errors": []}) == 0
    assert of({"errors": None}) is None
    assert of({}) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (definition("[]"), "line 5, scores.penalty.rules: has too few entries; it needs 1."),
        (definition("[{label: Form}]"), "scores.penalty.rules[0].points: is missing"),
        (definition("[{points: many}]"), "scores.penalty.rules[0].points: must be a number, not “many”."),
        (definition("[{points: 1.0e+9}]"), "scores.penalty.rules[0].points"),
        (definition("[{points: 1, severity: 3}]"), "scores.penalty.rules[0].severity: must be text, not 3."),
        (
            definition("[{points: 1, label: Style}]"),
            "“Style” is not a label of “errors”; correct it or remove the rule.",
        ),
        (definition("[{points: 1, severity: Huge}]"), "“errors” has no severity “Huge”"),
        (definition("[{points: 1, colour: red}]"), "“errors” has no colour “red”"),
        (
            definition("[{points: 1}, {points: 2, label: Form}]"),
            "scores.penalty.rules[1]: comes after a rule that fits",
        ),
        (definition("[{points: 1}]").replace("sum: errors", "sum: why"), "“why” is no question of the type `spans`"),
        (
            definition("[{points: 1}]").replace("penalty", "errors"),
            "“errors” is the name of a question or a shown column",
        ),
        (definition("[{points: 1}]").replace("penalty", "key"), "“key” has a meaning in files"),
    ],
)
def test_what_is_wrong_with_a_score_is_said_with_its_line(text: str, message: str) -> None:
    with pytest.raises(BadDefinition) as bad:
        read_definition(text)
    assert message in str(bad.value)
