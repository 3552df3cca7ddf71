"""Use cases that people report of their own conversations with assistants (URS, arXiv 2404.13940)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from annotate.kinds.base import Kind
from annotate.kinds.judged import Asked, Judged
from annotate.kinds.protocol import Ask, Message, Prompts
from annotate.kinds.reported import Reported
from annotate.kinds.shapes import Finding
from annotate.kinds.use_case import classification, preannotation, reading
from annotate.kinds.use_case.intents import named
from annotate.kinds.use_case.shapes import UseCaseDraft, UseCaseFacts, UseCaseOptions
from annotate.kinds.values import Classified, Field, Suggested
from lib.texts.said import say as _

REFERENCE = "reference"  # the author of the answers that count as references


class UseCase(Kind):
    """Vet a reported case, say what its user wanted, and give it a reference answer.

    Facts: question, perhaps a conversation, an answer, the user's own intent, the service, how difficult the task was
    and how satisfied its user. Draft: kept or dropped and why, personal
    data, harm, the question that candidates get, the intent, the reference.
    """

    slug = "use_case"
    name = gettext_lazy("Use cases")
    about = gettext_lazy("Vet what people report of their conversations, name their intent, verify a reference answer.")
    facts, draft, options = UseCaseFacts, UseCaseDraft, UseCaseOptions

    def title(self, facts: UseCaseFacts) -> str:
        return " ".join(facts.question.split())[:160] or "…"

    def group(self, facts: UseCaseFacts, draft: UseCaseDraft | None) -> str:
        return (draft.intent if draft else facts.user_intent or "")[:120]

    def groups(self, options: UseCaseOptions) -> Sequence[str]:
        return list(options.intents)

    def reading_text(self, facts: UseCaseFacts) -> str:
        return facts.question

    def texts(self, facts: UseCaseFacts) -> Mapping[str, str]:
        turns = {f"conversation[{index}].content": turn.content for index, turn in enumerate(facts.conversation or ())}
        return {"question": facts.question, "reference_ans": facts.reference_ans or "", **turns}

    def empty_draft(self, facts: UseCaseFacts) -> dict[str, Any]:
        return reading.started(facts)

    def fields(self, facts: UseCaseFacts) -> Sequence[Field]:
        return [
            Field("keep", gettext_lazy("Keep this case?"), "flag"),
            Field("drop_reason", gettext_lazy("Why not"), "text", free=True),
            Field("personal_data", gettext_lazy("Does it hold personal data?"), "flag"),
            Field("harmless", gettext_lazy("Is it harmless?"), "flag"),
            Field("first_question", gettext_lazy("First valid question"), "text"),
            Field("intent", gettext_lazy("Intent"), "choice"),
            Field("reference", gettext_lazy("Reference answer"), "text", free=True),
        ]

    def problems(self, facts: UseCaseFacts, draft: UseCaseDraft, options: UseCaseOptions) -> list[Finding]:
        if draft.keep is False:
            return [] if draft.drop_reason.strip() else [Finding("drop_reason", _("say why the case is dropped."))]
        return [*_of_the_case(draft), *_of_the_question(draft, options)]

    def doubts(self, facts: UseCaseFacts, draft: UseCaseDraft, options: UseCaseOptions) -> list[Finding]:
        if draft.keep is False or draft.reference.strip():
            return []
        return [Finding("reference", _("there is no reference answer yet; judges that need one leave the case out."))]

    def unsuitable(self, draft: UseCaseDraft) -> bool:
        return draft.keep is False

    def read_form(self, data: QueryDict, facts: UseCaseFacts) -> dict[str, Any]:
        return reading.posted(data)

    def form_context(self, facts: UseCaseFacts, draft: Mapping[str, Any], options: UseCaseOptions) -> dict[str, Any]:
        """An intent that the list does not have is offered too, so that it is not lost."""
        draft_intent = draft.get("intent", "")
        offered = [*options.intents, *([draft_intent] if draft_intent and draft_intent not in options.intents else [])]
        return {"intents": [(intent, named(intent)) for intent in offered]}

    def shown(self, name: str, value: Any) -> str:
        if name in ("keep", "personal_data", "harmless") and isinstance(value, bool):
            return _("Yes") if value else _("No")
        return named(value) if name == "intent" and isinstance(value, str) else super().shown(name, value)

    preannotation_steps = (preannotation.STEP,)
    classification_steps = (classification.STEP,)
    label_fields = ("intent",)

    async def preannotate(
        self, facts: UseCaseFacts, options: UseCaseOptions, prompts: Prompts, ask: Ask, *, language: str
    ) -> Suggested:
        return await preannotation.drafted(facts, options, prompts, ask, language=language)

    async def classify(
        self, facts: UseCaseFacts, options: UseCaseOptions, prompts: Prompts, ask: Ask, *, language: str
    ) -> Classified:
        return await classification.classified(facts, options, prompts, ask, language=language)

    takes_reports = True
    wordless = ("language",)

    def reported(self, case: Reported) -> dict[str, Any]:
        question = next(turn["content"] for turn in case.turns if turn["role"] == "user")
        turns = [{"role": turn["role"], "content": turn["content"]} for turn in case.turns]
        attributes = {"user_intent": case.intent, "language": case.language, "service": case.service}
        rated = {"difficulty": case.difficulty, "satisfaction": case.satisfaction}
        present_facts = {name: value for name, value in (attributes | rated).items() if value}
        return {"question": question, "conversation": turns, **present_facts}

    judges_answers = True

    def asked(self, facts: UseCaseFacts, draft: UseCaseDraft, options: UseCaseOptions) -> Asked:
        """Services are asked as their users ask them: at the temperature that they choose themselves."""
        return Asked(_messages(draft), temperature=None, group=draft.intent)

    def judged(self, facts: UseCaseFacts, draft: UseCaseDraft, options: UseCaseOptions) -> Judged:
        language = [facts.language] if facts.language else []
        return Judged(_messages(draft), labels={"intent": [draft.intent], "language": language})

    def answers(self, facts: UseCaseFacts, draft: UseCaseDraft) -> Mapping[str, tuple[str, str]]:
        return {REFERENCE: ("reference", draft.reference)} if draft.reference.strip() else {}


def _messages(draft: UseCaseDraft) -> list[Message]:
    return [{"role": "user", "content": draft.first_question}]


def _of_the_case(draft: UseCaseDraft) -> Iterator[Finding]:
    if draft.keep is None:
        yield Finding("keep", _("say whether the case is kept."), "blank")
    if draft.personal_data is None:
        yield Finding("personal_data", _("say whether the case holds personal data."), "blank")
    elif draft.personal_data:
        yield Finding("personal_data", _("a case with personal data cannot be kept: drop it."))
    if draft.harmless is None:
        yield Finding("harmless", _("say whether the case is harmless."), "blank")
    elif not draft.harmless:
        yield Finding("harmless", _("a harmful case cannot be kept: drop it."))


def _of_the_question(draft: UseCaseDraft, options: UseCaseOptions) -> Iterator[Finding]:
    if not draft.first_question.strip():
        yield Finding("first_question", _("write the question that candidates are to answer."))
    if not draft.intent:
        yield Finding("intent", _("choose an intent."))
    elif draft.intent not in options.intents:
        message = _("“%(value)s” is not allowed here; allowed: %(allowed)s.")
        yield Finding("intent", message % {"value": draft.intent[:60], "allowed": ", ".join(options.intents)})


KIND = UseCase()
