"""What kinds of votes about blinded answers have in common: what was asked, and a draft of opinions. Pure."""

from typing import Annotated, Any, Literal

from django.http import QueryDict
from pydantic import Field as Limits

from annotate.kinds.base import Kind
from annotate.kinds.judged import Judged
from annotate.kinds.shapes import Shape

Text = Annotated[str, Limits(min_length=1)]
LONGEST_REASON = 2000


class Turn(Shape):
    """One message of the conversation before the question that was answered."""

    role: Literal["system", "user", "assistant"]
    content: str


class Asked(Shape):
    """What was asked, as a judge sees it. prompt: the last message; before: those that led to it, if there are any."""

    prompt: Text
    before: list[Turn] | None = None


class VoteKind(Kind):
    """Votes about answers whose authors nobody names.

    People who differ are what such a study counts, so that there is nothing to settle between them.
    """

    opinions = True

    def title(self, facts: Any) -> str:
        return " ".join(facts.prompt.split())[:160] or "…"

    def reading_text(self, facts: Any) -> str:
        return str(facts.prompt)


def asked(judged: Judged) -> dict[str, Any] | None:
    """The facts that say what was asked; None where the last message is empty."""
    *before, last = judged.messages
    if not last["content"].strip():
        return None
    turns = [{"role": turn["role"], "content": turn["content"]} for turn in before]
    return {"prompt": last["content"], **({"before": turns} if turns else {})}


def reason(data: QueryDict, name: str = "reason") -> str:
    """One reason as posted: browsers send CRLF."""
    return data.get(name, "").replace("\r\n", "\n")[:LONGEST_REASON]
