import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, RootModel

from annotate.engine.replies import Unread, parse_reply, without_thoughts
from annotate.kinds.protocol import Cause, Question


class Point(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    question: str
    weight: float


class Points(RootModel[list[Point]]):
    pass


GOOD = '{"question": "Is it so?", "weight": 0.5}'
POINT = Point(question="Is it so?", weight=0.5)


def asking(shape: Any = Point) -> Question:
    return Question("step", [{"role": "user", "content": "?"}], shape)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n\n  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"Here you are:\n```json\n{GOOD}\n```\nShall I go on?",
        f"Sure! {GOOD} I hope that helps {{by the way}}.",
        '{"question": "Is it so?", "weight": 0.5,}',
        'Well: {"question": "Is it so?", "weight": 0.5 , }!',
        f"{GOOD}\n{GOOD}",
        json.dumps(GOOD),
        f"<think>Perhaps {{\"question\": \"No?\", \"weight\": 1.0}} or not</think>\n{GOOD}",
        f"[note] {GOOD}",
    ],
)  # fmt: skip
def test_what_stands_around_an_object_is_read_over(text: str) -> None:
    assert parse_reply(asking(), text) == POINT


def test_commas_inside_texts_stay() -> None:
    text = '{"question": "a, ] and ,} and \\", }", "weight": 1.0,}'
    assert parse_reply(asking(), text).question == 'a, ] and ,} and ", }'


def test_line_breaks_inside_texts_are_read() -> None:
    assert parse_reply(asking(), '{"question": "one\ntwo", "weight": 1.0}').question == "one\ntwo"


def test_an_array_is_read_where_one_is_wanted() -> None:
    assert parse_reply(asking(Points), f"These: [{GOOD}, {GOOD},]").root == [POINT, POINT]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", Cause.EMPTY),
        (" \n\t", Cause.EMPTY),
        ("<think>What was it?</think>  ", Cause.EMPTY),
        ("I would rather not.", Cause.NOT_JSON),
        ('{"question": "Is it so?", "weight": 0.', Cause.NOT_JSON),
        ('{"question": "Is it so?", "weight": NaN}', Cause.NOT_JSON),
        ('{"question": "Is it so?", "weight": -Infinity}', Cause.NOT_JSON),
        ('{"question": "Is it so?", "weight": 1e999}', Cause.NOT_JSON),
        ("{" * 100_000, Cause.NOT_JSON),
        ("[" * 100_000, Cause.NOT_JSON),
        ('{"a":' * 100_000, Cause.NOT_JSON),
        ('{"question": "Is it so?", "weight": ' + "9" * 5000 + "}", Cause.NOT_JSON),
        ("{}", Cause.WRONG_SHAPE),
        ('{"question": 1, "weight": 0.5}', Cause.WRONG_SHAPE),
        ('{"question": "Is it so?", "weight": "0.5"}', Cause.WRONG_SHAPE),
        ('{"question": "Is it so?", "weight": 0.5, "also": 1}', Cause.WRONG_SHAPE),
        (f"[{GOOD}]", Cause.WRONG_SHAPE),
        (f'{GOOD} or {{"question": "Or so?", "weight": 0.5}}', Cause.WRONG_SHAPE),
    ],
)
def test_what_cannot_be_read_says_why(text: str, cause: Cause) -> None:
    with pytest.raises(Unread) as unread:
        parse_reply(asking(), text)
    assert unread.value.cause == cause
    assert 5 < len(unread.value.detail) < 600


def test_a_wrong_shape_names_the_place() -> None:
    with pytest.raises(Unread, match=r"^1\.weight: Input should be a valid number \(and 1 more\)$"):
        parse_reply(asking(Points), f'[{GOOD}, {{"question": 5, "weight": "heavy"}}]'.replace("5, ", '"x", "y": 1, '))


def test_what_a_database_cannot_hold_is_replaced_inside_values_too() -> None:
    question = parse_reply(asking(), '{"question": "a\\u0000b\\ud800c", "weight": 1.0}').question
    assert question == "a\ufffdb?c"


def test_plain_text_is_not_looked_into() -> None:
    assert parse_reply(asking(None), "{ no JSON") is None
    assert without_thoughts("<thinking>Hm.\n</thinking>\n Yes. ") == "Yes."


STORABLE = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=50)


@given(st.text(max_size=300))
def test_any_text_without_such_an_object_is_refused(text: str) -> None:
    with pytest.raises(Unread) as unread:
        parse_reply(asking(), text)
    assert unread.value.cause in (Cause.EMPTY, Cause.NOT_JSON, Cause.WRONG_SHAPE)


@given(STORABLE, st.floats(allow_nan=False, allow_infinity=False), st.text(alphabet="ab \n.:", max_size=40))
def test_an_object_among_words_is_the_object(question: str, weight: float, around: str) -> None:
    point = {"question": question, "weight": weight}
    for ensure_ascii in (True, False):
        text = around + json.dumps(point, ensure_ascii=ensure_ascii) + around
        assert parse_reply(asking(), text) == Point.model_validate_json(json.dumps(point))


class Inner(BaseModel):
    question: str


class Outer(BaseModel):
    first: Inner
    second: Inner


def test_a_comma_too_many_around_objects_is_read_over_as_well() -> None:
    text = 'Here: {"first": {"question": "a,"}, "second": {"question": "b, }"},}. Anything else?'
    found = parse_reply(Question("s", [], Outer), text)
    assert (found.first.question, found.second.question) == ("a,", "b, }")


def test_what_is_nested_too_deeply_is_another_shape() -> None:
    for depth in (100, 900, 100_000):
        with pytest.raises(Unread):
            parse_reply(Question("s", [], Outer), '{"a":' * depth + "1" + "}" * depth)
