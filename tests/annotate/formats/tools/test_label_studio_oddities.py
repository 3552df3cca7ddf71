"""Parts of Label Studio's configurations that have no exact counterpart: each is named, and the rest is converted."""

import pytest

from annotate.formats.tools.label_studio_reading import from_label_studio
from annotate.formats.tools.leftovers import Conversion
from annotate.kinds.questions.definition import MOST_SHOWN, Definition, read_definition

KEPT = '<TextArea name="kept" toName="t" maxSubmissions="1"/>'
SPANS = '<Labels name="marks" toName="t"><Label value="Wrong"/></Labels>'


def read(inner: str) -> tuple[Definition, Conversion]:
    conversion = from_label_studio(f'<View><Text name="t" value="$a"/>{inner}</View>')
    return read_definition(conversion.text), conversion


def messages(conversion: Conversion, place: str) -> list[str]:
    return [leftover.message for leftover in conversion.leftovers if leftover.place == place]


def test_choices_in_boxes_and_under_headers_are_all_read() -> None:
    definition, conversion = read(
        '<Choices name="q" toName="t"><View><Choice value="x"/></View><Header value="Which?"/>'
        '<Choice value="y"/><Image name="i" value="$i"/></Choices>'
    )
    assert definition == read_definition(
        "show: [{field: a, as: text}]\nquestions: [{name: q, type: choice, ask: Which?, "
        "options: [x, 'y'], required: false}]"
    )
    assert messages(conversion, "image i") == ["this tag has no counterpart."]


@pytest.mark.parametrize(
    ("inner", "place", "said"),
    [
        ('<TextArea name="q" toName="t" value="Dear" maxSubmissions="1"/>', "textarea q", "the text that it begins"),
        (
            '<Image name="i" value="$i"/><Labels name="q" toName="i"><Label value="x"/></Labels>',
            "labels q",
            "marks what cannot be shown here as a text.",
        ),
        ('<Labels name="q" toName="t" choice="multiple"><Label value="x"/></Labels>', "labels q", "several labels"),
        ('<Choices name="q" toName="t" perRegion="true"><Choice value="x"/></Choices>', "choices q", "no question"),
        (f'{SPANS}<Number name="n" toName="t" perRegion="true"/>', "number n", "have choices and one note here"),
        ('<Text name="u" value="Read this"/>', "text u", "shows no column of the task"),
        ('<Text name="u" value="$b" valueType="url"/>', "text u", "is never fetched"),
        ('<Text name="u" value="$b.c"/>', "text u", "--map 'b.c=b.c'"),
    ],
)
def test_what_has_no_counterpart_is_named_with_its_reason(inner: str, place: str, said: str) -> None:
    definition, conversion = read(KEPT + inner)
    assert "kept" in definition.by_name
    assert [message for message in messages(conversion, place) if said in message], conversion.leftovers


def test_a_note_about_marks_that_two_questions_could_have_is_left_out() -> None:
    other = SPANS.replace("marks", "others").replace("Wrong", "Good")
    definition, conversion = read(f'{SPANS}{other}<TextArea name="why" toName="t" perRegion="true"/>')
    assert [*definition.by_name] == ["marks", "others"]
    assert any("several questions mark this text" in message for message in messages(conversion, "textarea why"))


def test_stars_of_marks_become_choices_of_so_many_steps() -> None:
    definition, conversion = read(f'{SPANS}<Rating name="bad" toName="t" perRegion="true" maxRating="3"/>')
    assert (
        definition.by_name["marks"]
        == read_definition(
            "show: [{field: a}]\nquestions: [{name: marks, type: spans, on: [a], labels: [Wrong], required: false, "
            "attributes: {bad: ['1', '2', '3']}}]"
        ).by_name["marks"]
    )
    assert any("need not be answered for each mark" in message for message in messages(conversion, "rating bad"))


def test_several_values_of_a_mark_and_other_values_for_another_text_are_named() -> None:
    question = '<Choices name="why" toName="{to}" perRegion="true" choice="multiple" required="true">{values}</Choices>'
    first = question.format(to="t", values='<Choice value="x"/><Choice value="y"/>')
    second = question.format(to="u", values='<Choice value="x"/><Choice value="z"/>').replace("why", "why__2")
    spans = SPANS + SPANS.replace("marks", "marks__2").replace('"t"', '"u"')
    definition, conversion = read(f'<Text name="u" value="$b"/>{spans}{first}{second}')
    assert [*definition.by_name] == ["marks"]
    assert any("several values may be chosen" in message for message in messages(conversion, "choices why"))
    assert any("offers other values" in message for message in messages(conversion, "choices why__2"))


def test_whole_numbers_with_a_gap_are_choices_and_no_scale() -> None:
    steps = "".join(f'<Choice value="{step}"/>' for step in (1, 2, 4))
    definition, _conversion = read(f'<Choices name="q" toName="t" choice="single-radio">{steps}</Choices>')
    assert type(definition.by_name["q"]).__name__ == "Choice"


def test_one_column_more_than_are_shown_is_named() -> None:
    texts = "".join(f'<Text name="t{n}" value="$column{n}"/>' for n in range(MOST_SHOWN))
    definition, conversion = read(texts + KEPT)
    assert len(definition.show) == MOST_SHOWN
    [message] = messages(conversion, f"text t{MOST_SHOWN - 1}")
    assert f"at most {MOST_SHOWN} are shown" in message


def test_a_column_under_a_condition_is_always_shown_and_that_is_said() -> None:
    definition, conversion = read(
        '<Choices name="q" toName="t"><Choice value="x"/><Choice value="y"/></Choices>'
        '<View visibleWhen="choice-selected" whenTagName="q" whenChoiceValue="x"><Text name="u" value="$b"/></View>'
    )
    assert [shown.field for shown in definition.show] == ["a", "b"]
    assert messages(conversion, "text u") == ["is shown under a condition; here a column is always shown."]


@pytest.mark.parametrize(
    ("keys", "shown_as"),
    [
        ('nameKey="role" textKey="content"', "chat"),
        ('nameKey="title" textKey="text"', "texts"),
        ('nameKey="who" textKey="what"', "table"),
    ],
)
def test_paragraphs_are_shown_by_the_names_of_their_parts(keys: str, shown_as: str) -> None:
    definition, _conversion = read(f'<Paragraphs name="p" value="$log" {keys}/>{KEPT}')
    assert [(shown.field, shown.shown_as) for shown in definition.show] == [("a", "text"), ("log", shown_as)]


def test_messages_that_only_a_repeater_names_are_shown_as_a_transcript() -> None:
    definition, conversion = read(
        '<Repeater on="$log"><Text name="u_{{idx}}" value="$log[{{idx}}].content"/>'
        '<Choices name="good_{{idx}}" toName="u_{{idx}}"><Choice value="y"/><Choice value="n"/></Choices></Repeater>'
    )
    assert [(shown.field, shown.shown_as) for shown in definition.show] == [("a", "text"), ("log", "chat")]
    assert [*definition.by_name] == ["good"]
    assert not [leftover for leftover in conversion.leftovers if leftover.sort == "missing"]
