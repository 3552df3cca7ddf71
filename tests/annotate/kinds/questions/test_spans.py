"""Questions whose answers are parts of texts: what a definition may say, where spans may lie, quotes of models."""

import json
from typing import Any

import pytest
from django.http import QueryDict

from annotate.kinds import find_kind
from annotate.kinds.contract import Kind
from annotate.kinds.protocol import Question, Reply
from annotate.kinds.questions.definition import BadDefinition, read_definition
from annotate.kinds.questions.types.spans import Spans
from annotate.kinds.questions.versions import Versions
from annotate.kinds.shapes import LenientOptions
from annotate.kinds.values import BadShape, agree_in
from tests.support.running import run
from tests.support.scripted import shipped

QUESTION = """
  - name: errors
    type: spans
    on: [target, source]
    labels: {Accuracy: [Mistranslation, Addition], Fluency: [Grammar], Other: []}
    attributes: {severity: [Minor, Major]}
    none: {en: No error, zh: 没有错误}
"""
DEFINITION = f"show: [{{field: source}}, {{field: target}}]\nquestions:{QUESTION}"
# A family emoji of five code points, an e with an accent of its own, a line break of two code points.
FACTS = {"source": "我们去学校。", "target": "We goes to 👨‍👩‍👧 cafe\u0301 and\r\ncafe\u0301."}


def span(start: int = 3, end: int = 7, text: str = "goes", **changes: Any) -> dict[str, Any]:
    parts = {"field": "target", "start": start, "end": end, "text": text, "label": "Fluency/Grammar"}
    return {**parts, "severity": "Minor", **changes}


@pytest.fixture(scope="module")
def kind() -> Kind:
    return find_kind("form").by_definition([DEFINITION])


def question(text: str = DEFINITION) -> Spans:
    spans = read_definition(text).questions[0]
    assert isinstance(spans, Spans)
    return spans


def problems(kind: Kind, *spans: Any) -> list[tuple[str, str]]:
    draft = kind.read_draft({"errors": list(spans)})
    found = kind.problems(kind.read_facts(FACTS), draft, LenientOptions())
    return [(finding.path, finding.message) for finding in found]


def test_a_set_of_spans_joins_what_others_have_marked() -> None:
    first, second, moved = span(), span(12, 17, "👨‍👩‍👧", label="Other"), span(0, 7, "We goes")
    one, other = [first, second], [moved]
    assert question().made_of([moved, second], [one, other])
    assert not question().made_of([moved], [one, None])
    assert question().made_of([first], [one, other])  # somebody left out the second one
    assert not question().made_of([second], [one, other])  # both have marked the first one
    assert not question().made_of(None, [one, other])


# --- definitions ----------------------------------------------------------------------------------------------------
def test_labels_of_categories_are_stored_with_their_category() -> None:
    assert question().known_labels == ["Accuracy/Mistranslation", "Accuracy/Addition", "Fluency/Grammar", "Other"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("on: [x], labels: [a]", "needs the column “x”, which `show` does not have"),
        ("on: [list], labels: [a]", "needs the column “list” as one text; show it as markdown, text or code."),
        ("on: [target, target], labels: [a]", "“target” occurs twice"),
        ("on: [], labels: [a]", "questions[0].on: has too few entries"),
        ("on: [target], labels: []", "questions[0].labels: has too few entries"),
        ("on: [target], labels: [a, a]", "“a” occurs twice"),
        ("on: [target], labels: {A: [b], C: 3}", "questions[0].labels.C: must be a list, not 3."),
        ("on: [target], labels: [a], attributes: {start: [b]}", "“start” has a meaning in every span"),
        ("on: [target], labels: [a], attributes: {size: []}", "questions[0].attributes.size: has too few entries"),
        ("on: [target]", "questions[0].labels: is missing"),
    ],
)
def test_what_is_wrong_with_a_definition_is_said_with_its_place(settings: str, message: str) -> None:
    text = f"show: [{{field: target}}, {{field: list, as: texts}}]\nquestions: [{{name: q, type: spans, {settings}}}]"
    with pytest.raises(BadDefinition) as bad:
        read_definition(text)
    assert message in str(bad.value)


# --- answers --------------------------------------------------------------------------------------------------------
def test_spans_that_lie_where_their_text_is_have_no_problems(kind: Kind) -> None:
    source = span(0, 2, "我们", field="source", label="Accuracy/Addition", note="why?")
    emoji = span(11, 16, "👨‍👩‍👧", label="Other", severity="Major")
    assert problems(kind, span(), span(3, 10, "goes to"), emoji, source) == []


@pytest.mark.parametrize(
    ("wrong", "path", "message"),
    [
        (span(text="gone"), "text", "“gone” is not at 3 to 7 of “target”, where “goes” is; offsets count code points."),
        (span(3, 99, "goes"), "text", "“goes” would end at 99, but “target” has 34 characters; correct the offsets."),
        (span(5, 5, ""), "start", "5 to 5 is no part of a text"),
        (span(-4, 2, "x"), "start", "-4 to 2 is no part of a text"),
        (span(11, 12, "👨"), "end", "12 is inside a character of several code points"),
        (span(12, 16, "‍👩‍👧"), "start", "12 is inside a character of several code points"),
        (span(17, 21, "cafe"), "end", "21 is inside a character"),
        (span(26, 27, "\r"), "end", "27 is inside a character"),
        (span(field="prompt"), "field", "spans of “prompt” are not asked for; allowed: target, source"),
        (span(label="Style"), "label", "“goes” has the label “Style”; allowed: Accuracy/Mistranslation,"),
        (span(label="Accuracy"), "label", "“goes” has the label “Accuracy”; allowed:"),
        (span(label=""), "label", "“goes” has no label; choose one of: Accuracy/Mistranslation,"),
        (span(severity="Huge"), "severity", "“goes” has the severity “Huge”; allowed: Minor, Major."),
        (span(severity=""), "severity", "“goes” has no severity; choose one of: Minor, Major."),
        (span(colour="red"), "colour", "“colour” is no attribute of this question; remove it."),
    ],
)
def test_a_span_that_cannot_be_is_a_problem_with_its_place(
    kind: Kind, wrong: dict[str, Any], path: str, message: str
) -> None:
    (found,) = problems(kind, wrong)
    assert found[0] == f"errors[0].{path}"
    assert message in found[1]


def test_a_text_that_is_empty_has_no_spans() -> None:
    spans = [span(0, 1, " ", label="Other")]
    assert list(question().limits(spans, {"target": "", "source": "x"})) == [
        "“target” is empty in this item; remove the span."
    ]


def test_a_span_may_go_on_in_white_space_that_was_cut_off_behind_the_text() -> None:
    facts = {"target": "It rains.", "source": "下雨了。"}
    lost = [span(3, 10, "rains. ")]
    assert list(question().limits(lost, facts)) == []
    assert [place for place, _message in question().remarks(lost, facts)] == ["[0].end"]
    assert list(question().limits([span(3, 10, "rains.!")], facts))


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        ("goes", "errors"),
        ({"field": "target"}, "errors"),
        (["goes"], "errors[0]"),
        ([span(start="3")], "errors[0].start"),
        ([span(end=True)], "errors[0].end"),
        ([span(text=3)], "errors[0].text"),
        ([span(), span(severity=["Minor"])], "errors[1].severity"),
        ([span(note="x" * 4001)], "errors[0].note"),
        ([span()] * 10_001, "errors"),
    ],
)
def test_an_answer_of_another_shape_is_refused_by_name(kind: Kind, answer: Any, path: str) -> None:
    with pytest.raises(BadShape) as bad:
        kind.read_draft({"errors": answer})
    assert [finding.path for finding in bad.value.findings] == [path]


def test_ten_thousand_wrong_spans_are_answered_with_a_few_sentences(kind: Kind) -> None:
    assert len(problems(kind, *[span(label="x")] * 10_000)) == 20


def test_an_empty_list_is_an_answer_and_nothing_is_none(kind: Kind) -> None:
    assert problems(kind) == []
    facts = kind.read_facts(FACTS)
    missing = kind.problems(facts, kind.read_draft({"errors": None}), LenientOptions())
    assert [(finding.source, finding.message) for finding in missing] == [
        ("blank", "mark the spans, or say that there is none.")
    ]
    assert (kind.shown("errors", []), kind.shown("errors", None)) == ("No error", "")


def test_spans_are_stored_by_field_start_and_end(kind: Kind) -> None:
    late, early, other = span(11, 16, "👨‍👩‍👧"), span(0, 2, "We"), span(0, 2, "我们", field="source")
    draft = kind.read_draft({"errors": [other, late, span(), early]}).stored()
    assert [(part["field"], part["start"]) for part in draft["errors"]] == [
        ("target", 0),
        ("target", 3),
        ("target", 11),
        ("source", 0),
    ]


def test_the_form_posts_json(kind: Kind) -> None:
    facts = kind.read_facts(FACTS)
    for answer in ([], [span()], None):
        posted = QueryDict(mutable=True)
        posted["q-errors"] = "" if answer is None else json.dumps(answer)
        assert kind.read_form(posted, facts) == {"errors": answer}


@pytest.mark.parametrize("typed", ["nonsense", "[" * 5000, "[NaN]", '["\\u0000"]', '["\\ud800"]'])
def test_nonsense_in_a_form_is_no_error(kind: Kind, typed: str) -> None:
    posted = QueryDict(mutable=True)
    posted["q-errors"] = typed
    draft = kind.read_form(posted, kind.read_facts(FACTS))
    assert draft == {"errors": typed}
    with pytest.raises(BadShape):
        kind.read_draft(draft)


def test_spans_say_the_same_in_any_order_and_whatever_their_notes() -> None:
    field = question().as_field()
    two = [span(), span(0, 2, "We")]
    assert agree_in(field, [{"errors": two}, {"errors": [two[1], {**two[0], "note": "x"}]}])
    assert not agree_in(field, [{"errors": two}, {"errors": [two[0]]}])
    assert not agree_in(field, [{"errors": [span()]}, {"errors": [span(severity="Major")]}])


def test_a_span_is_read_in_a_line(kind: Kind) -> None:
    spans = [span(note="third person"), span(0, 2, "We", label="Other")]
    assert kind.shown("errors", spans).splitlines() == [
        "target 3–7 “goes” · Fluency/Grammar · Minor · third person",
        "target 0–2 “We” · Other · Minor",
    ]


@pytest.mark.parametrize(
    ("condition", "spans", "asked"),
    [
        ("answered", [span()], True),
        ("answered", [], True),
        ("answered", None, False),
        ("Fluency", [span()], True),
        ("Fluency/Grammar", [span()], True),
        ("Accuracy", [span()], False),
        ("not Accuracy", [span()], True),
        ("not Accuracy", [], True),
        ("[Accuracy, Other]", [span(label="Other")], True),
    ],
)
def test_conditions_are_on_labels_and_categories(condition: str, spans: Any, asked: bool) -> None:
    definition = read_definition(f"{DEFINITION}  - {{name: why, type: text, when: {{errors: {condition}}}}}\n")
    assert [question.name for question in definition.asked({"errors": spans})][1:] == ["why"] * asked


def test_a_version_counts_spans_of_a_column_that_it_no_longer_asks_about_as_not_allowed() -> None:
    narrower = question(DEFINITION.replace("on: [target, source]", "on: [target]"))
    assert question().fits([span(0, 2, "我们", field="source", label="Other")])
    assert not narrower.fits([span(0, 2, "我们", field="source", label="Other")])
    assert narrower.fits([])


def test_renamed_labels_and_categories_are_read_under_their_new_names() -> None:
    newer = DEFINITION.replace("Fluency: [Grammar], Other: []", "Style: [Grammar], Anything: []")
    versions = Versions.read([DEFINITION, f"{newer}    was: {{Fluency: Style, Other: Anything}}\n"])
    stored = {"errors": [span(), span(0, 2, "We", label="Other")]}
    assert [part["label"] for part in versions.upgraded(stored, 1)["errors"]] == ["Style/Grammar", "Anything"]
    assert versions.upgraded({"errors": []}, 1) == {"errors": []}


# --- a model's quotes -----------------------------------------------------------------------------------------------
def quote(text: str, **changes: Any) -> dict[str, Any]:
    return {"quote": text, "field": "target", "label": "Fluency/Grammar", "severity": "Minor", **changes}


def test_quotes_become_spans() -> None:
    answer = [
        quote("cafe\u0301", occurrence=2),
        quote("goes", field=""),
        quote("学校", field="source", occurrence=None),
    ]
    spans, doubts = question().from_model(answer, FACTS)
    assert doubts == []
    assert [(part["field"], part["start"], part["end"], part["text"]) for part in spans] == [
        ("target", 3, 7, "goes"),
        ("target", 28, 33, "cafe\u0301"),
        ("source", 3, 5, "学校"),
    ]


def test_a_quote_that_has_other_white_space_is_found() -> None:
    (found,), doubts = question().from_model([quote("and cafe\u0301.")], FACTS)
    assert (found["text"], list(doubts)) == ("and\r\ncafe\u0301.", [])


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (quote("went"), "which is not in the text"),
        (quote("cafe\u0301"), "which is in the text %(n)d times"),
        (quote("cafe"), "which is not in the text"),  # a letter without its accent is another letter
        (quote("cafe\u0301", occurrence=3), "which is in the text %(n)d times"),
        (quote(" "), "which is not allowed here"),
        (quote("goes", label="Style"), "which is not allowed here"),
        ("goes", "which is not allowed here"),
    ],
)
def test_a_quote_without_one_place_is_left_out_with_a_doubt(part: Any, message: str) -> None:
    spans, doubts = question().from_model([part, quote("We")], FACTS)
    assert [found["text"] for found in spans] == ["We"]
    ((said, values),) = doubts
    assert message in said
    assert said % values
    assert question().from_model([part], FACTS)[0] is None


def test_a_model_marks_by_quoting_and_every_quote_without_a_place_is_a_doubt(kind: Kind) -> None:
    reply = {"errors": [quote("goes"), quote("went"), quote("cafe\u0301")]}

    async def ask(asked: Question, /) -> Reply:
        assert asked.answer is not None
        span = asked.answer.model_json_schema()["properties"]["errors"]["items"]
        assert span["properties"]["severity"]["enum"] == ["Minor", "Major"]
        assert "`quote`" in asked.messages[1]["content"]
        return Reply(json.dumps(reply), asked.answer.model_validate(reply))

    facts = kind.read_facts(FACTS)
    suggestion = run(kind.preannotate(facts, LenientOptions(), shipped("form"), ask, language="en"))
    assert suggestion.draft == {"errors": [span()]}
    assert [(doubt.path, doubt.source) for doubt in suggestion.doubts] == [("errors", "model")] * 2
    reply = {"errors": []}
    suggestion = run(kind.preannotate(facts, LenientOptions(), shipped("form"), ask, language="en"))
    assert (suggestion.draft, suggestion.doubts) == ({"errors": []}, [])


def test_a_model_that_finds_nothing_says_that_there_is_none() -> None:
    assert question().from_model([], FACTS) == ([], [])
