"""The gold answer of a prompt: written by a model where there is none, and which text counts as gold in the end."""

from annotate.kinds.prompt.shapes import PromptDraft, PromptFacts
from annotate.kinds.protocol import Ask, Prompts, Question
from annotate.kinds.shapes import Finding, Told
from annotate.kinds.values import Suggested
from lib.texts.fencing import fenced
from lib.texts.said import say as _

STEP = "gold"


class GoldAnswer(Told):
    gold_answer: str


async def written(facts: PromptFacts, prompts: Prompts, ask: Ask, *, language: str) -> Suggested:
    """A draft with the model's answer in it; nothing is said of whether it is right. Raises CallFailed."""
    question = fenced(prompts.text(STEP, language), {"prompt": facts.prompt}, language=language)
    reply = await ask(Question(STEP, question.messages(), GoldAnswer))
    assert isinstance(reply.read, GoldAnswer)
    text = reply.read.gold_answer.strip()
    doubts = [] if text else [Finding("edited_answer", _("the model wrote nothing."), "model")]
    return Suggested({"ability": "", "gold_verdict": None, "edited_answer": text, "note": ""}, doubts)


def text_of(facts: PromptFacts, draft: PromptDraft) -> str:
    """What a decided prompt is answered by; "" where there is nothing, or people have called it wrong."""
    if draft.gold_verdict == "wrong":
        return ""
    is_drafts_own = draft.gold_verdict == "edited" or not facts.gold_answer
    return draft.edited_answer if is_drafts_own else facts.gold_answer or ""
