"""Questions of a judge: a case fenced as data in a prompt, a single question with its reply, and raw messages.

Judges see the texts of a case as data, never as instructions. In a lead's own raw messages the texts are not fenced,
and a reader finds the verdict in the plain reply. They exist for evaluators that were trained on one form of prompt and
answer in their own words. They give up the protection of fenced prompts: a judged text can give the evaluator orders.
Such verdicts are marked as not fenced.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from pydantic import BaseModel

from annotate.kinds.protocol import Ask, CallFailed, Cause, ChecklistQuestion, Message, Question
from judging.readers.reader import BadReader, OwnPattern, ReaderTarget, ReplyReader, Unread, read_reply, reader_named
from judging.readers.scales import Scale
from judging.strategies.strategy import ShownCase, Strategy, Unparsed
from lib.texts.fencing import SLOT, Fenced, fenced, role_names
from lib.texts.raw_messages import RawMessages, read


def case_message(wording: str, case: ShownCase, **more: str) -> Fenced:
    """The wording with the case put into its slots, each text in a block that it cannot leave.

    Slots: `conversation` (every turn in a block of its own, under the name of who said it), `answer` (the only one, or
    the first), `second`, `reference`, `checklist` (JSON), and those of `more`. Raises UnknownSlot.
    """
    turns = case.judged.messages
    texts = {"answer": case.first, "checklist": checklist_json(case.judged.checklist), **more}
    texts |= {name: text for name, text in _other_texts(case).items() if text is not None}
    texts |= {_turn(number): turn["content"] for number, turn in enumerate(turns, start=1)}
    return fenced(_with_turns(wording, turns, case.language), texts, language=case.language)


def checklist_json(checklist: Sequence[ChecklistQuestion]) -> str:
    """One object per line; a question without a weight has no such key."""
    rows = [
        {"question": question.text} | ({} if question.weight is None else {"weight": question.weight})
        for question in checklist
    ]
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"


def _other_texts(case: ShownCase) -> Mapping[str, str | None]:
    return {"second": case.second, "reference": case.reference}


def _with_turns(wording: str, turns: Sequence[Message], language: str) -> str:
    roles = role_names(language)
    parts = [f"{roles[turn['role']]}\n\n{{{{ {_turn(number)} }}}}" for number, turn in enumerate(turns, start=1)]

    def filled(slot: re.Match[str]) -> str:
        return "\n\n".join(parts) if slot[1] == "conversation" else slot[0]

    return SLOT.sub(filled, wording)


def _turn(number: int) -> str:
    return f"turn_{number}"


# A single question: sent, and its reply parsed from JSON, or from words if there is no JSON.


MOST_TOKENS = 2048
# The model has replied.
UNREADABLE = {Cause.NOT_JSON, Cause.WRONG_SHAPE, Cause.TRUNCATED, Cause.EMPTY}
# The text may still contain a verdict. A reply that was cut off may not.
WORDS = {Cause.NOT_JSON, Cause.WRONG_SHAPE}


@dataclass(frozen=True)
class ReadReply:
    """value: what the judge decided, of the shape that was asked for. reason: its explanation."""

    value: Any
    reason: str


async def put_question(
    ask: Ask,
    step: str,
    messages: list[dict[str, str]],
    shape: type[BaseModel],
    field: str,
    reader: Callable[[str], Any],
) -> ReadReply | Unparsed:
    """field: the deciding one of the shape, whose texts are the explanation. reader: finds the same in words, None if
    they do not say it.

    Raises CallFailed if the model has not replied.
    """
    prompt_messages: list[Message] = list(messages)
    try:
        reply = await ask(Question(step, prompt_messages, shape, temperature=0.0, max_tokens=MOST_TOKENS))
    except CallFailed as failed:
        return _from_words(failed, reader)
    return ReadReply(getattr(reply.read, field), _explanation(reply.read, field))


def _explanation(reply: BaseModel, field: str) -> str:
    """The field `explanation` where the shape has one, else every other text of the reply."""
    names = [name for name in type(reply).model_fields if name != field]
    texts = [getattr(reply, name) for name in (["explanation"] if "explanation" in names else names)]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _from_words(failed: CallFailed, reader: Callable[[str], Any]) -> ReadReply | Unparsed:
    if failed.cause == Cause.TRUNCATED:
        return Unparsed(_("The reply was cut off."), failed.said)
    if failed.cause == Cause.EMPTY:
        return Unparsed(_("The reply is empty."), failed.said)
    if failed.cause not in WORDS:
        raise failed
    value = reader(failed.said)
    if value is None:
        return Unparsed(_("The reply has no readable verdict, or several."), failed.said)
    return ReadReply(value, failed.said)


def why_unread(failed: CallFailed) -> str:
    """The reason by the cause of the failure: stable, however often the reply is read again."""
    match failed.cause:
        case Cause.TRUNCATED:
            return _("The reply was cut off.")
        case Cause.EMPTY:
            return _("The reply is empty.")
        case Cause.NOT_JSON:
            return _("The reply has no JSON.")
    return _("The JSON of the reply has the wrong structure: %(fault)s") % {"fault": failed.detail}


# Raw messages.


QUESTION, CONVERSATION = "question", "conversation"


async def put_raw(
    ask: Ask, step: str, wording: str, case: ShownCase, ours: Mapping[str, str], scale: Scale | None
) -> ReadReply | Unparsed:
    """scale: of the score; None where two answers are compared. Raises CallFailed if the model has not replied."""
    raw = read(wording)
    messages: list[dict[str, str]] = raw.messages(texts_of(case, ours))
    prefix = messages[-1]["content"] if messages[-1]["role"] == "assistant" else ""
    try:
        reply = await ask(Question(step, list(messages), temperature=0.0, max_tokens=MOST_TOKENS))
    except CallFailed as failed:
        if failed.cause == Cause.TRUNCATED:
            return Unparsed(_("The reply was cut off."), failed.said)
        if failed.cause == Cause.EMPTY:
            return Unparsed(_("The reply is empty."), failed.said)
        raise
    try:
        reader = reader_named(raw.reader, raw.pattern)
    except BadReader as bad:  # the reader existed when the run was planned
        return Unparsed(str(bad), reply.text)
    value = read_reply(reader, reply.text, ReaderTarget(scale, prefix))
    return Unparsed(value.reason, reply.text) if isinstance(value, Unread) else ReadReply(value, reply.text)


def texts_of(case: ShownCase, ours: Mapping[str, str]) -> dict[str, str]:
    """slot -> text. question: the user's last turn; conversation: all turns under their speakers' names."""
    roles, turns = role_names(case.language), case.judged.messages
    question = next((turn["content"] for turn in reversed(turns) if turn["role"] == "user"), "")
    texts = {
        QUESTION: question,
        CONVERSATION: "\n\n".join(f"{roles[turn['role']]}\n\n{turn['content']}" for turn in turns),
        "answer": case.first,
        "second": case.second,
        "reference": case.reference,
    }
    return {**ours, **{name: text for name, text in texts.items() if text is not None}}


# --- what a lead may write --------------------------------------------------------------------------------------------
def readers_for(strategy: Strategy, readers: Iterable[ReplyReader]) -> list[ReplyReader]:
    """The readers for what the strategy asks."""
    return [reader for reader in readers if (reader.chooses if strategy.pairwise else reader.scores)]


def possible_slots(shipped: Iterable[str]) -> list[str]:
    """shipped: the slots of the step's fenced prompt."""
    return sorted({*shipped, QUESTION, CONVERSATION})


def problems_of(raw: RawMessages, strategy: Strategy, shipped: Iterable[str]) -> list[str]:
    """Problems of raw messages for a step of the strategy, a sentence each."""
    return [*_slot_problems(raw, list(shipped)), *_reader_problems(raw, strategy)]


def _slot_problems(raw: RawMessages, shipped: list[str]) -> Iterable[str]:
    possible = possible_slots(shipped)
    for name in sorted(raw.slots - set(possible)):
        yield _("There is no slot “%(name)s” in this step. Slots: %(slots)s.") % {
            "name": name,
            "slots": ", ".join(possible),
        }


def unseen_of(raw: RawMessages, shipped: Iterable[str]) -> Iterable[str]:
    """Texts that the evaluator does not see because their slot is missing, a sentence each."""
    for name in ("answer", "second", "reference"):
        if name in shipped and name not in raw.slots:
            yield _("The slot {{ %(name)s }} is missing: the model will not see its text.") % {"name": name}
    if not raw.slots & {QUESTION, CONVERSATION}:
        yield _("The evaluator does not see the question. Put {{ question }} or {{ conversation }} where it belongs.")


def _reader_problems(raw: RawMessages, strategy: Strategy) -> Iterable[str]:
    try:
        reader = reader_named(raw.reader, raw.pattern, probe=True)
    except BadReader as bad:
        yield str(bad)
        return
    if not isinstance(reader, OwnPattern) and not readers_for(strategy, [reader]):
        words = (
            _("The reader “%(name)s” cannot read a choice between two answers. Choose another one.")
            if strategy.pairwise
            else _("The reader “%(name)s” cannot read the score of one answer. Choose another one.")
        )
        yield words % {"name": reader.name}
