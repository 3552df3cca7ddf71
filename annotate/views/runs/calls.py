"""How a call of the ledger is shown: its messages as a conversation, JSON laid out, everything as it was to copy."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.models import Call

SHOWN = 50_000  # characters of one text
ROLES: Mapping[str, Promise] = {
    "system": _("Instructions to the model"),
    "developer": _("Instructions to the model"),
    "user": _("Asked"),
    "assistant": _("Said by the model before"),
    "tool": _("Given by a tool"),
}


@dataclass(frozen=True)
class Message:
    """One turn of what was sent. who: in words; the role itself where it is none that we know."""

    who: str | Promise
    content: str


@dataclass(frozen=True)
class Text:
    """raw: as it was, up to SHOWN characters. laid_out: the same JSON over several lines; "" where it is none.

    cut: characters that are not shown.
    """

    raw: str
    laid_out: str
    cut: int


@dataclass(frozen=True)
class Shown:
    """request: everything that was sent. reply, reasoning: None where nothing came. asked_with: how it was sent."""

    call: Call
    messages: list[Message]
    request: Text
    reply: Text | None
    reasoning: Text | None
    asked_with: list[tuple[str, str]]


def shown(call: Call) -> Shown:
    request = call.request if isinstance(call.request, dict) else {}
    messages = request.get("messages")
    turns = [_message(message) for message in messages] if isinstance(messages, list) else []
    sent = json.dumps(call.request, ensure_ascii=False, indent=2)
    request_text = Text(sent[:SHOWN], "", max(len(sent) - SHOWN, 0))
    return Shown(call, turns, request_text, text(call.reply), text(call.reasoning), asked_with(call))


def asked_with(call: Call) -> list[tuple[str, str]]:
    """Parameters and the format of the reply as they were sent: (name, value)."""
    sent = call.sent if isinstance(call.sent, dict) else {}
    return [(name, value if isinstance(value, str) else json.dumps(value)) for name, value in sorted(sent.items())]


def text(reply: str) -> Text | None:
    """A reply to be read; None for no reply."""
    if not reply:
        return None
    return Text(reply[:SHOWN], _laid_out(reply), max(len(reply) - SHOWN, 0))


def _laid_out(reply: str) -> str:
    """Only objects and lists: a lone word or number reads best as it is."""
    try:
        content = json.loads(reply) if len(reply) <= SHOWN else None
    except (ValueError, RecursionError):
        return ""
    laid_out = json.dumps(content, ensure_ascii=False, indent=2) if isinstance(content, dict | list) else ""
    return laid_out if laid_out != reply else ""


def _message(message: Any) -> Message:
    if not isinstance(message, dict):
        return Message("", str(message)[:SHOWN])
    content, role = message.get("content", ""), str(message.get("role", ""))
    content_text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)
    return Message(ROLES.get(role, role), content_text[:SHOWN])
