"""Transcripts as people see them: which turns are folded, which are rendered, and what is cut to keep a page light."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.kinds.questions.attachments import EMBEDDED, Attachment
from annotate.kinds.questions.definition_texts import one_line
from annotate.kinds.questions.transcripts import ToolCall, Turn, turn_id, turns_of
from annotate.kinds.values import WholeTurn

ROLES = {
    "system": gettext_lazy("System"),
    "developer": gettext_lazy("Developer"),
    "user": gettext_lazy("User"),
    "assistant": gettext_lazy("Assistant"),
    "tool": gettext_lazy("Tool"),
}
OPEN = 1200  # characters of a longer text that are seen before it is unfolded
OPENING = 160
MOST_CHARACTERS = 1_000_000  # of a transcript that a page has in full; beyond it texts are cut
CUT = 300
MOST_RENDERED = 60_000  # characters that are rendered as Markdown; the rest is shown as written
MOST_IMAGES = 100  # of a transcript that a page draws; the others are links


@dataclass(frozen=True)
class ShownTurn:
    """number: from 1. text: empty if there is none; rendered: as Markdown. opening: what a folded text begins with.

    calls: (name, arguments). answers: the name of the tool whose result it is. left_out: missing characters.
    """

    id: str
    number: int
    role: str
    who: str
    text: str
    rendered: bool
    opening: str
    calls: Sequence[tuple[str, str]]
    answers: str
    attachments: Sequence[Attachment]
    failed: bool
    left_out: int

    @property
    def is_stop(self) -> bool:
        """Whether the keys jump to it: it calls a tool, or it is an error."""
        return bool(self.calls) or self.failed


def shown_turns(value: Any, column: str, letter: str = "") -> list[ShownTurn]:
    """letter: of a transcript that is compared. Names of its images might say which model it comes from."""
    turns = turns_of(value)
    tools = {call.id: call.name for turn in turns for call in turn.calls if call.id}
    return list(_shown(turns, column, tools, letter))


def _shown(turns: Sequence[Turn], column: str, tools: Mapping[str, str], letter: str) -> Iterator[ShownTurn]:
    whole, rendered = MOST_CHARACTERS, MOST_RENDERED
    images = count(1)
    for index, turn in enumerate(turns):
        size = len(turn.text) + sum(len(call.arguments) for call in turn.calls)
        text, calls, left_out = (turn.text, turn.calls, 0) if size <= whole else _cut(turn)
        whole -= size - left_out
        is_markdown = turn.role in ("user", "assistant") and len(text) <= rendered
        rendered -= len(text) if is_markdown else 0
        yield ShownTurn(
            id=turn_id(column, index),
            number=index + 1,
            role=turn.role,
            who=str(ROLES.get(turn.role, turn.role)),
            text=text,
            rendered=is_markdown,
            opening=one_line(text[: 4 * OPENING], OPENING) if _is_long(text) else "",
            calls=[(call.name, call.arguments) for call in calls],
            answers=tools.get(turn.answers, turn.name) if turn.role == "tool" else turn.name,
            attachments=[_shown_file(file, images, letter) for file in turn.attachments],
            failed=turn.failed,
            left_out=left_out,
        )


def _shown_file(file: Attachment, images: Iterator[int], letter: str) -> Attachment:
    if not file.file:
        return file
    number = next(images)
    name = f"{letter} {number}" if letter else _name(file, number)
    return replace(file, name=name, drawn=number <= MOST_IMAGES)


def _name(file: Attachment, number: int) -> str:
    """The name of a file that an import made of data is a long number."""
    return str(_("Image %(n)d") % {"n": number}) if file.name.startswith(EMBEDDED) else file.name


def _is_long(text: str) -> bool:
    return len(text) > OPEN or text.count("\n") > 20


def _cut(turn: Turn) -> tuple[str, Sequence[ToolCall], int]:
    """Its text and its calls with the beginning of each, and how many characters are left out."""
    calls = [ToolCall(call.name, call.arguments[:CUT], call.id) for call in turn.calls]
    whole = len(turn.text) + sum(len(call.arguments) for call in turn.calls)
    return turn.text[:CUT], calls, whole - len(turn.text[:CUT]) - sum(len(call.arguments) for call in calls)


def cut_turns(value: Any, turns_shown: Sequence[ShownTurn]) -> list[WholeTurn]:
    """The turns that a page cuts short. turns_shown: all turns of this transcript."""
    return [
        WholeTurn(
            number=shown_turn.number,
            id=shown_turn.id,
            role=shown_turn.role,
            who=shown_turn.who,
            tool=shown_turn.answers,
            text=turn.text,
            calls=[(call.name, call.arguments) for call in turn.calls],
        )
        for turn, shown_turn in zip(turns_of(value), turns_shown, strict=True)
        if shown_turn.left_out
    ]
