"""Use cases that people report from their own conversations with assistants (URS, arXiv 2404.13940).

It holds the draft that a case begins with, its form, the reference answer and the intent by a model, and the kind.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy
from pydantic import WithJsonSchema, create_model

from annotate.kinds.contract import Kind, ReportedKind
from annotate.kinds.intents import intent_name
from annotate.kinds.protocol import Ask, CandidatePrompt, JudgedItem, Message, Prompts, Question
from annotate.kinds.shapes import AnswerShape, Finding
from annotate.kinds.use_case.shapes import MEANINGS, UseCaseDraft, UseCaseFacts, UseCaseOptions
from annotate.kinds.values import Field, ModelClassification, ModelSuggestion
from lib.texts.fencing import fenced
from lib.texts.stored_sentences import say as _

ANSWERS = {"yes": True, "no": False}


def started(facts: UseCaseFacts) -> dict[str, Any]:
    """The draft of a case that nobody has worked on: the values that it came with, and no decision."""
    return {
        "keep": None,
        "drop_reason": "",
        "personal_data": None,
        "harmless": None,
        "first_question": facts.question,
        "intent": facts.user_intent or "",
        "reference": facts.reference_ans or "",
    }


def posted_fields(data: QueryDict) -> dict[str, Any]:
    """The posted form. Never raises; an unanswered field is None."""
    decided = {name: ANSWERS.get(data.get(name, "")) for name in ("keep", "personal_data", "harmless")}
    texts = {name: _text(data.get(name, "")) for name in ("drop_reason", "first_question", "intent", "reference")}
    return {**decided, **texts}


def _text(posted_text: str) -> str:
    """Browsers send CRLF; what it is compared with uses LF."""
    return posted_text.replace("\r\n", "\n")


# A reference answer by a model, for a person to verify before it counts.


REFERENCE_STEP = "reference"


class Response(AnswerShape):
    """An answer as the person who asked would read it."""

    response: str


async def drafted(
    facts: UseCaseFacts, options: UseCaseOptions, prompts: Prompts, ask: Ask, *, language: str
) -> ModelSuggestion:
    """A draft with the known values and the model's reference; nothing about quality and harm. Raises CallFailed."""
    wording = prompts.text(REFERENCE_STEP, language)
    question = fenced(wording, {"user_query": facts.question}, language=language)
    reply = await ask(Question(REFERENCE_STEP, question.messages(), Response))
    assert isinstance(reply.read, Response)
    text = reply.read.response.strip()
    return ModelSuggestion({**started(facts), "reference": text}, [_doubt(text)])


def _doubt(text: str) -> Finding:
    if not text:
        return Finding("reference", _("the model wrote nothing."), "model")
    return Finding("reference", _("a model wrote this: check it before it counts as the reference."), "model")


# Classification: the intent that a model assigns to a question. It sees the question alone, not the user's own label.


INTENT_STEP = "intent"


class Intended(AnswerShape):
    """intent: one of the project's list."""

    intent: str


async def classified(
    facts: UseCaseFacts, options: UseCaseOptions, prompts: Prompts, ask: Ask, *, language: str
) -> ModelClassification:
    """An intent that is not in the list is kept as the model wrote it. Raises CallFailed."""
    listed = {"user_query": facts.question, "intents": MEANINGS.lines(options.intents, options.definitions, language)}
    question = fenced(prompts.text(INTENT_STEP, language), listed, language=language)
    reply = await ask(Question(INTENT_STEP, question.messages(), _intended(tuple(options.intents))))
    assert isinstance(reply.read, Intended)
    intent = _plain_names(options.intents).get(_plain(reply.read.intent))
    return ModelClassification((intent or reply.read.intent.strip(),), intent is not None)


def _plain_names(intents: Sequence[str]) -> dict[str, str]:
    return {_plain(intent): intent for intent in intents}


def _plain(intent: str) -> str:
    """The intent without case, blanks, underscores, a leading dash and text after a colon: models copy whole lines."""
    name = intent.replace("：", ":").partition(":")[0].strip().removeprefix("-")
    return " ".join(name.replace("_", " ").split()).casefold()


@lru_cache(maxsize=128)
def _intended(intents: tuple[str, ...]) -> type[Intended]:
    one_of = Annotated[str, WithJsonSchema({"type": "string", "enum": list(intents)})]
    return create_model("Intended", __base__=Intended, intent=(one_of, ...))


REFERENCE = "reference"  # the author of the answers that count as references


FIELDS = (
    Field("keep", gettext_lazy("Keep this case?"), "flag"),
    Field("drop_reason", gettext_lazy("Reason"), "text", free=True),
    Field("personal_data", gettext_lazy("Does it contain personal data?"), "flag"),
    Field("harmless", gettext_lazy("Is it harmless?"), "flag"),
    Field("first_question", gettext_lazy("First valid question"), "text"),
    Field("intent", gettext_lazy("Intent"), "choice"),
    Field("reference", gettext_lazy("Reference answer"), "text", free=True),
)


class UseCase(Kind[UseCaseFacts, UseCaseDraft, UseCaseOptions]):
    """Vet a reported case, say what its user wanted, and give it a reference answer.

    Facts: question, perhaps a conversation, an answer, the user's own intent, the service, how difficult the task was
    and how satisfied its user. Draft: kept or dropped and why, personal
    data, harm, the question that candidates get, the intent, the reference.
    """

    slug = "use_case"
    name = gettext_lazy("Use cases")
    about = gettext_lazy("Review conversations that people reported, name their intent, verify a reference answer.")
    facts, draft, options = UseCaseFacts, UseCaseDraft, UseCaseOptions
    fact_labels = {
        "question": gettext_lazy("Question"),
        "reference_ans": gettext_lazy("Answer in the case"),
        "user_intent": gettext_lazy("Reported intent"),
        "language": gettext_lazy("Language"),
        "conversation": gettext_lazy("Conversation"),
        "service": gettext_lazy("Assistant"),
        "difficulty": gettext_lazy("Difficulty"),
        "satisfaction": gettext_lazy("Satisfaction"),
    }

    def listed_values(self, options: UseCaseOptions) -> Mapping[str, Sequence[str]]:
        return {"intent": options.intents}

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
        return started(facts)

    def fields(self, facts: UseCaseFacts) -> Sequence[Field]:
        return FIELDS

    def problems(self, facts: UseCaseFacts, draft: UseCaseDraft, options: UseCaseOptions) -> list[Finding]:
        if draft.keep is False:
            return [] if draft.drop_reason.strip() else [Finding("drop_reason", _("say why the case is dropped."))]
        return [*_of_the_case(draft), *_of_the_question(draft, options)]

    def doubts(self, facts: UseCaseFacts, draft: UseCaseDraft, options: UseCaseOptions) -> list[Finding]:
        if draft.keep is False or draft.reference.strip():
            return []
        return [Finding("reference", _("there is no reference answer yet; judges that need one skip the case."))]

    def unsuitable(self, draft: UseCaseDraft) -> bool:
        return draft.keep is False

    def read_form(self, data: QueryDict, facts: UseCaseFacts) -> dict[str, Any]:
        return posted_fields(data)

    def form_context(self, facts: UseCaseFacts, draft: Mapping[str, Any], options: UseCaseOptions) -> dict[str, Any]:
        """An intent that is not in the list is offered too, so that it is not lost."""
        draft_intent = draft.get("intent", "")
        offered = [*options.intents, *([draft_intent] if draft_intent and draft_intent not in options.intents else [])]
        return {"intents": [(intent, intent_name(intent)) for intent in offered]}

    def shown(self, name: str, value: Any) -> str:
        if name in ("keep", "personal_data", "harmless") and isinstance(value, bool):
            return _("Yes") if value else _("No")
        return intent_name(value) if name == "intent" and isinstance(value, str) else super().shown(name, value)

    preannotation_steps = (REFERENCE_STEP,)
    classification_steps = (INTENT_STEP,)
    label_fields = ("intent",)

    async def preannotate(
        self, facts: UseCaseFacts, options: UseCaseOptions, prompts: Prompts, ask: Ask, *, language: str
    ) -> ModelSuggestion:
        return await drafted(facts, options, prompts, ask, language=language)

    async def classify(
        self, facts: UseCaseFacts, options: UseCaseOptions, prompts: Prompts, ask: Ask, *, language: str
    ) -> ModelClassification:
        return await classified(facts, options, prompts, ask, language=language)

    takes_reports = True
    wordless = ("language",)

    def reported(self, case: ReportedKind) -> dict[str, Any]:
        question = next(turn["content"] for turn in case.turns if turn["role"] == "user")
        turns = [{"role": turn["role"], "content": turn["content"]} for turn in case.turns]
        attributes = {"user_intent": case.intent, "language": case.language, "service": case.service}
        rated = {"difficulty": case.difficulty, "satisfaction": case.satisfaction}
        present_facts = {name: value for name, value in (attributes | rated).items() if value}
        return {"question": question, "conversation": turns, **present_facts}

    judges_answers = True

    def asked(self, facts: UseCaseFacts, draft: UseCaseDraft, options: UseCaseOptions) -> CandidatePrompt:
        """Services are asked as their users ask them: at the temperature that the service chooses itself."""
        return CandidatePrompt(_messages(draft), temperature=None, group=draft.intent)

    def judged(self, facts: UseCaseFacts, draft: UseCaseDraft, options: UseCaseOptions) -> JudgedItem:
        language = [facts.language] if facts.language else []
        return JudgedItem(_messages(draft), labels={"intent": [draft.intent], "language": language})

    def answers(self, facts: UseCaseFacts, draft: UseCaseDraft) -> Mapping[str, tuple[str, str]]:
        return {REFERENCE: ("reference", draft.reference)} if draft.reference.strip() else {}


def _messages(draft: UseCaseDraft) -> list[Message]:
    return [{"role": "user", "content": draft.first_question}]


def _of_the_case(draft: UseCaseDraft) -> Iterator[Finding]:
    if draft.keep is None:
        yield Finding("keep", _("say whether the case is kept."), "blank")
    if draft.personal_data is None:
        yield Finding("personal_data", _("say whether the case contains personal data."), "blank")
    elif draft.personal_data:
        yield Finding("personal_data", _("a case with personal data cannot be kept: drop it."))
    if draft.harmless is None:
        yield Finding("harmless", _("say whether the case is harmless."), "blank")
    elif not draft.harmless:
        yield Finding("harmless", _("a harmful case cannot be kept: drop it."))


def _of_the_question(draft: UseCaseDraft, options: UseCaseOptions) -> Iterator[Finding]:
    if not draft.first_question.strip():
        yield Finding("first_question", _("write the question for the candidates to answer."))
    if not draft.intent:
        yield Finding("intent", _("choose an intent."))
    elif draft.intent not in options.intents:
        message = _("“%(value)s” is not allowed here; allowed: %(allowed)s.")
        yield Finding("intent", message % {"value": draft.intent[:60], "allowed": ", ".join(options.intents)})


KIND = UseCase()
