"""A judge asked in a lead's own raw messages: texts stand in them unfenced, the reply is plain and read by a reader.

For evaluators that were trained on one form of prompt and answer in their own words. What protects fenced prompts is
given up here: a text that is judged can order the evaluator about. Verdicts made so are marked as not fenced.
"""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _

from annotate.kinds.causes import Cause
from annotate.kinds.protocol import Ask, CallFailed, Question
from judging.readers import Target, reader_named
from judging.readers import read as read_reply
from judging.readers.base import BadReader, Reader, Unread
from judging.readers.pattern import OwnPattern
from judging.strategies.base import Shown, Strategy, Unparsed
from judging.strategies.putting import MOST_TOKENS, Said
from judging.strategies.scales import Scale
from lib.texts.fencing import role_names
from lib.texts.raw_messages import RawMessages, read

QUESTION, CONVERSATION = "question", "conversation"


async def put_raw(
    ask: Ask, step: str, wording: str, case: Shown, ours: Mapping[str, str], scale: Scale | None
) -> Said | Unparsed:
    """scale: of the score; None where two answers are compared. Raises CallFailed where the model has not answered."""
    raw = read(wording)
    messages: list[dict[str, str]] = raw.messages(texts_of(case, ours))
    prefix = messages[-1]["content"] if messages[-1]["role"] == "assistant" else ""
    try:
        reply = await ask(Question(step, list(messages), temperature=0.0, max_tokens=MOST_TOKENS))
    except CallFailed as failed:
        if failed.cause == Cause.TRUNCATED:
            return Unparsed(_("The reply was cut off before its end."), failed.said)
        if failed.cause == Cause.EMPTY:
            return Unparsed(_("The reply is empty."), failed.said)
        raise
    try:
        reader = reader_named(raw.reader, raw.pattern)
    except BadReader as bad:  # a reader that was there when the run was planned
        return Unparsed(str(bad), reply.text)
    value = read_reply(reader, reply.text, Target(scale, prefix))
    return Unparsed(value.reason, reply.text) if isinstance(value, Unread) else Said(value, reply.text)


def texts_of(case: Shown, ours: Mapping[str, str]) -> dict[str, str]:
    """slot -> text. question: what the user says last; conversation: all turns under the names of who said them."""
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
def readers_for(strategy: Strategy, readers: Iterable[Reader]) -> list[Reader]:
    """Those that read what the strategy asks for."""
    return [reader for reader in readers if (reader.chooses if strategy.pairwise else reader.scores)]


def possible_slots(shipped: Iterable[str]) -> list[str]:
    """shipped: the slots of the step's fenced prompt."""
    return sorted({*shipped, QUESTION, CONVERSATION})


def problems_of(raw: RawMessages, strategy: Strategy, shipped: Iterable[str]) -> list[str]:
    """What is wrong with raw messages for a step of the strategy, a sentence each."""
    return [*_slot_problems(raw, list(shipped)), *_reader_problems(raw, strategy)]


def _slot_problems(raw: RawMessages, shipped: list[str]) -> Iterable[str]:
    possible = possible_slots(shipped)
    for name in sorted(raw.slots - set(possible)):
        yield _("There is no slot “%(name)s” in this step. Slots: %(slots)s.") % {
            "name": name,
            "slots": ", ".join(possible),
        }


def unseen_of(raw: RawMessages, shipped: Iterable[str]) -> Iterable[str]:
    """What the evaluator is not shown because its slot was left out, a sentence each."""
    for name in ("answer", "second", "reference"):
        if name in shipped and name not in raw.slots:
            yield _("The slot {{ %(name)s }} is left out: the model will not see its text.") % {"name": name}
    if not raw.slots & {QUESTION, CONVERSATION}:
        yield _("The evaluator is not shown what was asked. Put {{ question }} or {{ conversation }} where it belongs.")


def _reader_problems(raw: RawMessages, strategy: Strategy) -> Iterable[str]:
    try:
        reader = reader_named(raw.reader, raw.pattern, probe=True)
    except BadReader as bad:
        yield str(bad)
        return
    if not isinstance(reader, OwnPattern) and not readers_for(strategy, [reader]):
        words = (
            _("The reader “%(name)s” reads no choice between two answers. Take another one.")
            if strategy.pairwise
            else _("The reader “%(name)s” reads no score of one answer. Take another one.")
        )
        yield words % {"name": reader.name}
