"""What the kinds of votes about blinded answers share: the question that was asked, and a draft of opinions. Pure."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import Field as Limits

from annotate.kinds.contract import Kind
from annotate.kinds.mixins import Draft, Options
from annotate.kinds.protocol import CandidatePrompt as Question
from annotate.kinds.protocol import JudgedItem, Message
from annotate.kinds.shapes import Shape

Text = Annotated[str, Limits(min_length=1)]
LONGEST_REASON = 2000


class PromptTurn(Shape):
    """One message of the conversation before the question that was answered."""

    role: Literal["system", "user", "assistant"]
    content: str


class VotePrompt(Shape):
    """What was asked, as a judge sees it. prompt: the last message; before: those that led to it, if there are any."""

    prompt: Text
    before: list[PromptTurn] | None = None


VoteFacts = TypeVar("VoteFacts", bound=VotePrompt)


class VoteKind(Kind[VoteFacts, Draft, Options]):
    """Votes about answers whose authors nobody names.

    People who differ are what such a study counts, so that there is nothing to settle between them.
    """

    opinions = True
    fact_labels = {"prompt": gettext_lazy("Question"), "before": gettext_lazy("Messages before the question")}

    def voter_guidelines(self) -> str:
        return "\n".join([*self.own_guidelines(), *(f"- {rule}" for rule in _shared_rules())]) + "\n"

    def own_guidelines(self) -> Sequence[str]:
        """Lines of Markdown about what is asked in this kind; rules that all votes share follow as a list."""
        return []

    def asked(self, facts: VoteFacts, draft: Draft, options: Options) -> Question:
        return Question(_messages(facts))

    def judged(self, facts: VoteFacts, draft: Draft, options: Options) -> JudgedItem:
        """The question, and nothing that people say: a judge reads what voters read."""
        return JudgedItem(_messages(facts))

    def title(self, facts: VoteFacts) -> str:
        return " ".join(facts.prompt.split())[:160] or "…"

    def reading_text(self, facts: VoteFacts) -> str:
        return facts.prompt


def _messages(facts: VotePrompt) -> list[Message]:
    previous_messages: list[Message] = [{"role": turn.role, "content": turn.content} for turn in facts.before or ()]
    return [*previous_messages, {"role": "user", "content": facts.prompt}]


def _shared_rules() -> list[str]:
    return [
        _("Judge for the person who asked: what counts is what helps them, not what you would have asked."),
        _("Correctness comes first, then completeness, then clarity."),
        _("Length, layout and tone count only where the prompt asks for them."),
        _("Read to the end, and check the facts that you can."),
        _(
            "Do not guess who wrote an answer. If you think you know, tick “I can tell which model this is” "
            "before you vote."
        ),
    ]


def prompt_facts(judged: JudgedItem) -> dict[str, Any] | None:
    """The facts of what was asked; None if the last message is empty."""
    *previous_messages, last_message = judged.messages
    if not last_message["content"].strip():
        return None
    turns = [{"role": turn["role"], "content": turn["content"]} for turn in previous_messages]
    return {"prompt": last_message["content"], **({"before": turns} if turns else {})}


def reason(data: QueryDict, name: str = "reason") -> str:
    """A reason as the form posted it; browsers send CRLF."""
    return data.get(name, "").replace("\r\n", "\n")[:LONGEST_REASON]
