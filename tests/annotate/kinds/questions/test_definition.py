"""What a definition may say, and what is wrong with one that says something else."""

import pytest

from annotate.kinds.questions.definition import QUESTION_TYPES, BadDefinition, read_definition

SHOW = "show: [{field: a}, {field: b}, {field: c}]\n"


def question(text: str) -> str:
    return f"{SHOW}questions:\n  - {{{text}}}\n"


def faults(text: str) -> list[str]:
    with pytest.raises(BadDefinition) as bad:
        read_definition(text)
    return list(map(str, bad.value.faults))


def test_there_are_these_types_of_questions() -> None:
    names = "choice choices criteria number pair ranking rating rubric spans step text turns"
    assert " ".join(QUESTION_TYPES) == names


def test_the_issue_of_a_question_in_one_line_is_read() -> None:
    text = question('name: fluency, type: rating, ask: How natural is it?, scale: {"1": unreadable, "5": native}')
    rating = read_definition(text).questions[0]
    assert (rating.label(), list(rating.steps)) == ("How natural is it?", [1, 2, 3, 4, 5])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: must have the parts"),
        ("[]", "line 1: must have the parts"),
        ("show: []\nquestions: []", "line 1, show: has too few entries; it needs 1."),
        (SHOW, "line 1, questions: is missing"),
        (f"{SHOW}questions: [3]", "line 2, questions[0]: "),
        (question("name: q"), "line 3, questions[0]: has no `type`"),
        (question("name: q, type: stars"), "“stars” is not a type of question; there are choice, choices,"),
        (question("name: q, type: choice, options: [a, true]"), "line 3, questions[0].options[1]: is true, not a text"),
        (question("name: q, type: choice, options: [a, a]"), "“a” occurs twice"),
        (question("name: q, type: choice, options: [a]"), "questions[0].options: has too few entries; it needs 2."),
        (question("name: q, type: choice, options: [a, ' b']"), "begins or ends with a space"),
        (question("name: q, type: choice, options: [a, b\u202e]"), "invisible character U+202E"),
        (question("name: x y, type: text"), "“x y” is not a name"),
        (question("name: 1st, type: text"), "“1st” is not a name"),
        (question("name: key, type: text"), "“key” has a meaning in files"),
        (question("name: q, type: text, colour: red"), "questions[0].colour: is not known here"),
        (question("name: q, type: text, ask: {en: 3}"), "questions[0].ask.en: must be text, not 3."),
        (question("name: q, type: text, ask: {english language: x}"), "questions[0].ask"),
        (question('name: q, type: rating, scale: {"1": a, "900": b}'), "the scale has 900 steps"),
        (question('name: q, type: rating, scale: {"one": a, "2": b}'), "questions[0].scale"),
        (question("name: q, type: choices, options: [a, b], least: 3"), "nobody can answer that"),
        (question("name: q, type: choices, options: [a, b], least: 2, most: 1"), "nobody can answer that"),
        (question('name: q, type: number, min: "2", max: "1"'), "min is greater than max"),
        (question('name: q, type: number, step: "0"'), "step must be greater than 0"),
        (question("name: q, type: number, min: many"), "questions[0].min"),
        (question("name: q, type: pair, of: [a, a]"), "“a” occurs twice"),
        (question("name: q, type: pair, of: [a, x]"), "needs the column “x”, which `show` does not have"),
        (question("name: q, type: text, start: x"), "needs the column “x”"),
        (question("name: a, type: text"), "is the name of a shown column too"),
        (question("name: q, type: text, when: {p: answered}"), "questions[0].when.p: “p” is not an earlier question"),
        (question("name: q, type: text, when: {q: answered}"), "“q” is not an earlier question"),
        (question("name: q, type: text, when: {p: true}"), "the condition on “p” is no text"),
        ("show: [{field: a, as: diff}]\nquestions: [{name: q, type: text}]", "needs the older column in `against`"),
        ("show: [{field: a, as: film}]\nquestions: [{name: q, type: text}]", "line 1, show[0].as: is “film”; allowed:"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, said: str) -> None:
    assert any(said in fault for fault in faults(text)), faults(text)


def test_all_faults_are_said_at_once_in_the_order_of_the_text() -> None:
    text = f"{SHOW}questions:\n  - {{name: q, type: choice, options: [a]}}\n  - {{name: r, type: stars}}\n"
    assert [fault.partition(",")[0] for fault in faults(text)] == ["line 3", "line 4"]


def test_two_questions_have_two_names() -> None:
    text = f"{SHOW}questions:\n  - {{name: q, type: text}}\n  - {{name: q, type: text}}\n"
    assert faults(text) == ["line 4, questions[1].name: “q” is the name of an earlier question; rename one."]


def test_all_comparisons_are_of_the_same_columns() -> None:
    pairs = "  - {name: p, type: pair, of: [a, b]}\n  - {name: r, type: pair, of: [b, a], scale: strength}\n"
    assert read_definition(f"{SHOW}questions:\n{pairs}").dealt == ["a", "b"]
    assert "of the same columns" in faults(f"{SHOW}questions:\n{pairs}  - {{name: o, type: pair, of: [b, c]}}\n")[0]


@pytest.mark.parametrize("name", ["__proto__", "on", "yes", "constructor", "elements", "submit", "问题", "größe"])
def test_names_that_mean_something_elsewhere_are_names_here(name: str) -> None:
    assert read_definition(question(f"name: {name}, type: text")).questions[0].name == name


def test_ten_thousand_options_are_refused_in_a_sentence() -> None:
    options = ", ".join(f"o{number}" for number in range(10_000))
    assert faults(question(f"name: q, type: choice, options: [{options}]")) == [
        "line 3, questions[0].options: has 10000 entries; at most 200 are allowed."
    ]


@pytest.mark.parametrize(
    ("written", "answer", "holds"),
    [
        ("at least 2", 2, True),
        ("at least 2", 1, False),
        ("at least 2", 2.5, True),
        ("at most -1", -1, True),
        ("at least 2", None, False),
        ("at least 2", "many", False),
        ("at least 2", "NaN", False),
        ('"yes"', "yes", True),
        ('"yes"', "no", False),
        ("not no", "yes", True),
        ("not no", "no", False),
        ("not no", "", False),
        ("[x, y]", "y", True),
        ("[x, y]", ["z", "x"], True),
        ("[x, y]", ["z"], False),
        ("answered", "anything", True),
        ("answered", [], False),
        ("3", 3, True),
    ],
)
def test_a_question_is_asked_if_its_condition_holds(written: str, answer: object, holds: bool) -> None:
    text = f"{SHOW}questions:\n  - {{name: p, type: text}}\n  - {{name: q, type: text, when: {{p: {written}}}}}\n"
    assert [asked.name for asked in read_definition(text).asked({"p": answer})] == (["p", "q"] if holds else ["p"])


def test_an_answer_that_is_not_asked_for_meets_no_condition() -> None:
    text = f"""{SHOW}questions:
  - {{name: p, type: choice, options: ["yes", "no"]}}
  - {{name: q, type: choice, options: [x, z], when: {{p: "yes"}}}}
  - {{name: r, type: text, when: {{q: x}}}}
"""
    definition = read_definition(text)
    assert [asked.name for asked in definition.asked({"p": "no", "q": "x"})] == ["p"]
    assert [asked.name for asked in definition.asked({"p": "yes", "q": "x"})] == ["p", "q", "r"]
