"""Transcripts as turns: the shapes of OpenAI and of OpenTelemetry, places of faults, and what a page shows of them."""

import json
from dataclasses import replace
from typing import Any

import pytest

from annotate.kinds import find_kind
from annotate.kinds.form.chat import MOST_CHARACTERS, MOST_IMAGES, MOST_RENDERED, shown_turns
from annotate.kinds.questions.transcripts import (
    ToolCall,
    Turn,
    images_in,
    numbered,
    transcript_faults,
    turn_id,
    turns_of,
    with_parts,
    with_titles,
)
from annotate.kinds.values import BadShape

CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q": "trains"}'}}
OPENAI: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "name": "Ann", "content": [{"type": "text", "text": "When does it leave?"}]},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"error": "timeout"}'},
    {"role": "assistant", "content": "I do not know."},
]
TURNS = [
    Turn("system", text="Be brief."),
    Turn("user", "Ann", "When does it leave?"),
    Turn("assistant", calls=[ToolCall("search", '{"q": "trains"}', "c1")]),
    Turn("tool", text='{"error": "timeout"}', answers="c1", failed=True),
    Turn("assistant", text="I do not know."),
]
PARTS: list[dict[str, Any]] = [
    {"role": "user", "parts": [{"type": "text", "content": "When does it leave?"}]},
    {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c1", "name": "search", "arguments": {"q": "trains"}}],
        "finish_reason": "tool_call",
    },
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "At noon."}]},
    {"role": "assistant", "parts": [{"type": "text", "content": "At noon."}]},
]


def plain(turns: list[Turn]) -> list[Turn]:
    """Lists of calls and files as lists, so that they compare."""
    return [replace(turn, calls=list(turn.calls), attachments=list(turn.attachments)) for turn in turns]


def test_messages_of_openai_are_turns_also_as_the_text_of_a_cell() -> None:
    assert plain(turns_of(OPENAI)) == plain(TURNS)
    assert turns_of(json.dumps(OPENAI)) == turns_of(OPENAI)
    assert list(transcript_faults(OPENAI)) == []


def test_messages_with_parts_are_turns() -> None:
    turns = turns_of(PARTS)
    assert [turn.role for turn in turns] == ["user", "assistant", "tool", "assistant"]
    assert json.loads(turns[1].calls[0].arguments) == {"q": "trains"}
    assert (turns[2].text, turns[2].answers, turns[2].failed) == ("At noon.", "c1", False)


def otlp(attributes: dict[str, str]) -> list[dict[str, Any]]:
    return [{"key": name, "value": {"stringValue": value}} for name, value in attributes.items()]


@pytest.mark.parametrize("written", [dict, otlp])
def test_spans_repeat_what_was_said_and_it_is_taken_once(written: Any) -> None:
    first = {"gen_ai.input.messages": json.dumps(PARTS[:1]), "gen_ai.output.messages": json.dumps(PARTS[1:2])}
    tool = {"gen_ai.tool.name": "search", "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": '"At noon."'}
    second = {"gen_ai.input.messages": json.dumps(PARTS[:3]), "gen_ai.output.messages": json.dumps(PARTS[3:])}
    spans = [{"name": "a span", "attributes": written(attributes)} for attributes in (first, tool, second)]
    turns = turns_of(spans)
    assert [turn.role for turn in turns] == ["user", "assistant", "tool", "assistant"]
    assert turns[3].text == "At noon."
    failed = turns_of([{"attributes": written(tool | {"error.type": "timeout"})}])
    assert [(turn.role, turn.name, turn.failed) for turn in failed] == [("tool", "search", True)]


def test_images_are_named_and_their_addresses_are_nowhere() -> None:
    parts = [
        {"type": "image_url", "image_url": {"url": "https://example.org/a/map.png?token=1"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    (turn,) = turns_of([{"role": "user", "content": parts}])
    assert ([(file.name, file.file) for file in turn.attachments], turn.text) == (
        [("map.png", ""), ("image/png", "")],
        "",
    )


@pytest.mark.parametrize(
    ("part", "name", "file", "is_image"),
    [
        ({"type": "image_url", "image_url": {"url": "./shots/one.png"}}, "shots/one.png", "shots/one.png", True),
        ({"type": "image_url", "image_url": "one.PNG"}, "one.PNG", "one.PNG", True),
        ({"type": "image", "image": "one.webp"}, "one.webp", "one.webp", True),
        ({"type": "input_image", "image_url": "one.jpg"}, "one.jpg", "one.jpg", True),
        ({"type": "image", "source": {"type": "url", "url": "one.gif"}}, "one.gif", "one.gif", True),
        ({"type": "uri", "modality": "image", "uri": "one.png"}, "one.png", "one.png", True),
        ({"type": "file", "modality": "image", "file_id": "a/one.png"}, "a/one.png", "a/one.png", True),
        ({"type": "file", "mime_type": "image/png", "file_id": "file-abc"}, "file-abc", "", True),
        ({"type": "blob", "modality": "image", "mime_type": "image/png", "content": "AAAA"}, "image/png", "", True),
        ({"type": "uri", "modality": "video", "uri": "https://e.org/a.mp4"}, "a.mp4", "", False),
        ({"type": "file", "file": {"filename": "report.pdf", "file_data": "AAAA"}}, "report.pdf", "", False),
        ({"type": "image", "image": "../secret.png"}, "secret.png", "", True),
        ({"type": "image", "image": "file:///etc/one.png"}, "one.png", "", True),
        ({"type": "image", "image": "A" * 5000}, "image", "", True),
        ({"type": "image_url", "image_url": {"url": "https://[x/one.png"}}, "image_url", "", True),
    ],
)
def test_a_part_names_a_stored_image_if_it_can_be_one(part: Any, name: str, file: str, is_image: bool) -> None:
    (turn,) = turns_of([{"role": "user", "content": ["Look.", part]}])
    (found,) = turn.attachments
    assert (found.name, found.file, found.is_image, found.place) == (name, file, is_image, "[0].content[1]")
    (turn,) = turns_of([{"role": "user", "parts": [part]}])
    assert (turn.attachments[0].file, turn.attachments[0].place) == (file, "[0].parts[0]")


def picture_of(name: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"type": "uri", "modality": "image", "uri": name}]}


def test_messages_of_spans_with_other_images_are_other_messages() -> None:
    spans = [
        {"attributes": {"gen_ai.input.messages": json.dumps([picture_of(name) for name in names])}}
        for names in (["a.png"], ["a.png", "b.png"], ["c.png"])
    ]
    assert [image.file for image in images_in(spans)] == ["a.png", "b.png", "c.png"]


def test_titles_stand_where_images_are() -> None:
    titles = {"a.png": "Image 1: Log"}
    log = [{"role": "user", "name": "Ann", "content": [{"type": "image", "image": "./a.png"}, "See?"]}, OPENAI[2]]
    titled = [
        {"role": "user", "name": "Ann", "content": [{"type": "image", "image": "Image 1: Log"}, "See?"]},
        OPENAI[2],
    ]
    assert with_titles(log, titles) == with_titles(json.dumps(log), titles) == titled
    spans = [{"attributes": {"gen_ai.input.messages": [picture_of("a.png"), picture_of("https://e.org/b.png")]}}]
    assert [message["files"] for message in with_titles(spans, titles)] == [["Image 1: Log"], ["b.png"]]
    assert numbered({"log": spans}, "log")["log"]["0"]["files"] == ["a.png"]


def test_names_of_compared_transcripts_are_letters_and_few_images_are_drawn() -> None:
    log = [{"role": "user", "content": [{"type": "image", "image": f"gpt-{n}.png"}]} for n in range(MOST_IMAGES + 1)]
    shown = [turn.attachments[0] for turn in shown_turns(log, "log", "B")]
    assert (shown[0].name, shown[0].file) == ("B 1", "gpt-0.png")
    assert [file.name for file in shown if not file.drawn] == [f"B {MOST_IMAGES + 1}"]


@pytest.mark.parametrize(
    ("value", "place", "said"),
    [
        ("no JSON", "", "must be a list of messages"),
        ([], "", "must be a list of messages"),
        ({"role": "user"}, "", "must be a list of messages"),
        ([OPENAI[0], "text"], "[1]", "must be an object with `role`"),
        ([{"content": "x"}], "[0].role", "must be a text, such as “user”"),
        ([{"role": "user", "content": 3}], "[0].content", "must be a text, a list of parts, or null."),
        ([{"role": "user", "content": [{"text": "x"}]}], "[0].content[0]", "must be an object with a `type`"),
        ([{"role": "user", "parts": [3]}], "[0].parts[0]", "must be an object with a `type`"),
        ([{"role": "assistant", "tool_calls": [{"id": "c"}]}], "[0].tool_calls[0]", "must have a `function`"),
        ([{"role": "assistant", "tool_calls": {}}], "[0].tool_calls", "must be a list of tool calls."),
        ([{"attributes": 3}], "[0].attributes", "must be an object, or a list of"),
        (
            [{"attributes": {"gen_ai.input.messages": "x"}}],
            "[0].attributes.gen_ai.input.messages",
            "must be a list of messages, or the same as JSON.",
        ),
        ([OPENAI[0]] * 2001, "", "has 2001 turns; at most 2000 are allowed."),
    ],
)
def test_what_is_no_transcript_is_refused_with_its_place(value: Any, place: str, said: str) -> None:
    ((where, message),) = transcript_faults(value)
    assert where == place
    assert said in message
    kind = find_kind("form").by_definition(["show: [{field: log, as: chat}]\nquestions: [{name: q, type: text}]"])
    with pytest.raises(BadShape) as bad:
        kind.read_facts({"log": value})
    assert [found.path for found in bad.value.findings] == [f"log{place}"]


def test_an_item_of_a_transcript_is_called_by_what_its_user_said() -> None:
    kind = find_kind("form").by_definition(["show: [{field: log, as: chat}]\nquestions: [{name: q, type: text}]"])
    assert kind.title(kind.read_facts({"log": OPENAI})) == "When does it leave?"
    assert kind.title(kind.read_facts({"log": OPENAI[2:3]})) == "…"


def test_tool_calls_and_errors_are_stops_and_results_name_their_tool() -> None:
    shown = shown_turns(OPENAI, "log")
    assert [turn.number for turn in shown if turn.is_stop] == [3, 4]
    assert (shown[3].answers, shown[3].id) == ("search", turn_id("log", 3))


def test_long_texts_fold_and_what_is_too_much_for_a_page_is_cut_and_counted() -> None:
    half = "word " * (MOST_CHARACTERS // 10)
    short, first, second, third, call = shown_turns(
        [
            {"role": "user", "content": "hello"},
            *[{"role": "tool", "content": half}] * 3,
            {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": half}}]},
        ],
        "log",
    )
    assert (short.opening, short.rendered, first.opening[:9]) == ("", True, "word word")
    assert [turn.left_out for turn in (first, second, third, call)] == [
        0,
        len(half) - 300,
        len(half) - 300,
        len(half) - 300,
    ]
    assert len(second.text) == 300
    assert call.calls == [("f", half[:300])]


def test_only_so_much_is_rendered_as_markdown() -> None:
    long = "x" * (MOST_RENDERED - 1)
    shown = shown_turns([{"role": "user", "content": text} for text in (long, "ab", "c")], "log")
    assert [turn.rendered for turn in shown] == [True, False, True]


# --- files in messages, and attributes of spans -----------------------------------------------------------------------
def renamed(part: Any, place: str) -> Any:
    return {**part, "name": place}


def test_a_transcript_without_files_is_the_same_value() -> None:
    for value in (OPENAI, json.dumps(OPENAI), "no transcript", 7, None, [OPENAI[0], "no message"]):
        assert with_parts(value, renamed) is value


def test_a_span_whose_attributes_cannot_be_read_is_left_as_it_is() -> None:
    span = {"attributes": "none"}
    assert with_parts([span], renamed) == [span]


def test_attributes_may_be_written_as_open_telemetry_sends_them() -> None:
    message = {"kvlistValue": {"values": [
        {"key": "role", "value": {"stringValue": "user"}},
        {"key": "parts", "value": {"arrayValue": {"values": [{"kvlistValue": {"values": [
            {"key": "type", "value": {"stringValue": "text"}},
            {"key": "content", "value": {"stringValue": "When?"}},
        ]}}]}}},
    ]}}  # fmt: skip
    span = {"attributes": [{"key": "gen_ai.input.messages", "value": {"arrayValue": {"values": [message]}}}]}
    assert plain(turns_of([span])) == plain([Turn("user", text="When?")])


def test_a_tool_without_a_result_said_nothing() -> None:
    span = {"attributes": [{"key": "gen_ai.tool.name", "value": "plain"}, {"key": "other", "value": None}]}
    assert turns_of([span]) == [Turn("tool", "plain")]
