"""A yes or no with its reason to every question of the item's checklist."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.kinds.causes import Cause
from annotate.kinds.judged import Judged
from annotate.kinds.protocol import Ask, CallFailed, Prompts, Question
from judging.strategies.base import Opinion, Shown, Strategy, Unparsed
from judging.strategies.checklist.reading import opinion, unanswered
from judging.strategies.checklist.told import Verdicts
from judging.strategies.material import asked

MOST_TOKENS = 4096
# The model has answered. With the last two there is nothing to repair: half of the verdicts is lost, or all of it.
UNREADABLE = {Cause.NOT_JSON, Cause.WRONG_SHAPE, Cause.TRUNCATED, Cause.EMPTY}
REPAIRABLE = {Cause.NOT_JSON, Cause.WRONG_SHAPE}


@dataclass(frozen=True)
class Said:
    """What came back at one step. opinion: None where it could not be read, and `reason` says why."""

    text: str
    opinion: Opinion | None = None
    reason: str = ""
    repairable: bool = True

    @property
    def unanswered(self) -> float:
        return float("inf") if self.opinion is None else unanswered(self.opinion)


class Checklist(Strategy):
    slug = "checklist"
    family = "checklist"
    name = gettext_lazy("Checklist")
    about = gettext_lazy(
        "The judge answers every question of the item's checklist with yes or no and a reason; what is met in part "
        "only is not met. The score follows from the checklist's own weights and rule."
    )
    source = "FB-Bench (arXiv 2410.09412)"
    steps = ("verdicts", "repair")

    def suits(self, judged: Judged) -> bool:
        return bool(judged.checklist)

    async def judge(self, case: Shown, prompts: Prompts, ask: Ask) -> Opinion | Unparsed:
        """One question; where its reply lacks something, a second one that only puts that reply into shape."""
        reply = await _put("verdicts", case, prompts, ask)
        if reply.unanswered and reply.repairable:
            repaired = await _put("repair", case, prompts, ask, reply=reply.text)
            reply = min(reply, repaired, key=lambda candidate: candidate.unanswered)
        return reply.opinion or Unparsed(reply.reason, reply.text)


async def _put(step: str, case: Shown, prompts: Prompts, ask: Ask, **more: str) -> Said:
    """Raises CallFailed where the model has not answered."""
    messages = asked(prompts.text(step, case.language), case, **more).messages()
    question = Question(f"{case.at}/{step}", messages, Verdicts, temperature=0.0, max_tokens=MOST_TOKENS)
    try:
        reply = await ask(question)
    except CallFailed as failed:
        if failed.cause not in UNREADABLE:
            raise
        return Said(failed.said, reason=_why(failed), repairable=failed.cause in REPAIRABLE and bool(failed.said))
    assert isinstance(reply.read, Verdicts)
    return _read(reply.text, reply.read, case.judged)


def _read(text: str, verdicts: Verdicts, judged: Judged) -> Said:
    checklist_opinion = opinion(verdicts, judged)
    if any(piece.score_first is not None for piece in checklist_opinion.pieces if piece.joined != "surplus"):
        return Said(text, checklist_opinion)
    return Said(text, reason=_("None of the questions in the reply is one of the checklist."))


def _why(failed: CallFailed) -> str:
    """By its cause: the same however often the reply is read again."""
    match failed.cause:
        case Cause.TRUNCATED:
            return _("The reply was cut off before its end.")
        case Cause.EMPTY:
            return _("The reply is empty.")
        case Cause.NOT_JSON:
            return _("There is no JSON in the reply.")
    return _("The JSON of the reply has another shape: %(fault)s") % {"fault": failed.detail}


STRATEGIES: list[Strategy] = [Checklist()]
