"""Conversations as people paste them, and as chat services export them."""

import json
from typing import Any

import pytest

from lib.texts.conversations import UnreadableConversation, as_text, exported, pasted

TALK = [
    {"role": "user", "content": "Which moon is larger?"},
    {"role": "assistant", "content": "Phobos.\nBy far."},
    {"role": "user", "content": "Why?"},
]


@pytest.mark.parametrize(
    "text",
    [
        "User: Which moon is larger?\nAssistant: Phobos.\nBy far.\nUser: Why?",
        "Question: Which moon is larger?\n\nAnswer: Phobos.\nBy far.\n\nQuestion: Why?",
        "**You said:** Which moon is larger?\n**ChatGPT said:** Phobos.\nBy far.\n\nYou said: Why?",
        "问：Which moon is larger?\n答：Phobos.\nBy far.\n问题: Why?",
        "Which moon is larger?\nAnswer: Phobos.\nBy far.\nQ: Why?",
    ],
)
def test_speakers_at_the_beginning_of_lines(text: str) -> None:
    assert pasted(text) == TALK


def test_a_text_without_speakers_is_one_question() -> None:
    assert pasted("Note: what is\nthat?") == [{"role": "user", "content": "Note: what is\nthat?"}]


def test_what_was_read_is_shown_so_that_it_is_read_alike() -> None:
    assert pasted(as_text(TALK)) == TALK


def _node(parent: str | None, role: str, text: str) -> dict[str, Any]:
    return {"parent": parent, "message": {"author": {"role": role}, "content": {"parts": [text]}}}


TREE = {
    "current_node": "d",
    "mapping": {
        "a": {"parent": None, "message": None},
        "s": _node("a", "system", "Be brief."),
        "b": _node("s", "user", TALK[0]["content"]),
        "x": _node("b", "assistant", "An answer that was made again."),
        "c": _node("b", "assistant", TALK[1]["content"]),
        "d": _node("c", "user", TALK[2]["content"]),
    },
}


@pytest.mark.parametrize(
    "value",
    [
        TALK,
        {"messages": TALK},
        {"messages": [{"role": "system", "content": "Be brief."}, *TALK]},
        {"conversations": [{"from": {"user": "human", "assistant": "gpt"}[one["role"]], "value": one["content"]}
                           for one in TALK]},
        {"chat_messages": [{"sender": "human" if one["role"] == "user" else "assistant", "text": one["content"]}
                           for one in TALK]},
        {"messages": [{**one, "content": [{"type": "text", "text": one["content"]}]} for one in TALK]},
        TREE,
        [TREE, {"mapping": {}}],
    ],
)  # fmt: skip
def test_files_of_chat_services(value: Any) -> None:
    assert exported(json.dumps(value).encode()) == TALK


def test_the_first_line_of_lines_and_plain_text_with_a_mark_of_order() -> None:
    assert exported((json.dumps({"messages": TALK}) + "\n" + json.dumps({"messages": []})).encode()) == TALK
    assert exported("\ufeffUser: Why?".encode()) == [TALK[2]]


def test_a_message_a_line() -> None:
    talk = [TALK[0] | {"content": "One\u2028line"}, *TALK[1:]]
    assert exported("\n".join(json.dumps(one, ensure_ascii=False) for one in talk).encode()) == talk
    assert exported((json.dumps(TALK[0]) + "\nno message\n[]\n" + json.dumps(TALK[1])).encode()) == TALK[:2]


@pytest.mark.parametrize("names", [("prompt", "response"), ("question", "answer"), ("instruction", "output")])
def test_a_question_with_its_answer(names: tuple[str, str]) -> None:
    row = {name: TALK[place]["content"] for place, name in enumerate(names)}
    assert exported(json.dumps(row).encode()) == TALK[:2]
    assert exported(json.dumps([row, {}]).encode()) == TALK[:2]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_files_as_editors_write_them(encoding: str) -> None:
    told = [{"role": "user", "content": "天为什么是蓝的？"}, {"role": "assistant", "content": "因为散射。"}]
    assert exported("用户：天为什么是蓝的？\n助手：因为散射。".encode(encoding)) == told
    assert exported(json.dumps(told, ensure_ascii=False).encode(encoding)) == told


@pytest.mark.parametrize(
    "content",
    [b"", b"\x89PNG\r\n\x1a\n\x00\x00", b"{}x\xff\xff\xff",
     b" \x00 ", b"\xff\xfe\x00", b"{}", b"[]", b'{"messages": [1, null]}',
     b'[{"role": "assistant", "content": "x"}]',
     b'{"mapping": {"a": {"parent": "a"}}}', b'{"mapping": {"a": 3}, "current_node": ["a"]}'],
)  # fmt: skip
def test_what_holds_no_conversation_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableConversation):
        exported(content)
