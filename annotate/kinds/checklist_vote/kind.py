"""Checklist votes: does a blinded answer meet each question of its checklist? Facts, draft and the kind."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy, pgettext_lazy
from pydantic import Field as pydantic_Field

from annotate.kinds import voting
from annotate.kinds.protocol import JudgedItem
from annotate.kinds.shapes import Finding, LenientOptions, Shape
from annotate.kinds.values import Field
from annotate.kinds.voting import Text, VotePrompt
from lib.texts.stored_sentences import say as _

Vote = Literal["yes", "no", "cannot_tell"]


class ChecklistVoteFacts(VotePrompt):
    """An answer, and the yes/no questions about it."""

    answer: Text
    questions: Annotated[list[Text], pydantic_Field(min_length=1)]


class ChecklistVoteDraft(Shape):
    """votes, reasons: one for each question, in the order of the facts; None: not answered yet, "": no reason given.

    recognised: its writer believes to know who wrote the answer.
    """

    votes: list[Vote | None]
    reasons: list[str]
    recognised: bool

    def stored(self) -> dict[str, Any]:
        return self.model_dump()


VOTES = {
    "yes": pgettext_lazy("vote", "Yes"),
    "no": pgettext_lazy("vote", "No"),
    "cannot_tell": gettext_lazy("Cannot tell"),
}
VALUES = {"yes": 1.0, "no": 0.0, "cannot_tell": None}


FIELDS = (
    Field("votes", gettext_lazy("Does the answer meet it?"), "choice"),
    Field("reasons", gettext_lazy("Reasons"), "text", free=True),
    Field("recognised", gettext_lazy("I can tell which model this is"), "flag", free=True),
)


class ChecklistVote(voting.VoteKind[ChecklistVoteFacts, ChecklistVoteDraft, LenientOptions]):
    """Say of one answer whether it meets each question of a checklist, without knowing whose it is.

    Facts: what was asked, the answer, the questions. Draft: yes, no or cannot tell for each, with a reason.
    """

    slug = "checklist_vote"
    name = gettext_lazy("Checklist votes")
    about = gettext_lazy("Say whether a blinded answer meets each question of its checklist.")
    facts, draft = ChecklistVoteFacts, ChecklistVoteDraft
    fact_labels = {
        **voting.VoteKind.fact_labels,
        "answer": gettext_lazy("Answer"),
        "questions": gettext_lazy("Questions"),
    }
    voted, answers_shown = "checklist", 1

    def own_guidelines(self) -> Sequence[str]:
        return [
            "# " + _("What does the answer meet?"),
            "",
            _(
                "Answer each question on its own, from the text of the answer: an answer may fail one question "
                "and meet the next."
            ),
            "",
            "- **" + _("Cannot tell") + "**: " + _("you lack the knowledge, or the question does not fit this answer."),
            "",
        ]

    def texts(self, facts: ChecklistVoteFacts) -> Mapping[str, str]:
        questions = {f"questions[{index}]": text for index, text in enumerate(facts.questions)}
        return {"prompt": facts.prompt, "answer": facts.answer, **questions}

    def empty_draft(self, facts: ChecklistVoteFacts) -> dict[str, Any]:
        count = len(facts.questions)
        return {"votes": [None] * count, "reasons": [""] * count, "recognised": False}

    def fields(self, facts: ChecklistVoteFacts) -> Sequence[Field]:
        return FIELDS

    def problems(self, facts: ChecklistVoteFacts, draft: ChecklistVoteDraft, options: LenientOptions) -> list[Finding]:
        count = len(facts.questions)
        if len(draft.votes) != count:
            return [Finding("votes", _("give one vote for each of the %(n)d questions.") % {"n": count})]
        if len(draft.reasons) != count:
            return [
                Finding(
                    "reasons", _("give one reason, which may be empty, for each of the %(n)d questions.") % {"n": count}
                )
            ]
        return [
            Finding(f"votes[{index}]", _("choose yes, no or cannot tell."), source="blank")
            for index, vote in enumerate(draft.votes)
            if vote is None
        ]

    def read_form(self, data: QueryDict, facts: ChecklistVoteFacts) -> dict[str, Any]:
        numbers = range(1, len(facts.questions) + 1)
        posted = [data.get(f"vote-{number}", "") for number in numbers]
        return {
            "votes": [vote if vote in VOTES else None for vote in posted],
            "reasons": [voting.reason(data, f"reason-{number}") for number in numbers],
            "recognised": data.get("recognised") == "1",
        }

    def form_context(
        self, facts: ChecklistVoteFacts, draft: Mapping[str, Any], options: LenientOptions
    ) -> dict[str, Any]:
        """rows: question, vote and reason of each, even if a stored draft is shorter than the checklist."""
        votes, reasons = (list(draft.get(name) or []) for name in ("votes", "reasons"))
        missing = len(facts.questions)
        rows = zip(facts.questions, votes + [None] * missing, reasons + [""] * missing, strict=False)
        return {"rows": list(rows), "values": list(VOTES.items())}

    def shown(self, name: str, value: Any) -> str:
        if name == "votes" and isinstance(value, list):
            labels = [str(VOTES.get(vote, "–")) for vote in value]
            return "\n".join(f"{number}. {vote}" for number, vote in enumerate(labels, start=1))
        if name == "reasons" and isinstance(value, list):
            return "\n".join(f"{number}. {text}" for number, text in enumerate(value, start=1) if text)
        return (_("Yes") if value else _("No")) if name == "recognised" else super().shown(name, value)

    def ballot(self, judged: JudgedItem, texts: Sequence[str]) -> dict[str, Any] | None:
        query_facts, questions = voting.prompt_facts(judged), [question.text for question in judged.checklist]
        if query_facts is None or not questions or not all(text.strip() for text in texts):
            return None
        return {**query_facts, "answer": texts[0], "questions": questions}

    def votes(self, facts: ChecklistVoteFacts, draft: ChecklistVoteDraft) -> Mapping[str, float | str | None]:
        votes = enumerate(draft.votes, start=1)
        return {str(number): VALUES[vote] for number, vote in votes if vote is not None}


KIND = ChecklistVote()
