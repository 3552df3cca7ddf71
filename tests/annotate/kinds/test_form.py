"""The kind whose questions are data: answers, files, what is hidden, and the order in which each person sees texts."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from django.http import QueryDict

from annotate.kinds import find_kind
from annotate.kinds.contract import Kind
from annotate.kinds.form.material import column_faults, example_columns, permutation, shown_parts
from annotate.kinds.protocol import Question, Reply
from annotate.kinds.questions.definition import Definition, read_definition
from annotate.kinds.shapes import LenientOptions
from annotate.kinds.values import BadShape
from tests.support.running import run
from tests.support.scripted import shipped

DEFINITION = """
show:
  - {field: prompt, title: {en: Prompt, zh: 提示词}}
  - {field: a}
  - {field: b}
  - {field: notes, as: texts, optional: true}
questions:
  - {name: fluency, type: rating, scale: {"1": unreadable, "5": native}}
  - {name: safe, type: choice, options: ["yes", "no"], when: {fluency: at least 2}}
  - {name: topics, type: choices, options: [news, code, health], least: 1, most: 2}
  - {name: better, type: pair, of: [a, b]}
  - {name: order, type: ranking, of: [b, a]}
  - {name: fixed, type: text, start: a, most: 20}
  - {name: price, type: number, min: "0", step: "0.01", required: false}
"""
FACTS = {"prompt": "Which?", "a": "one", "b": "two"}
ANSWERS = {
    "fluency": 4,
    "safe": "yes",
    "topics": ["news"],
    "better": "first",
    "order": [2, 1],
    "fixed": "one",
    "price": None,
}


@pytest.fixture(scope="module")
def kind() -> Kind:
    return find_kind("form").by_definition([DEFINITION])


def problems(kind: Kind, **changes: Any) -> list[tuple[str, str]]:
    draft = kind.read_draft({**ANSWERS, **changes})
    return [
        (found.path, str(found.message)) for found in kind.problems(kind.read_facts(FACTS), draft, LenientOptions())
    ]


def test_complete_answers_have_no_problems(kind: Kind) -> None:
    assert problems(kind) == []


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("fluency", None, "answer this question."),
        ("fluency", 6, "6 is not on the scale, which goes from 1 to 5."),
        ("safe", "maybe", "“maybe” is not one of the options; allowed: yes, no."),
        ("topics", [], "choose at least 1."),
        ("topics", ["news", "code", "health"], "choose at most 2."),
        ("topics", ["sport"], "“sport” is not one of the options; allowed: news, code, health."),
        ("better", "third", "“third” is not one of the answers; allowed: first, tie, both_bad, second, cannot_tell."),
        ("order", [1, 1], "two have the same rank; give each its own."),
        ("order", [1, None], "give every one a rank."),
        ("order", [1, 3], "ranks go from 1 to 2."),
        ("fixed", " ", "write something."),
        ("fixed", "x" * 21, "has 21 characters; at most 20 are allowed."),
        ("price", "many", "“many” is not a number."),
        ("price", -1, "must be at least 0."),
        ("price", 0.015, "must be a multiple of 0.01, from 0."),
    ],
)
def test_an_answer_outside_the_limits_is_a_problem(kind: Kind, name: str, answer: Any, said: str) -> None:
    assert problems(kind, **{name: answer}) == [(name, said)]


@pytest.mark.parametrize("price", [0, 0.1, 0.29, 1.1, 1_000_000, 19.99])
def test_decimal_steps_are_exact(kind: Kind, price: float) -> None:
    assert problems(kind, price=price) == []


def test_a_question_that_is_not_asked_needs_no_answer_and_does_not_count(kind: Kind) -> None:
    assert problems(kind, fluency=1, safe=None) == []
    assert problems(kind, fluency=1, safe="maybe") == []
    row = kind.write_row(FACTS, {**ANSWERS, "fluency": 1, "safe": "yes"})
    assert "safe" not in row
    assert kind.disagreements(kind.read_facts(FACTS), [{"fluency": 1, "safe": "yes"}, {"fluency": 1}]) == []


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("fluency", "4"),
        ("fluency", True),
        ("safe", 1),
        ("topics", "news"),
        ("topics", ["news", "news"]),
        ("order", [1]),
        ("order", ["1", "2"]),
        ("fixed", 3),
        ("price", []),
        ("nothing", 1),
    ],
)
def test_an_answer_of_another_shape_is_refused_by_name(kind: Kind, name: str, answer: Any) -> None:
    with pytest.raises(BadShape) as bad:
        kind.read_draft({name: answer})
    assert [found.path for found in bad.value.findings] == [name]


@pytest.mark.parametrize(
    ("facts", "path"),
    [
        ({"prompt": "x", "a": "y"}, "b"),
        ({**FACTS, "a": ["list"]}, "a"),
        ({**FACTS, "notes": "text"}, "notes"),
        ({**FACTS, "model": "gpt"}, "model"),
    ],
)
def test_columns_that_cannot_be_shown_are_refused_by_name(kind: Kind, facts: dict[str, Any], path: str) -> None:
    with pytest.raises(BadShape) as bad:
        kind.read_facts(facts)
    assert [found.path for found in bad.value.findings] == [path]


def test_what_is_neither_shown_nor_asked_is_metadata(kind: Kind) -> None:
    native = kind.read_row({"key": "k", **FACTS, "fluency": 3, "model_a": "gpt", "rating": 4, "notes": None})
    assert native.facts == FACTS
    assert native.draft == {"fluency": 3}
    assert native.metadata == {"model_a": "gpt", "rating": 4}


def test_the_form_is_read_as_it_was_posted(kind: Kind) -> None:
    posted = "q-fluency=4&q-safe=yes&q-topics=news&q-topics=code&q-better=tie&q-order-1=2&q-order-2=1&q-price=0,5"
    draft = kind.read_form(QueryDict(f"{posted}&q-fixed=a%0D%0Ab"), kind.read_facts(FACTS))
    assert draft == {
        "fluency": 4,
        "safe": "yes",
        "topics": ["news", "code"],
        "better": "tie",
        "order": [2, 1],
        "fixed": "a\nb",
        "price": 0.5,
    }
    assert kind.read_draft(draft).stored() == draft


def test_nonsense_in_a_form_is_no_error(kind: Kind) -> None:
    draft = kind.read_form(QueryDict("q-fluency=x&q-order-1=a&q-order-2=2&q-price=abc"), kind.read_facts(FACTS))
    kind.read_draft(draft)
    assert (draft["fluency"], draft["order"], draft["price"]) == (None, [None, 2], "abc")


def test_both_sides_are_dealt_equally_often_and_nothing_says_which_is_which(kind: Kind) -> None:
    facts = kind.read_facts(FACTS)
    first = Counter(kind.dealt(facts, deal)["order"][0] for deal in range(1000))
    assert first == {"a": 500, "b": 500}
    for deal in (0, 1):
        parts = [part for part in kind.dealt(facts, deal)["parts"] if part.letter]
        assert [part.letter for part in parts] == ["A", "B"]
        assert {part.text for part in parts} == {"one", "two"}


def test_three_texts_come_in_every_order_equally_often() -> None:
    assert set(Counter(tuple(permutation("abc", deal)) for deal in range(600)).values()) == {100}


def test_answers_are_read_in_words(kind: Kind) -> None:
    assert kind.shown("fluency", 5) == "5 · native"
    assert kind.shown("better", "second") == "Text 2 is better"
    assert kind.shown("order", [2, 1]) == "Text 2 > Text 1"
    assert kind.shown("topics", ["news", "code"]) == "news\ncode"
    assert kind.shown("price", 0.5) == "0.5"


@pytest.mark.parametrize(("shown_as", "word"), [("image", "Image"), ("file", "File")])
def test_compared_images_and_files_are_called_so(shown_as: str, word: str) -> None:
    questions = "[{name: better, type: pair, of: [a, b]}, {name: order, type: ranking, of: [a, b]}]"
    definition = f"show: [{{field: a, as: {shown_as}}}, {{field: b, as: {shown_as}}}]\nquestions: {questions}\n"
    kind = find_kind("form").by_definition([definition])
    assert kind.shown("better", "second") == f"{word} 2 is better"
    assert kind.shown("better", "tie") == "Equal"
    assert kind.shown("order", [2, 1]) == f"{word} 2 > {word} 1"
    facts = kind.read_facts({"a": "one.png", "b": "two.png"})
    assert {part.label for part in kind.dealt(facts, 1)["parts"]} == {f"{word} 1", f"{word} 2"}


def test_the_order_of_ranks_matters_and_the_order_of_choices_does_not(kind: Kind) -> None:
    facts = kind.read_facts(FACTS)
    assert kind.disagreements(facts, [{"order": [1, 2]}, {"order": [2, 1]}]) == ["order"]
    assert kind.disagreements(facts, [{"topics": ["a", "b"]}, {"topics": ["b", "a"]}]) == []


# --- a model's answers ----------------------------------------------------------------------------------------------
def suggested(kind: Kind, reply: dict[str, Any], *, guidelines: str = "", language: str = "en") -> tuple[Any, Question]:
    asked: list[Question] = []

    async def ask(question: Question, /) -> Reply:
        asked.append(question)
        assert question.answer is not None
        return Reply(json.dumps(reply), question.answer.model_validate(reply))

    prompts = replace(shipped("form"), guidelines=guidelines)
    facts = kind.read_facts(FACTS)
    return run(kind.preannotate(facts, LenientOptions(), prompts, ask, language=language)), asked[0]


REPLY = {
    "fluency": 4,
    "safe": "yes",
    "topics": ["news"],
    "better": "second",
    "order": [1, 2],
    "fixed": "ones",
    "price": 2.5,
}


def test_a_model_answers_all_questions_in_one_call(kind: Kind) -> None:
    suggestion, question = suggested(kind, REPLY)
    assert (suggestion.draft, suggestion.doubts) == (REPLY, [])
    text = question.messages[1]["content"]
    for part in (
        "safe: safe (only if fluency: at least 2)",
        "- first: a is better",
        "- 5: native",
        '"prompt": "Which?"',
    ):
        assert part in text


def test_its_reply_has_a_schema_with_the_options(kind: Kind) -> None:
    _suggestion, question = suggested(kind, REPLY)
    assert question.answer is not None
    schema = question.answer.model_json_schema()["properties"]
    assert list(schema) == list(REPLY)
    assert schema["safe"]["enum"] == ["yes", "no"]
    assert (schema["fluency"]["minimum"], schema["fluency"]["maximum"]) == (1, 5)


def test_answers_that_are_not_allowed_are_left_out_with_a_doubt(kind: Kind) -> None:
    suggestion, _question = suggested(kind, REPLY | {"fluency": 9, "topics": ["sport"], "better": " "})
    assert {name for name, value in suggestion.draft.items() if value in (None, [], "")} >= {
        "fluency",
        "topics",
        "better",
    }
    assert [doubt.path for doubt in suggestion.doubts] == ["fluency", "topics", "better"]
    assert suggestion.draft["safe"] is None  # it is not asked without a fluency
    kind.read_draft(suggestion.draft)


def test_guidelines_and_the_language_of_the_item_reach_the_model(kind: Kind) -> None:
    _suggestion, question = suggested(kind, REPLY, guidelines="Be strict.", language="zh")
    text = question.messages[1]["content"]
    assert "Be strict." in text
    assert "仅当 fluency" in text
    assert "a 更好" in text


def test_hidden_columns_reach_no_model(kind: Kind) -> None:
    native = kind.read_row({**FACTS, "model_a": "secret-model"})
    assert "secret" not in json.dumps(native.facts)
    assert "model_a" not in suggested(kind, REPLY)[1].messages[1]["content"]


# --- one call for each question ---------------------------------------------------------------------------------------
def suggested_one_by_one(kind: Kind, replies: dict[str, Any]) -> tuple[Any, dict[str, Question]]:
    asked: dict[str, Question] = {}

    async def ask(question: Question, /) -> Reply:
        assert question.answer is not None
        asked[question.step] = question
        reply = {name: replies[name] for name in question.answer.model_json_schema()["properties"]}
        return Reply(json.dumps(reply), question.answer.model_validate(reply))

    apart, facts = kind.one_by_one, kind.read_facts(FACTS)
    assert apart is not None
    return run(apart.preannotate(facts, LenientOptions(), shipped("form"), ask, language="en")), asked


def test_each_question_is_asked_alone_and_all_make_one_suggestion(kind: Kind) -> None:
    suggestion, asked = suggested_one_by_one(kind, REPLY)
    assert (suggestion.draft, suggestion.doubts) == (REPLY, [])
    assert list(asked) == [f"answers/{name}" for name in REPLY]
    text = asked["answers/safe"].messages[1]["content"]
    assert "fluency" not in text
    assert "only if" not in text.partition("\nRead")[0]
    assert kind.one_by_one is not None
    facts = kind.read_facts(FACTS)
    assert kind.one_by_one.preannotation_calls(facts, LenientOptions()) == len(REPLY)
    assert kind.preannotation_calls(facts, LenientOptions()) == 1


def test_a_question_whose_condition_does_not_hold_costs_no_call(kind: Kind) -> None:
    for fluency in (1, 9):
        suggestion, asked = suggested_one_by_one(kind, REPLY | {"fluency": fluency})
        assert "answers/safe" not in asked
        assert suggestion.draft["safe"] is None
    assert [doubt.path for doubt in suggestion.doubts] == ["fluency"]


def test_doubts_are_those_of_the_single_call(kind: Kind) -> None:
    odd = REPLY | {"topics": ["sport"], "better": " "}
    suggestion, _asked = suggested_one_by_one(kind, odd)
    together, _question = suggested(kind, odd)
    assert suggestion.draft == together.draft
    assert sorted(doubt.path for doubt in suggestion.doubts) == sorted(doubt.path for doubt in together.doubts)


def test_a_definition_with_one_question_has_nothing_to_ask_apart() -> None:
    text = "show: [{field: a}]\nquestions: [{name: why, type: text}]\n"
    assert find_kind("form").by_definition([text]).one_by_one is None


IMAGES = """show: [{field: left, as: image, title: {en: Left, zh: 左}}, {field: right, as: image}]
questions: [{name: better, type: pair, of: [left, right]}]
"""


@pytest.mark.parametrize(("deal", "names"), [(0, ["a.png", "b.png"]), (1, ["b.png", "a.png"])])
def test_compared_images_change_sides_and_their_titles_stay(deal: int, names: list[str]) -> None:
    questions = find_kind("form").by_definition([IMAGES]).own_questions
    assert questions is not None
    columns = {"left": "a.png", "right": "b.png"}
    asked = questions.only([], deal=deal).question(columns, shipped("form"), language="zh", step="answers")
    assert [(image.title, image.name) for image in asked.images] == list(
        zip(["图片 1: 左", "图片 2: right"], names, strict=True)
    )
    text = asked.messages[1]["content"]
    assert '"left": "图片 1: 左"' in text
    assert "图片里的文字也是材料的一部分" in text
    assert ".png" not in text


SHOWN = """show:
  - {field: rows, as: table}
  - {field: said, as: texts}
  - {field: new, as: diff, against: old}
  - {field: scan, as: file}
questions: [{name: why, type: text}]
"""


@pytest.fixture(scope="module")
def shown() -> Definition:
    return read_definition(SHOWN)


def test_tables_of_lists_texts_with_titles_and_older_texts_are_shown(shown: Definition) -> None:
    columns = {
        "rows": [["a", "b"], [1, None], ["x", {"n": 1}]],
        "said": [{"title": "Ann", "text": "Yes."}, {"text": None}, "No."],
        "new": "now",
        "old": "then",
        "scan": "a.pdf",
    }
    assert list(column_faults(shown, columns)) == []
    table, said, diff, _file = shown_parts(shown, columns, [])
    assert (table.head, table.rows) == (["a", "b"], [["1", ""], ["x", '{"n": 1}']])
    assert said.texts == [("Ann", "Yes."), ("", ""), ("", "No.")]
    assert (diff.text, diff.older) == ("now", "then")
    (empty, *_others) = shown_parts(shown, columns | {"rows": []}, [])
    assert (empty.head, empty.rows) == ([], [])


def test_a_table_of_words_and_a_name_that_is_no_text_are_refused(shown: Definition) -> None:
    columns = {"rows": ["a"], "said": [], "new": "n", "old": "o", "scan": 7}
    assert dict(column_faults(shown, columns)) == {
        "rows": "must be a list of rows, each a list or an object.",
        "scan": "must be the name of a file, as text.",
    }


def test_every_column_has_an_example_that_can_be_shown(shown: Definition) -> None:
    example = example_columns(shown)
    assert example["old"] == "(the column old)"
    assert set(example) == {"rows", "said", "new", "old", "scan"}
