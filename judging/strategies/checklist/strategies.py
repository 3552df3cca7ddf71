"""The checklist strategy: a yes or no with its reason to every question of the item's checklist."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.kinds.protocol import Ask, CallFailed, Cause, JudgedItem, Prompts, Question
from judging.strategies.checklist.checklist_replies import Verdicts
from judging.strategies.checklist.joints import opinion, unanswered
from judging.strategies.questions import UNREADABLE, case_message, why_unread
from judging.strategies.strategy import Opinion, ShownCase, Strategy, Unparsed

MOST_TOKENS = 4096
# With other causes a repair is useless: half of the verdicts is lost, or all of them.
REPAIRABLE = {Cause.NOT_JSON, Cause.WRONG_SHAPE}


@dataclass(frozen=True)
class ChecklistReply:
    """The reply of one step. opinion: None if it could not be read; `reason` says why."""

    text: str
    opinion: Opinion | None = None
    reason: str = ""
    repairable: bool = True

    @property
    def unanswered(self) -> float:
        return float("inf") if self.opinion is None else unanswered(self.opinion)


class ChecklistStrategy(Strategy):
    slug = "checklist"
    family = "checklist"
    name = gettext_lazy("Checklist")
    about = gettext_lazy(
        "The judge answers each question of the item's checklist with yes or no and a reason; partly met "
        "counts as not met. The score follows from the checklist's own weights and rule."
    )
    source = "FB-Bench (arXiv 2410.09412)"
    steps = ("verdicts", "repair")
    answers_checklist = for_some_items = True

    def suits(self, judged: JudgedItem) -> bool:
        return bool(judged.checklist)

    async def judge(self, case: ShownCase, prompts: Prompts, ask: Ask) -> Opinion | Unparsed:
        """One request; if its reply is incomplete, a second one that only reformats that reply."""
        reply = await _put("verdicts", case, prompts, ask)
        if reply.unanswered and reply.repairable:
            repaired = await _put("repair", case, prompts, ask, reply=reply.text)
            reply = min(reply, repaired, key=lambda candidate: candidate.unanswered)
        return reply.opinion or Unparsed(reply.reason, reply.text)


async def _put(step: str, case: ShownCase, prompts: Prompts, ask: Ask, **more: str) -> ChecklistReply:
    """Send one step. Raises CallFailed if the model has not replied."""
    messages = case_message(prompts.text(step, case.language), case, **more).messages()
    question = Question(f"{case.at}/{step}", messages, Verdicts, temperature=0.0, max_tokens=MOST_TOKENS)
    try:
        reply = await ask(question)
    except CallFailed as failed:
        if failed.cause not in UNREADABLE:
            raise
        return ChecklistReply(
            failed.said, reason=why_unread(failed), repairable=failed.cause in REPAIRABLE and bool(failed.said)
        )
    assert isinstance(reply.read, Verdicts)
    return _read_reply(reply.text, reply.read, case.judged)


def _read_reply(text: str, verdicts: Verdicts, judged: JudgedItem) -> ChecklistReply:
    checklist_opinion = opinion(verdicts, judged)
    if any(piece.score_first is not None for piece in checklist_opinion.pieces if piece.joined != "surplus"):
        return ChecklistReply(text, checklist_opinion)
    return ChecklistReply(text, reason=_("None of the questions in the reply is on the checklist."))


STRATEGIES: list[Strategy] = [ChecklistStrategy()]
