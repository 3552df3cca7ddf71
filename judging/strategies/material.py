"""A case as blocks of data in a prompt: what judges are shown, and nothing of it as an instruction."""

import json
import re
from collections.abc import Mapping, Sequence

from annotate.kinds.judged import Question
from annotate.kinds.protocol import Message
from judging.strategies.base import Shown
from lib.texts.fencing import SLOT, Fenced, fenced, role_names


def asked(wording: str, shown: Shown, **more: str) -> Fenced:
    """The wording with the case put into its slots, each text in a block that it cannot leave.

    Slots: `conversation` (every turn in a block of its own, under the name of who said it), `answer` (the only one, or
    the first), `second`, `reference`, `checklist` (JSON), and those of `more`. Raises UnknownSlot.
    """
    turns = shown.judged.messages
    texts = {"answer": shown.first, "checklist": checklist_json(shown.judged.checklist), **more}
    texts |= {name: text for name, text in _others(shown).items() if text is not None}
    texts |= {_turn(place): each["content"] for place, each in enumerate(turns, start=1)}
    return fenced(_with_turns(wording, turns, shown.language), texts, language=shown.language)


def checklist_json(checklist: Sequence[Question]) -> str:
    """One object a line; a question that has no weight says none."""
    rows = [{"question": each.text} | ({} if each.weight is None else {"weight": each.weight}) for each in checklist]
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"


def _others(shown: Shown) -> Mapping[str, str | None]:
    return {"second": shown.second, "reference": shown.reference}


def _with_turns(wording: str, turns: Sequence[Message], language: str) -> str:
    roles = role_names(language)
    parts = [f"{roles[each['role']]}\n\n{{{{ {_turn(place)} }}}}" for place, each in enumerate(turns, start=1)]

    def filled(slot: re.Match[str]) -> str:
        return "\n\n".join(parts) if slot[1] == "conversation" else slot[0]

    return SLOT.sub(filled, wording)


def _turn(place: int) -> str:
    return f"turn_{place}"
