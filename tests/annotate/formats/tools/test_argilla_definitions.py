"""Definitions from the settings of Argilla's datasets and to them: what comes back, and what is named."""

import json
from typing import Any

import pytest

from annotate.formats.tools.argilla_settings import from_argilla, to_argilla
from annotate.formats.tools.leftovers import BadConversion, Conversion
from annotate.kinds.questions.definition import MOST_QUESTIONS, MOST_SHOWN, Definition, read_definition

SHOW = "show: [{field: a, as: text}, {field: b, title: Second}, {field: log, as: chat, optional: true}]\nquestions:\n"


def definition(question: str) -> Definition:
    return read_definition(f"{SHOW}  - {question}\n")


def places(conversion: Conversion, sort: str) -> list[str]:
    return [leftover.place for leftover in conversion.leftovers if leftover.sort == sort]


def settings(*questions: Any, **more: Any) -> str:
    field = {"name": "a", "title": "a", "required": True, "settings": {"type": "text", "use_markdown": False}}
    return json.dumps({"fields": [field], "questions": list(questions)} | more)


def question(sort: str, name: str = "q", **own: Any) -> dict[str, Any]:
    return {"name": name, "title": name, "description": None, "required": True, "settings": {"type": sort, **own}}


def options(*values: Any) -> list[dict[str, Any]]:
    return [{"value": value, "text": value, "description": None} for value in values]


@pytest.mark.parametrize(
    "written",
    [
        '{name: q, type: rating, scale: {"0": null, "10": null}}',
        "{name: q, type: choice, ask: Safe?, help: Be strict, options: ['yes', {value: 'no', text: No!, about: so}]}",
        "{name: q, type: choices, options: [news, 代码, health]}",
        "{name: q, type: ranking, of: [b, a], ties: true}",
        "{name: q, type: text}",
        "{name: q, type: spans, on: [a], labels: [Person, Place]}",
        "{name: q, type: spans, on: [b, a], labels: {Accuracy: [Wrong, Made up], Style: []}}",
    ],
)
def test_a_question_with_a_counterpart_comes_back_equal(written: str) -> None:
    given = definition(written)
    there = to_argilla(given)
    assert there.is_whole, there.leftovers
    assert read_definition(from_argilla(there.text).text) == given


def test_what_argilla_does_not_have_is_named() -> None:
    given = read_definition("""
show: [{field: a, as: table}, {field: b, as: text}]
questions:
  - {name: grade, type: rating, scale: {"1": bad, "5": good}}
  - {name: far, type: rating, scale: {"-1": null, "1": null}}
  - {name: better, type: pair, of: [a, b], when: {grade: at least 2}}
  - {name: order, type: ranking, of: [a, b]}
  - {name: price, type: number}
  - {name: Fixed, type: text, start: b}
  - {name: marks, type: spans, on: [b], labels: [x], attributes: {s: [y]}, none: Nothing}
  - {name: rubric, type: rubric, from: rubric}
  - {name: few, type: choices, options: [x, y], least: 1, ask: {en: Few, zh: 少}}
unit: doc
""")
    written = to_argilla(given)
    assert places(written, "missing") == ["grade", "better", "Fixed", "marks", "marks", "rubric", "few", "few", "unit"]
    assert places(written, "changed") == ["a", "far", "better", "order", "price", "Fixed"]
    kinds = {asked["name"]: asked["settings"]["type"] for asked in json.loads(written.text)["questions"]}
    assert kinds["far"] == kinds["better"] == "label_selection"


def test_a_dataset_has_a_question_that_must_be_answered() -> None:
    written = to_argilla(definition("{name: q, type: text, required: false}"))
    assert json.loads(written.text)["questions"][0]["required"] is True
    assert places(written, "changed") == ["q"]


def test_what_a_definition_does_not_have_is_named() -> None:
    fields = [
        {"name": "a", "title": "A", "required": False, "settings": {"type": "text", "use_markdown": True}},
        {"name": "picture", "settings": {"type": "video"}},
        {"name": "page", "settings": {"type": "custom", "template": "<b>{{record}}</b>"}},
    ]
    asked = [
        question("label_selection", "a", options=options("x", "y"), visible_options=3) | {"required": False},
        question("rating", "grade", options=[{"value": 1}, {"value": 3}]),
        question("ranking", "order", options=options("one", "two")),
        question("span", "marks", field="a", options=options("x"), allow_overlapping=False),
        question("date", "day"),
    ]
    read = from_argilla(
        settings(
            *asked,
            fields=fields,
            guidelines="Be kind",
            metadata=[{"name": "model"}],
            vectors=[{"name": "v"}],
            distribution={"strategy": "overlap", "min_submitted": 3},
        )
    )
    assert read_definition(read.text) == read_definition("""
show: [{field: a, title: A, optional: true}, {field: page, as: json}]
questions:
  - {name: a_, type: choice, options: [x, y], ask: a, required: false}
  - {name: grade, type: choice, options: ["1", "3"]}
  - {name: marks, type: spans, on: [a], labels: [x]}
""")
    lost = ["field picture", "question order", "question day", "guidelines", "metadata model", "vectors v"]
    assert places(read, "missing") == lost
    assert places(read, "changed") == ["field page", "question a", "question grade", "question marks", "distribution"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "value is missing"),
        ("[]", "no settings of a dataset"),
        ('{"fields": [], "questions": []}', "no settings of a dataset"),
        ('{"fields": {"a": 1}, "questions": "x"}', "no settings of a dataset"),
        ("[" * 100_000, "nested|deep"),
        (settings(question("date")), "no question has a counterpart"),
        (settings(question("span", field="nowhere", options=options("x"))), "no question has a counterpart"),
        (settings(question("label_selection", options=options(*map(str, range(10_000))))), "no question has"),
        (settings(question("ranking", options=[{"value": []}]), question("span", options=5)), "no question has"),
        (settings(question("text", "q"), metadata=5, vectors={"a": 1}, fields=[7, {}]), "no settings of a dataset"),
        (settings(question("rating", options=[])), "no question has a counterpart"),
        (settings(question("label_selection", options=[{"value": 1}, {}])), "no question has a counterpart"),
        ("x" * 2_000_001, "at most 2000000"),
    ],
)
def test_settings_of_which_nothing_is_left_are_refused(text: str, said: str) -> None:
    with pytest.raises(BadConversion, match=said):
        from_argilla(text)


def test_names_of_javascript_are_only_names() -> None:
    read = from_argilla(settings(question("text", "__proto__"), question("text", "constructor")))
    assert list(read_definition(read.text).by_name) == ["__proto__", "constructor"]


def test_an_image_is_a_stored_file() -> None:
    given = read_definition(
        "show: [{field: cat, as: image, alt: words}]\nquestions: [{name: q, type: choice, options: [x, y]}]"
    )
    written = to_argilla(given)
    sorts = [(field["name"], field["settings"]["type"]) for field in json.loads(written.text)["fields"]]
    assert sorts == [("cat", "image"), ("words", "text")]
    assert places(written, "changed") == ["cat", "words"]
    read = from_argilla(written.text)
    assert [(shown.field, shown.shown_as) for shown in read_definition(read.text).show] == [
        ("cat", "image"), ("words", "text")
    ]  # fmt: skip
    assert places(read, "changed") == ["field cat"]


def test_what_has_another_look_or_other_words_here_is_named() -> None:
    labelled = [{"value": "x", "text": "Wrong", "description": None}, {"value": "y", "text": "y", "description": None}]
    read = from_argilla(
        settings(
            question("text", "why", use_markdown=True),
            question("span", "marks", field="a", options=labelled, allow_overlapping=True),
            mapping={"text": "a"},
            fields=[
                {"name": "a", "description": "What they wrote", "required": True, "settings": {"type": "text"}},
            ],
        )
    )
    assert places(read, "missing") == ["field a", "mapping"]
    assert places(read, "look") == ["question why"]
    [words] = [leftover.message for leftover in read.leftovers if leftover.place == "question marks"]
    assert words == "people read “Wrong” instead; here they read the stored label."


def test_fields_and_questions_beyond_the_limits_are_named() -> None:
    fields = [{"name": f"f{n}", "required": True, "settings": {"type": "text"}} for n in range(MOST_SHOWN + 1)]
    asked = [question("text", f"q{n}") for n in range(MOST_QUESTIONS + 2)]
    read = from_argilla(settings(*asked, fields=fields))
    definition = read_definition(read.text)
    assert (len(definition.show), len(definition.questions)) == (MOST_SHOWN, MOST_QUESTIONS)
    assert places(read, "missing") == [
        f"fields f{MOST_SHOWN}", f"questions q{MOST_QUESTIONS}", f"questions q{MOST_QUESTIONS + 1}",
    ]  # fmt: skip


def test_a_definition_without_any_counterpart_is_refused_with_what_is_left_out() -> None:
    with pytest.raises(BadConversion, match="no question has a counterpart") as refused:
        to_argilla(read_definition("show: [{field: a}]\nquestions: [{name: q, type: rubric, from: r}]"))
    assert [leftover.place for leftover in refused.value.leftovers] == ["q"]
