"""Transcripts of conversations and agents as turns: message lists as OpenAI's API has them, and as OpenTelemetry's
conventions for generative AI have them, alone or in the attributes of spans.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any
from zlib import crc32

from annotate.kinds.questions.attachments import (
    Attachment,
    attachment,
    has_data,
    image_data,
    is_attachment,
    with_name,
    without_data,
)
from lib.media.sniffing import BadContent
from lib.texts.stored_sentences import say as _

MOST_TURNS = 2000
LONGEST_ROLE = 60
INPUT, OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
TOOL, ARGUMENTS, RESULT, CALL = (f"gen_ai.tool.{name}" for name in ("name", "call.arguments", "call.result", "call.id"))
FAILURES = ("Error", "Traceback (most recent call last)")  # what the result of a tool that failed begins with


@dataclass(frozen=True)
class ToolCall:
    """arguments: as text, JSON where the message has an object."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True)
class Turn:
    """One message. answers: the id of the tool call whose result it is. failed: a tool's error."""

    role: str
    name: str = ""
    text: str = ""
    calls: Sequence[ToolCall] = ()
    answers: str = ""
    attachments: Sequence[Attachment] = ()
    failed: bool = False


class BadMessage(ValueError):
    """place: inside the transcript, such as [3].role."""

    def __init__(self, place: str, message: str) -> None:
        self.place, self.message = place, message
        super().__init__(f"{place}: {message}")


def transcript_faults(value: Any) -> Iterator[tuple[str, str]]:
    """(place, message) of what is wrong with a transcript, one for each of its messages."""
    try:
        messages = _listed(value)
    except BadMessage as bad:
        yield bad.place, bad.message
        return
    turns = 0
    for number, message in enumerate(messages):
        try:
            turns += len(_turns_in(message, f"[{number}]"))
        except BadMessage as bad:
            yield bad.place, bad.message
    if turns > MOST_TURNS:
        message = _("has %(n)d turns; at most %(most)d are allowed. Split the transcript into several items.")
        yield "", message % {"n": turns, "most": MOST_TURNS}


def turns_of(value: Any) -> list[Turn]:
    """The turns in order; none of what is no transcript. Spans repeat what was said before; it is taken once."""
    try:
        messages = _listed(value)
        if not any(_is_span(message) for message in messages):
            return [turn for number, message in enumerate(messages) for turn in _turns_in(message, f"[{number}]")]
        return _of_spans(messages)
    except BadMessage:
        return []


def turn_id(column: str, place: int) -> str:
    """The id of a turn on a page. place: from 0."""
    return f"turn-{crc32(column.encode()):x}-{place}"


def numbered(facts: Mapping[str, Any], column: str) -> dict[str, Any]:
    """The column as a model sees it: place of each turn, from 0 -> message; spans as the turns that they are."""
    value = facts.get(column)
    value = light(_from_json(value) if isinstance(value, str) else value)
    if isinstance(value, list) and any(_is_span(message) for message in value):
        value = [_message(turn) for turn in turns_of(value)]
    return {column: {str(place): message for place, message in enumerate(value or ())}}


def _message(turn: Turn) -> dict[str, Any]:
    calls = [{"name": call.name, "arguments": call.arguments} for call in turn.calls]
    message: dict[str, Any] = {"role": turn.role, "content": turn.text, "tool_calls": calls}
    return message | ({"files": _names(turn)} if turn.attachments else {})


def images_in(value: Any) -> Iterator[Attachment]:
    """The parts of a transcript that name a stored image, in order; none of what is no transcript."""
    return (file for turn in turns_of(value) for file in turn.attachments if file.file)


def with_titles(value: Any, titles: Mapping[str, str]) -> Any:
    """A transcript for a model that is sent its images: their titles stand where they are; spans become turns.

    titles: by the names of the stored images.
    """
    messages = _listed(value)
    if any(_is_span(message) for message in messages):
        turns = turns_of(value)
        return [_message(replace(turn, attachments=_titled(turn.attachments, titles))) for turn in turns]
    return [_message_with_titles(message, titles) for message in messages]


def _titled(attachments: Sequence[Attachment], titles: Mapping[str, str]) -> list[Attachment]:
    return [replace(file, name=titles.get(file.file, file.name)) for file in attachments]


def _message_with_titles(message: Mapping[str, Any], titles: Mapping[str, str]) -> dict[str, Any]:
    parted = {name: message[name] for name in ("parts", "content") if isinstance(message.get(name), list)}
    return {**message, **{name: [_part_with_title(part, titles) for part in parts] for name, parts in parted.items()}}


def _part_with_title(part: Any, titles: Mapping[str, str]) -> Any:
    title = titles.get(attachment(part).file) if _is_file(part) else None
    return {"type": "image", "image": title} if title else part


# Files in messages, where they stand: what looks like one in a text or in the arguments of a tool is none.
ChangePart = Callable[[Mapping[str, Any], str], Mapping[str, Any]]  # part, its place -> another part, or the same one


def light(value: Any) -> Any:
    """A transcript without the bytes of files that it holds itself: models would read them as text."""
    return with_parts(value, lambda part, _place: without_data(part) if has_data(part) else part)


def with_files(value: Any, keep: Callable[[bytes], str]) -> tuple[Any, list[tuple[str, str]]]:
    """A transcript with names in place of images that it holds as data, and (place, message) of what cannot be kept.

    keep: gives the name of a file with these bytes. Raises BadContent.
    """
    faults: list[tuple[str, str]] = []

    def named(part: Mapping[str, Any], place: str) -> Mapping[str, Any]:
        try:
            data = image_data(part)
            return part if data is None else with_name(part, keep(data))
        except BadContent as bad:
            faults.append((place, _("has an image as data that %(why)s") % {"why": bad.args[0]}))
            return part

    return with_parts(value, named), faults


def with_parts(value: Any, change: ChangePart, place: str = "") -> Any:
    """A transcript with other files in its messages; the same value if no file is another one. A text stays a text."""
    messages = _from_json(value) if isinstance(value, str) else value
    if not isinstance(messages, list):
        return value
    changed = [_with_parts_in(message, f"{place}[{number}]", change) for number, message in enumerate(messages)]
    if all(new is old for new, old in zip(changed, messages, strict=True)):
        return value
    return json.dumps(changed, ensure_ascii=False) if isinstance(value, str) else changed


def _with_parts_in(message: Any, place: str, change: ChangePart) -> Any:
    """The message, or the span of a model call."""
    if not isinstance(message, Mapping):
        return message
    fields, parted = message, {name: message[name] for name in ("parts", "content") if name in message}
    if _is_span(message):
        place = f"{place}.attributes"
        try:
            fields = _attributes(message["attributes"], place)
        except BadMessage:
            return message
        parted = {name: fields[name] for name in (INPUT, OUTPUT) if name in fields}
        changed = {name: with_parts(value, change, f"{place}.{name}") for name, value in parted.items()}
    else:
        changed = {name: _changed_parts(value, f"{place}.{name}", change) for name, value in parted.items()}
    if all(changed[name] is value for name, value in parted.items()):
        return message
    return {**message, "attributes": {**fields, **changed}} if _is_span(message) else {**message, **changed}


def _changed_parts(parts: Any, place: str, change: ChangePart) -> Any:
    if not isinstance(parts, list):
        return parts
    changed = [change(part, f"{place}[{number}]") if _is_file(part) else part for number, part in enumerate(parts)]
    return parts if all(new is old for new, old in zip(changed, parts, strict=True)) else changed


def _is_file(part: Any) -> bool:
    return isinstance(part, Mapping) and isinstance(part.get("type"), str) and is_attachment(part)


def _listed(value: Any) -> list[Any]:
    """The messages; a text is read as JSON, as cells of tables have it."""
    value = _from_json(value) if isinstance(value, str) else value
    if not isinstance(value, list) or not value:
        raise BadMessage("", _("must be a list of messages, each with `role`, or of spans with `attributes`."))
    return value


def _turns_in(message: Any, place: str) -> list[Turn]:
    if not isinstance(message, Mapping):
        raise BadMessage(place, _("must be an object with `role` and `content`, or with `attributes`."))
    return _of_span(message, place) if _is_span(message) else [_turn(message, place)]


def _turn(message: Mapping[str, Any], place: str) -> Turn:
    role = message.get("role")
    if not isinstance(role, str) or not 0 < len(role) <= LONGEST_ROLE:
        raise BadMessage(f"{place}.role", _("must be a text, such as “user”, “assistant” or “tool”."))
    parts = _Parts()
    if isinstance(message.get("parts"), list):
        parts.read(message["parts"], f"{place}.parts")
    else:
        parts.read_content(message.get("content"), f"{place}.content")
    parts.read_calls(message.get("tool_calls"), f"{place}.tool_calls")
    answers = str(message.get("tool_call_id") or parts.answers)
    text = "\n\n".join(filter(None, parts.texts))
    failed = bool(message.get("is_error") or message.get("error")) or (role == "tool" and _says_error(text))
    name = message.get("name")
    return Turn(role, name if isinstance(name, str) else "", text, parts.calls, answers, parts.attachments, failed)


class _Parts:
    """What the parts of one message hold."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.calls: list[ToolCall] = []
        self.attachments: list[Attachment] = []
        self.answers = ""

    def read_content(self, content: Any, place: str) -> None:
        if isinstance(content, list):
            self.read(content, place)
        elif isinstance(content, str):
            self.texts.append(content)
        elif content is not None:
            raise BadMessage(place, _("must be a text, a list of parts, or null."))

    def read(self, parts: Sequence[Any], place: str) -> None:
        for number, part in enumerate(parts):
            if isinstance(part, str):
                self.texts.append(part)
            elif isinstance(part, Mapping) and isinstance(part.get("type"), str):
                self._read_part(part, f"{place}[{number}]")
            else:
                raise BadMessage(f"{place}[{number}]", _("must be an object with a `type`, such as “text”."))

    def _read_part(self, part: Mapping[str, Any], place: str) -> None:
        sort = part["type"]
        if is_attachment(part):
            self.attachments.append(attachment(part, place))
        elif sort == "tool_call":
            self.calls.append(ToolCall(str(part.get("name") or ""), as_text(part.get("arguments")), _id_of(part)))
        elif sort == "tool_call_response":
            self.answers = _id_of(part)
            self.texts.append(as_text(part.get("response", part.get("result"))))
        else:  # text, input_text, output_text, refusal, reasoning, and what may come
            self.texts.append(as_text(next((part[name] for name in ("text", "content", sort) if name in part), None)))

    def read_calls(self, calls: Any, place: str) -> None:
        if calls is None:
            return
        if not isinstance(calls, list):
            raise BadMessage(place, _("must be a list of tool calls."))
        for number, call in enumerate(calls):
            function = call.get("function", call.get("custom")) if isinstance(call, Mapping) else None
            if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
                raise BadMessage(f"{place}[{number}]", _("must have a `function` with `name` and `arguments`."))
            arguments = as_text(function.get("arguments", function.get("input")))
            self.calls.append(ToolCall(function["name"], arguments, _id_of(call)))


# Spans: each model call has all messages that it was sent, and those that it gave.


def _is_span(message: Any) -> bool:
    return isinstance(message, Mapping) and "role" not in message and "attributes" in message


def _of_spans(spans: Sequence[Any]) -> list[Turn]:
    turns: list[Turn] = []
    for number, span in enumerate(spans):
        new = _turns_in(span, f"[{number}]")
        known = sum(1 for _same in takewhile(_alike, zip(turns, new, strict=False)))
        turns += new[known:]
    return turns


def _alike(pair: tuple[Turn, Turn]) -> bool:
    """Whether two turns are one message. A tool's span may write its result in another way than the next model call."""
    one, other = pair
    if one.role == other.role == "tool" and one.answers:
        return one.answers == other.answers
    return _said(one) == _said(other)


def _said(turn: Turn) -> tuple[str, str, list[ToolCall], list[str]]:
    return turn.role, turn.text, list(turn.calls), _names(turn)


def _names(turn: Turn) -> list[str]:
    return [file.name for file in turn.attachments]


def _of_span(span: Mapping[str, Any], place: str) -> list[Turn]:
    attributes = _attributes(span["attributes"], f"{place}.attributes")
    messages = [
        _turn(message, f"{place}.attributes.{name}[{number}]")
        for name in (INPUT, OUTPUT)
        for number, message in enumerate(_messages(attributes, name, place))
    ]
    if messages or TOOL not in attributes:
        return messages
    failed = bool(attributes.get("error.type")) or "ERROR" in str(span.get("status")).upper()
    text, call = as_text(attributes.get(RESULT)), str(attributes.get(CALL) or "")
    return [Turn("tool", str(attributes[TOOL]), text, (), call, (), failed or _says_error(text))]


def _messages(attributes: Mapping[str, Any], name: str, place: str) -> list[Any]:
    value = attributes.get(name, [])
    value = _from_json(value) if isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(message, Mapping) for message in value):
        raise BadMessage(f"{place}.attributes.{name}", _("must be a list of messages, or the same as JSON."))
    return value


def _attributes(attributes: Any, place: str) -> dict[str, Any]:
    """As an object, or as OTLP writes them: a list of {"key", "value": {"stringValue": …}}."""
    if isinstance(attributes, list) and all(isinstance(row, Mapping) and "key" in row for row in attributes):
        return {str(row["key"]): _otlp(row.get("value")) for row in attributes}
    if not isinstance(attributes, Mapping):
        raise BadMessage(place, _("must be an object, or a list of {“key”, “value”}."))
    return dict(attributes)


def _otlp(value: Any) -> Any:
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    (sort, inner) = next(iter(value.items()))
    values = inner.get("values") if isinstance(inner, Mapping) else None
    if sort == "arrayValue":
        return [_otlp(part) for part in values or ()]
    return {row["key"]: _otlp(row.get("value")) for row in values or ()} if sort == "kvlistValue" else inner


# Values inside messages.


def as_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def _from_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _id_of(part: Mapping[str, Any]) -> str:
    return str(part.get("id") or "")


def _says_error(text: str) -> bool:
    """Whether the result of a tool says that it failed: by its first word, or a field `error` of an object."""
    if text.startswith(FAILURES):
        return True
    if not text.startswith("{"):
        return False
    value = _from_json(text)
    return isinstance(value, Mapping) and bool(value.get("error") or value.get("is_error"))
