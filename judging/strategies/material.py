"""A case as blocks of data in a prompt: what judges are shown, and nothing of it as an instruction."""

import json
import re
from collections.abc import Mapping, Sequence

from annotate.kinds.judged import Question
from annotate.kinds.protocol import Message
from judging.strategies.base import Shown
from lib.texts.fencing import SLOT, Fenced, fenced, role_names


def asked(wording: str, case: Shown, **more: str) -> Fenced:
    """The wording with the case put into its slots, each text in a block that it cannot leave.

    Slots: `conversation` (every turn in a block of its own, under the name of who said it), `answer` (the only one, or
    the first), `second`, `reference`, `checklist` (JSON), and those of `more`. Raises UnknownSlot.
    """
    turns = case.judged.messages
    texts = {"answer": case.first, "checklist": checklist_json(case.judged.checklist), **more}
    texts |= {name: text for name, text in _others(case).items() if text is not None}
    texts |= {_turn(number): turn["content"] for number, turn in enumerate(turns, start=1)}
    return fenced(_with_turns(wording, turns, case.language), texts, language=case.language)


def checklist_json(checklist: Sequence[Question]) -> str:
    """One object a line; a question that has no weight says none."""
    rows = [
        {"question": question.text} | ({} if question.weight is None else {"weight": question.weight})
        for question in checklist
    ]
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"


def _others(case: Shown) -> Mapping[str, str | None]:
    return {"second": case.second, "reference": case.reference}


def _with_turns(wording: str, turns: Sequence[Message], language: str) -> str:
    roles = role_names(language)
    parts = [f"{roles[turn['role']]}\n\n{{{{ {_turn(number)} }}}}" for number, turn in enumerate(turns, start=1)]

    def filled(slot: re.Match[str]) -> str:
        return "\n\n".join(parts) if slot[1] == "conversation" else slot[0]

    return SLOT.sub(filled, wording)


def _turn(number: int) -> str:
    return f"turn_{number}"
