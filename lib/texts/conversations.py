"""Reading conversations with assistants from pasted text, or from files that chat services export."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Turn = dict[str, str]  # {"role": "user" | "assistant", "content"}
MOST_TURNS = 200

_USER = {
    "user",
    "human",
    "question",
    "q",
    "you",
    "you said",
    "me",
    "prompter",
    "问",
    "问题",
    "提问",
    "用户",
    "我",
    "您说",
}
_ASSISTANT = {
    *("assistant", "answer", "a", "ai", "bot", "gpt", "chatgpt", "chatgpt said", "claude", "gemini", "model", "llm"),
    *("copilot", "deepseek", "kimi", "答", "回答", "助手", "模型", "文心一言", "通义千问", "豆包"),
}
_SAYS_WHO = {"role", "from", "sender", "author"}
_PROMPTS, _RESPONSES = ("prompt", "question", "instruction", "query"), ("response", "answer", "output", "completion")
_SPEAKER = re.compile(r"^[ \t>*#_]*([A-Za-z\u4e00-\u9fff]{1,12}(?: said)?)[ \t*_]*[:：][*_]*[ \t]*", re.MULTILINE)


class UnreadableConversation(ValueError):
    """The text holds no conversation that begins with a user's turn."""


def pasted(text: str) -> list[Turn]:
    """Turns of a text with speakers at the beginning of lines, such as `Question:`, `User:` or `答：`.

    A text that names no speaker is one question without an answer. Raises UnreadableConversation if nothing is left.
    """
    marks = [(match, role) for match in _SPEAKER.finditer(text) if (role := _role(match.group(1)))]
    if not marks:
        return _joined([{"role": "user", "content": text}])
    ends = [match.start() for match, _ in marks[1:]] + [len(text)]
    opening_turns = [{"role": "user", "content": text[: marks[0][0].start()]}] if marks[0][1] == "assistant" else []
    spoken = [
        {"role": role, "content": text[match.end() : end]} for (match, role), end in zip(marks, ends, strict=True)
    ]
    return _joined([*opening_turns, *spoken])


def exported(content: bytes) -> list[Turn]:
    """Turns of a file: messages with role and content, `conversations` with from and value, a service's tree of
    messages, each as JSON or as the first line of JSONL, a message per line, or a prompt with its response; any other
    file is read like pasted text. Raises UnreadableConversation.
    """
    text = _decoded(content)
    value = _json(text)
    return pasted(text) if value is None else turns_of(value)


def _decoded(content: bytes) -> str:
    """Text in UTF-8, or as Windows editors write it: UTF-16 with a byte order mark, Chinese in GB 18030.

    Raises UnreadableConversation.
    """
    encodings = ("utf-16",) if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "gb18030")
    for encoding in encodings:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8-sig" or "\x00" not in text:
            return text
    raise UnreadableConversation


def turns_of(value: Any) -> list[Turn]:
    """Turns of a parsed file. Raises UnreadableConversation."""
    return _joined(_messages(value))


def as_text(turns: Iterable[Mapping[str, str]]) -> str:
    """A text from which `pasted` reads the same turns, unless a line within a turn begins like a speaker."""
    words = {"user": "User", "assistant": "Assistant"}
    return "\n\n".join(f"{words[turn['role']]}: {turn['content']}" for turn in turns)


def _role(speaker: Any) -> str:
    name = str(speaker).strip().casefold()
    return "user" if name in _USER else "assistant" if name in _ASSISTANT else ""


def _json(text: str) -> Any:
    """The JSON value of the whole text, or of its first line; for lines with a message each, of all lines."""
    first_line, _, rest = text.partition("\n")
    value = _parsed(text)
    if value is not None:
        return value
    value = _parsed(first_line)
    if isinstance(value, dict) and value.keys() & _SAYS_WHO:
        return [value, *filter(None, map(_parsed, rest.split("\n")[:MOST_TURNS]))]
    return value


def _parsed(text: str) -> Any:
    """The parsed JSON; None if it is neither an object nor a list."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _messages(value: Any) -> Iterator[Turn]:
    """The messages; of a list of several conversations those of the first."""
    if isinstance(value, list):
        if value and isinstance(value[0], dict) and not _SAYS_WHO & value[0].keys():
            yield from _messages(value[0])
            return
        for message in value[:MOST_TURNS]:
            if isinstance(message, dict) and (role := _speaker(message)):
                yield {"role": role, "content": _content(message)}
    elif isinstance(value, dict) and isinstance(value.get("mapping"), dict):
        yield from _messages(list(_path(value)))
    elif isinstance(value, dict):
        inner = (value.get(name) for name in ("messages", "conversations", "conversation", "chat_messages", "turns"))
        yield from _messages(
            next((messages for messages in inner if isinstance(messages, list)), list(_asked_once(value)))
        )


def _asked_once(value: Mapping[str, Any]) -> Iterator[Turn]:
    """`{"prompt": …, "response": …}`"""
    for role, names in (("user", _PROMPTS), ("assistant", _RESPONSES)):
        content = next((value[name] for name in names if isinstance(value.get(name), str)), "")
        yield {"role": role, "content": content}


def _speaker(message: Mapping[str, Any]) -> str:
    author = message.get("author")
    author_role = author.get("role") if isinstance(author, dict) else author
    return _role(message.get("role") or message.get("from") or message.get("sender") or author_role or "")


def _content(message: Mapping[str, Any]) -> str:
    content = next((message[name] for name in ("content", "value", "text") if message.get(name)), "")
    if isinstance(content, dict):
        content = content.get("parts") or content.get("text") or ""
    parts = content if isinstance(content, list) else [content]
    texts = (part.get("text", "") if isinstance(part, dict) else part for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))


def _path(value: Mapping[str, Any]) -> Iterator[Any]:
    """The messages from the root of the tree to the current one of the file, else along the last children."""
    nodes = value["mapping"]
    node_id, node_ids = value.get("current_node") or next(reversed(nodes), None), []
    while isinstance(node_id, str) and isinstance(node := nodes.get(node_id), dict) and node_id not in node_ids:
        node_ids.append(node_id)
        if len(node_ids) > 5 * MOST_TURNS:
            break
        node_id = node.get("parent")
    yield from (message for name in reversed(node_ids) if isinstance(message := nodes[name].get("message"), dict))


def _joined(turns: Iterable[Turn]) -> list[Turn]:
    """Without empty turns, with consecutive turns of one speaker joined, from the user's first turn on."""
    joined: list[Turn] = []
    for turn in turns:
        content = turn["content"].replace("\x00", "").replace("\r\n", "\n").strip()
        content = content.encode("utf-8", "replace").decode()  # a lone surrogate can be stored nowhere
        if not content or (not joined and turn["role"] != "user"):
            continue
        if joined and joined[-1]["role"] == turn["role"]:
            joined[-1]["content"] += f"\n\n{content}"
        else:
            joined.append({"role": turn["role"], "content": content})
    if not joined:
        raise UnreadableConversation
    return joined[:MOST_TURNS]
