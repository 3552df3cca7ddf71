"""Definitions from Label Studio's labelling configurations and to them: what comes back, and what is named."""

from pathlib import Path

import pytest

from annotate.formats.tools.label_studio_reading import from_label_studio
from annotate.formats.tools.label_studio_writing import to_label_studio
from annotate.formats.tools.leftovers import BadConversion, Conversion
from annotate.kinds.questions.definition import Definition, read_definition
from lib.texts.xml_reading import read_xml

FIXTURE = Path(__file__).parents[4] / "fixtures" / "tools" / "label_studio.xml"
SHOW = "show: [{field: a, as: text}, {field: b, as: text}, {field: log, as: chat}]\nquestions:\n"
LABELS = "".join(f'<Label value="{n}"/>' for n in range(10_000))
COUNTERPARTS = [
    '{name: q, type: rating, scale: {"1": null, "7": null}}',
    '{name: q, type: rating, ask: How?, help: Truly, scale: {"1": unreadable, "3": "<fair> & \\"so\\"", "5": native}}',
    '{name: q, type: rating, scale: {"-2": null, "0": neutral, "2": null}, required: false}',
    '{name: q, type: choice, options: ["yes", {value: "no", text: "no, it is not", about: "why\\nnot"}, "1"]}',
    "{name: q, type: choice, options: ['1', '2', '3'], required: false}",
    "{name: q, type: choices, options: [news, 代码, health], required: false}",
    "{name: q, type: pair, of: [a, b]}",
    "{name: q, type: pair, of: [b, a], scale: strength, required: false, ask: Which?}",
    "{name: q, type: ranking, of: [b, a], ask: Order them}",
    "{name: q, type: text, start: a, rows: 7}",
    "{name: q, type: text, required: false}",
    '{name: q, type: number, min: "0", max: "10", step: "0.01", required: false}',
    "{name: q, type: spans, on: [a], labels: [Person, Place]}",
    "{name: q, type: spans, on: [b, a], labels: {A: [Wrong, Made up], Style: []}, attributes: {s: [x, y], t: ['yes']}}",
    "{name: q, type: spans, on: [b], labels: [x/y, z, x/w], required: false, none: No error}",
]


def definition(*questions: str) -> Definition:
    return read_definition(SHOW + "".join(f"  - {question}\n" for question in questions))


def there_and_back(given: Definition) -> Definition:
    return read_definition(from_label_studio(to_label_studio(given).text).text)


def leftovers(conversion: Conversion, sort: str) -> list[str]:
    return [leftover.place for leftover in conversion.leftovers if leftover.sort == sort]


def config(inner: str) -> str:
    return f'<View><Text name="t" value="$a"/>{inner}</View>'


# --- to Label Studio and back ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("question", COUNTERPARTS)
def test_a_question_with_a_counterpart_comes_back_equal(question: str) -> None:
    given = definition(question)
    written = to_label_studio(given)
    assert written.is_whole, written.leftovers
    assert there_and_back(given) == given


def test_conditions_on_choices_come_back_equal() -> None:
    given = definition(
        '{name: grade, type: rating, scale: {"1": bad, "3": good}}',
        "{name: safe, type: choice, options: ['yes', 'no', {value: x, text: 'cannot tell, or both'}]}",
        "{name: why, type: text, when: {safe: [x, 'no'], grade: ['1', '2']}}",
        "{name: other, type: text, when: {safe: not yes}}",
        "{name: last, type: number, when: {safe: answered}}",
        "{name: marks, type: spans, on: [a], labels: [x], when: {safe: 'no'}}",
    )
    assert to_label_studio(given).is_whole
    assert there_and_back(given) == given


def test_names_are_unique_and_every_target_is_there() -> None:
    """Label Studio refuses a configuration otherwise."""
    questions = [question.replace("name: q", f"name: q{n}") for n, question in enumerate(COUNTERPARTS)]
    elements = list(read_xml(to_label_studio(definition(*questions)).text).walk())
    names = [element.get("name") for element in elements if element.get("name")]
    assert len(names) == len(set(names))
    targets = {target for element in elements for target in element.get("toname").split(",") if target}
    assert targets <= set(names)


def test_what_label_studio_does_not_have_is_named() -> None:
    given = read_definition(
        """
show:
  - {field: a, as: markdown, optional: true, title: {en: Text, zh: 文本}}
  - {field: log, as: chat}
questions:
  - {name: steps, type: choice, options: [right, wrong], on_each: turns, of: log}
  - {name: first, type: step, of: log}
  - {name: rubric, type: rubric, from: rubric}
  - {name: topics, type: choices, options: [x, y], most: 1}
  - {name: grade, type: rating, scale: {"1": null, "5": null}}
  - {name: price, type: number, unit: euros, when: {grade: at least 2}}
  - {name: fixed, type: text, compare: a, most: 100}
  - {name: marks, type: spans, on: [a], labels: [x], others: true}
unit: doc
scores: {n: {sum: marks, rules: [{points: 1}]}}
"""
    )
    written = to_label_studio(given)
    assert leftovers(written, "missing") == [
        *["first", "rubric", "topics", "price", "price", "fixed", "fixed", "zh", "scores.n", "unit"]
    ]
    assert leftovers(written, "changed") == ["a", "a", "steps", "marks"]


def test_texts_are_written_in_the_chosen_language() -> None:
    given = definition(
        "{name: q, type: choice, ask: {en: Safe?, zh: 安全吗？}, options: [x, {value: y, text: {zh: 是}}]}"
    )
    written = to_label_studio(given, language="zh")
    assert 'value="安全吗？"' in written.text
    assert leftovers(written, "missing") == ["en"]


def test_a_definition_without_a_counterpart_is_refused() -> None:
    with pytest.raises(BadConversion, match="no question has a counterpart") as bad:
        to_label_studio(definition("{name: q, type: step, of: log}"))
    assert [leftover.place for leftover in bad.value.leftovers] == ["q"]


# --- from Label Studio ------------------------------------------------------------------------------------------------
def test_a_configuration_that_people_wrote() -> None:
    read = from_label_studio(FIXTURE.read_text(encoding="utf-8"))
    assert read_definition(read.text) == read_definition("""
show:
  - {field: reply, as: text, title: Read the reply}
questions:
  - name: entity
    type: spans
    on: [reply]
    labels: [Person, LOC]
    attributes: {sure: [Certain, Guessed]}
    required: false
  - name: tone
    type: choice
    ask: How does it sound?
    options: [Friendly, {value: Cold, about: Short and without a greeting}, {value: hostile, text: Hostile}]
  - {name: why, type: text, rows: 2, required: false, when: {tone: [Cold, hostile]}}
  - {name: topic, type: choices, options: [Travel/Trains, Travel/Hotels, Food], required: false}
  - {name: stars, type: rating, scale: {"1": null, "4": null}, required: false}
""")
    assert [(leftover.line, leftover.place) for leftover in read.leftovers if leftover.sort == "missing"] == [
        (7, "video photo"),
        (17, "rectanglelabels box"),
        (22, "choice Hostile"),
        (32, "datetime when"),
        (33, "header Thank you"),
    ]
    assert leftovers(read, "changed") == ["label Place", "choices sure", "textarea why", "taxonomy topic"]
    [look] = [leftover.message for leftover in read.leftovers if leftover.sort == "look"]
    assert "<style> (1)" in look
    assert "hotkey (2)" in look


@pytest.mark.parametrize(
    ("inner", "question"),
    [
        ('<Choices name="key" toName="t"><Choice value="x"/><Choice value="y"/></Choices>', "key_"),
        ('<Choices name="my choice!" toName="t"><Choice value="x"/><Choice value="y"/></Choices>', "my_choice_"),
        ('<Choices name="__proto__" toName="t"><Choice value="x"/><Choice value="y"/></Choices>', "__proto__"),
        ('<Choices name="a" toName="t"><Choice value="x"/><Choice value="y"/></Choices>', "a_"),
        ('<Number name="7th" toName="t"/>', "q_7th"),
    ],
)
def test_names_that_no_question_can_have_are_changed(inner: str, question: str) -> None:
    assert list(read_definition(from_label_studio(config(inner)).text).by_name) == [question]


@pytest.mark.parametrize(
    ("inner", "place", "said"),
    [
        (f'<Labels name="q" toName="t">{LABELS}</Labels>', "q", "200"),
        ('<Choices name="q" toName="t"><Choice value="x"/></Choices>', "q", "too few entries"),
        ('<Choices name="q" toName="t"><Choice value="x"/><Choice value="x"/></Choices>', "q", "occurs twice"),
        ('<Choices name="q" toName="t"><Choice value="x&#x202E;y"/><Choice value="z"/></Choices>', "q", "U+202E"),
        ('<Choices name="q" toName="t" value="$options"/>', "choices q", "stand in the tasks"),
        ('<Rating name="q" toName="t" maxRating="99999"/>', "q", "at most 21"),
        ('<Number name="q" toName="t" min="many"/>', "q", ""),
        ('<Pairwise name="q" toName="t,nowhere"/>', "q", "nowhere"),
        ('<Ranker name="q" toName="t"/>', "ranker q", "ranks the entries of a list"),
        ('<Repeater on="$a"><Text name="x" value="$b"/></Repeater>', "repeater", "repeats tags"),
        ('<Choices name="q" toName="t" visibleWhen="choice-selected" whenTagName="no"><Choice value="x"/></Choices>',
         "choices q", "choice-selected no"),
        ("<script>alert(1)</script>", "script", "no counterpart"),
    ],
)  # fmt: skip
def test_what_no_definition_can_have_is_named_and_the_rest_converted(inner: str, place: str, said: str) -> None:
    read = from_label_studio(config(f'<TextArea name="kept" toName="t" maxSubmissions="1"/>{inner}'))
    assert list(read_definition(read.text).by_name) == ["kept"]
    assert [leftover for leftover in read.leftovers if leftover.place == place and said in leftover.message]


def test_thousands_of_tags_are_refused_or_named_and_none_is_lost() -> None:
    read = from_label_studio(config("".join(f'<Number name="n{n}" toName="t"/>' for n in range(9000))))
    assert len(read_definition(read.text).questions) == 300
    assert len(read.leftovers) == 501
    assert "8200 more" in read.leftovers[-1].message


def test_a_page_marked_in_its_tags_is_named() -> None:
    read = from_label_studio(
        '<View><HyperText name="t" value="$page"/>'
        '<HyperTextLabels name="q" toName="t"><Label value="x"/></HyperTextLabels></View>'
    )
    assert leftovers(read, "changed") == ["hypertext t", "hypertextlabels q"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<View/>", "no column can be shown"),
        ('<View><Video name="i" value="$x"/><Number name="n" toName="i"/></View>', "no column can be shown"),
        (config(""), "no question has a counterpart"),
        ("show: []", "line 1: This is not XML"),
        ("<View>\n<!DOCTYPE x></View>", "line 2: "),
    ],
)
def test_a_configuration_of_which_nothing_is_left_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadConversion, match=said):
        from_label_studio(text)


# --- turns and images -------------------------------------------------------------------------------------------------
TURNS = """
show: [{field: log, as: chat}]
questions:
  - {name: steps, type: choice, ask: Is it right?, options: [right, wrong], on_each: turns, of: log}
  - {name: grade, type: rating, scale: {"1": null, "3": null}, on_each: turns, of: log, required: false}
"""
EVERY_ROLE = ["system", "developer", "user", "assistant", "tool"]


def test_questions_about_turns_are_repeated_for_each_message() -> None:
    written = to_label_studio(read_definition(TURNS))
    assert '<Repeater on="$log" indexFlag="{{idx}}">' in written.text
    assert '<Choices name="steps__turn_{{idx}}" toName="steps__text_{{idx}}" choice="single">' in written.text
    assert leftovers(written, "changed") == ["steps", "grade"]
    read = from_label_studio(written.text)
    again = read_definition(TURNS.replace("of: log", f"of: log, roles: {EVERY_ROLE}, required: false", 1).replace(
        "of: log, required", f"of: log, roles: {EVERY_ROLE}, required"))  # fmt: skip
    assert read_definition(read.text) == again
    assert leftovers(read, "missing") == []
    assert leftovers(read, "changed") == ["choices steps", "rating grade"]  # the roles


def test_a_repeated_question_of_other_people_is_asked_of_every_turn() -> None:
    read = from_label_studio("""<View><Chat name="c" value="$log"/><Repeater on="$log" mode="pagination">
      <View><Text name="u_{{idx}}" value="$log[{{idx}}].content"/><Header value="Good?"/>
      <Choices name="good_{{idx}}" toName="u_{{idx}}" required="true"><Choice value="y"/><Choice value="n"/></Choices>
      <TextArea name="why_{{idx}}" toName="u_{{idx}}"/><DateTime name="when_{{idx}}" toName="u_{{idx}}"/></View>
    </Repeater></View>""")
    assert read_definition(read.text) == read_definition(
        "show: [{field: log, as: chat}]\nquestions: [{name: good, type: choice, ask: Good?, options: [y, n], "
        f"on_each: turns, of: log, roles: {EVERY_ROLE}}}]"
    )
    assert leftovers(read, "missing") == ["textarea why", "datetime when_{{idx}}"]


def test_controls_of_messages_in_a_chat_are_asked_of_turns_by_their_role() -> None:
    read = from_label_studio("""<View><Chat name="c" value="$log"/>
      <View visibleWhen="region-selected" whenRole="assistant"><Rating name="r" toName="c" perRegion="true"/></View>
    </View>""")
    assert read_definition(read.text) == read_definition(
        "show: [{field: log, as: chat}]\nquestions: [{name: r, type: rating, scale: {'1': null, '5': null}, "
        "on_each: turns, of: log, roles: [assistant], required: false}]"
    )
    assert read.is_whole


def test_an_image_is_a_stored_file() -> None:
    given = read_definition(
        "show: [{field: cat, as: image, alt: words}]\nquestions: [{name: q, type: choice, options: [x, y]}]"
    )
    written = to_label_studio(given)
    assert '<Image name="cat" value="$cat"/>' in written.text
    assert '<Text name="words" value="$words"/>' in written.text
    assert leftovers(written, "changed") == ["cat", "words"]
    read = from_label_studio(written.text)
    assert [(shown.field, shown.shown_as) for shown in read_definition(read.text).show] == [
        ("cat", "image"), ("words", "text")
    ]  # fmt: skip
    assert leftovers(read, "changed") == ["image cat"]
    several = from_label_studio(config('<Image name="i" valueList="$all"/><Number name="n" toName="t"/>'))
    assert leftovers(several, "missing") == ["image i"]
