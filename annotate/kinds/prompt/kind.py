"""Prompts: which ability each one tests, and whether its gold answer is right (FBI, arXiv 2406.13439)."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy
from pydantic import Field as pydantic_Field

from annotate.kinds.contract import Kind
from annotate.kinds.option_labels import OptionLabel
from annotate.kinds.perturbation import generation
from annotate.kinds.perturbation.shapes import CategoryOptions, PerturbationOptions
from annotate.kinds.protocol import Ask, Prompts, Question
from annotate.kinds.shapes import AnswerShape, Finding, Shape
from annotate.kinds.values import Field, GeneratedItem, ModelSuggestion
from lib.texts.fencing import fenced
from lib.texts.stored_sentences import say as _

Text = Annotated[str, pydantic_Field(min_length=1)]
GoldVerdict = Literal["right", "wrong", "edited"]


class PromptFacts(Shape):
    """A prompt, and the answer that counts as gold, where there is one already."""

    prompt: Text
    gold_answer: str | None = None


class PromptDraft(Shape):
    """ability: its slug in the project's list. gold_verdict: what a person says of the gold answer; None: nothing.

    edited_answer: the gold answer as it should be; empty unless the verdict is `edited`.
    """

    ability: str
    gold_verdict: GoldVerdict | None
    edited_answer: str
    note: str

    def stored(self) -> dict[str, Any]:
        return self.model_dump()


class PromptOptions(CategoryOptions):
    """verified_share: of which share of the gold answers people say whether they are right; drawn by the prompt."""

    verified_share: Annotated[
        float,
        OptionLabel(
            gettext_lazy("Share of gold answers that people verify"),
            help=gettext_lazy("Drawn by the prompt, so that everybody is asked about the same ones."),
            example="25",
            percent=True,
        ),
    ] = pydantic_Field(default=1.0, ge=0, le=1)


# Gold answers: a model writes missing ones; and which text counts as gold in the end.


STEP = "gold"


class GoldAnswer(AnswerShape):
    gold_answer: str


async def write_gold(facts: PromptFacts, prompts: Prompts, ask: Ask, *, language: str) -> ModelSuggestion:
    """A draft with the model's answer; it does not say whether the answer is right. Raises CallFailed."""
    question = fenced(prompts.text(STEP, language), {"prompt": facts.prompt}, language=language)
    reply = await ask(Question(STEP, question.messages(), GoldAnswer))
    assert isinstance(reply.read, GoldAnswer)
    text = reply.read.gold_answer.strip()
    doubts = [] if text else [Finding("edited_answer", _("the model wrote nothing."), "model")]
    return ModelSuggestion({"ability": "", "gold_verdict": None, "edited_answer": text, "note": ""}, doubts)


def text_of(facts: PromptFacts, draft: PromptDraft) -> str:
    """The gold answer of a decided prompt; "" if there is none, or people have called it wrong."""
    if draft.gold_verdict == "wrong":
        return ""
    is_drafts_own = draft.gold_verdict == "edited" or not facts.gold_answer
    return draft.edited_answer if is_drafts_own else facts.gold_answer or ""


GOLD_VERDICTS = {
    "right": (gettext_lazy("Right"), gettext_lazy("nothing has to change")),
    "wrong": (gettext_lazy("Wrong"), gettext_lazy("not usable as a gold answer")),
    "edited": (gettext_lazy("Edited"), gettext_lazy("right as edited below")),
}


FIELDS = (
    Field("ability", gettext_lazy("Ability"), "choice"),
    Field("gold_verdict", gettext_lazy("Is the gold answer right?"), "choice"),
    Field("edited_answer", gettext_lazy("Gold answer"), "text", free=True),
    Field("note", gettext_lazy("Note"), "text", free=True),
)
_CORRECTED = Field("edited_answer", gettext_lazy("Corrected gold answer"), "text", free=True)
FIELDS_OF_CORRECTION = tuple(_CORRECTED if field.name == _CORRECTED.name else field for field in FIELDS)


class Prompt(Kind[PromptFacts, PromptDraft, PromptOptions]):
    """Sort prompts into abilities, and verify gold answers: all, or a share drawn at random.

    Facts: prompt, perhaps a gold answer. Draft: ability, what is to be said of the gold answer, its better text, note.
    """

    slug = "prompt"
    name = gettext_lazy("Prompts")
    about = gettext_lazy("Sort prompts into abilities and verify their gold answers.")
    facts, draft, options = PromptFacts, PromptDraft, PromptOptions
    fact_labels = {"prompt": gettext_lazy("Prompt"), "gold_answer": gettext_lazy("Gold answer")}

    def listed_values(self, options: PromptOptions) -> Mapping[str, Sequence[str]]:
        return {"ability": list(options.taxonomy.abilities)}

    def title(self, facts: PromptFacts) -> str:
        return " ".join(facts.prompt.split())[:160] or "…"

    def group(self, facts: PromptFacts, draft: PromptDraft | None) -> str:
        return draft.ability[:120] if draft else ""

    def groups(self, options: PromptOptions) -> Sequence[str]:
        return list(options.taxonomy.abilities)

    def reading_text(self, facts: PromptFacts) -> str:
        return facts.prompt

    def texts(self, facts: PromptFacts) -> Mapping[str, str]:
        return {"prompt": facts.prompt, "gold_answer": facts.gold_answer or ""}

    def empty_draft(self, facts: PromptFacts) -> dict[str, Any]:
        return {"ability": "", "gold_verdict": None, "edited_answer": "", "note": ""}

    def fields(self, facts: PromptFacts) -> Sequence[Field]:
        return FIELDS_OF_CORRECTION if facts.gold_answer else FIELDS

    def problems(self, facts: PromptFacts, draft: PromptDraft, options: PromptOptions) -> list[Finding]:
        return [*_of_the_ability(draft, options), *_of_the_gold_answer(facts, draft, options)]

    def read_form(self, data: QueryDict, facts: PromptFacts) -> dict[str, Any]:
        verdict = data.get("gold_verdict", "")
        return {
            "ability": data.get("ability", ""),
            "gold_verdict": verdict if verdict in GOLD_VERDICTS else None,
            "edited_answer": _text(data.get("edited_answer", "")),
            "note": _text(data.get("note", "")),
        }

    def form_context(self, facts: PromptFacts, draft: Mapping[str, Any], options: PromptOptions) -> dict[str, Any]:
        """An ability that the project no longer has is offered too, so that it is not lost."""
        taxonomy = options.taxonomy
        ability = draft.get("ability", "")
        slugs = [*taxonomy.abilities, *([ability] if ability and ability not in taxonomy.abilities else [])]
        return {
            "abilities": [(slug, taxonomy.ability_name(slug)) for slug in slugs],
            "verdicts": [(value, name, means) for value, (name, means) in GOLD_VERDICTS.items()],
            "verifies": verifies(facts, options) and has_gold(facts, draft.get("edited_answer")),
            "has_gold": has_gold(facts, draft.get("edited_answer")),
        }

    gold_steps = (STEP,)
    label_fields = ("ability",)
    child_kind = "perturbation"

    def lacks_gold(self, facts: PromptFacts) -> bool:
        return not facts.gold_answer

    async def answer_as_gold(
        self, facts: PromptFacts, options: PromptOptions, prompts: Prompts, ask: Ask, *, language: str
    ) -> ModelSuggestion:
        return await write_gold(facts, prompts, ask, language=language)

    def to_make(self, facts: PromptFacts, draft: PromptDraft, options: PerturbationOptions) -> Sequence[str]:
        return generation.fitting(draft.ability, options) if text_of(facts, draft).strip() else []

    async def make(
        self,
        group: str,
        facts: PromptFacts,
        draft: PromptDraft,
        options: PerturbationOptions,
        prompts: Prompts,
        ask: Ask,
        *,
        language: str,
    ) -> GeneratedItem:
        answer = text_of(facts, draft)
        return await generation.perturb(group, facts.prompt, answer, options, prompts, ask, language=language)

    def shown(self, name: str, value: Any) -> str:
        is_known = name == "gold_verdict" and value in GOLD_VERDICTS
        return str(GOLD_VERDICTS[value][0]) if is_known else super().shown(name, value)


def has_gold(facts: PromptFacts, edited_answer: str | None) -> bool:
    """Whether there is a gold answer: from the file, or written by a model or a person."""
    return bool(facts.gold_answer or (edited_answer or "").strip())


def verifies(facts: PromptFacts, options: PromptOptions) -> bool:
    """Whether people are asked about this gold answer. Deterministic: the same prompt always gets the same result."""
    digest = hashlib.sha256(facts.prompt.encode("utf-8", "surrogatepass")).digest()[:8]
    return int.from_bytes(digest, "big") / 2**64 < options.verified_share


def _of_the_ability(draft: PromptDraft, options: PromptOptions) -> Iterator[Finding]:
    abilities = options.taxonomy.abilities
    if not draft.ability:
        yield Finding("ability", _("choose an ability."))
    elif draft.ability not in abilities:
        message = _("“%(value)s” is not allowed here; allowed: %(allowed)s.")
        yield Finding("ability", message % {"value": draft.ability[:60], "allowed": ", ".join(abilities)})


def _of_the_gold_answer(facts: PromptFacts, draft: PromptDraft, options: PromptOptions) -> Iterator[Finding]:
    is_there = has_gold(facts, draft.edited_answer)
    if is_there and verifies(facts, options) and draft.gold_verdict is None:
        yield Finding("gold_verdict", _("say whether the gold answer is right."))
    if draft.gold_verdict is not None and not is_there:
        yield Finding("gold_verdict", _("there is no gold answer; leave the verdict out."))
    if draft.gold_verdict == "edited" and draft.edited_answer.strip() in ("", (facts.gold_answer or "").strip()):
        yield Finding("edited_answer", _("write the corrected gold answer."))


def _text(posted: str) -> str:
    """Browsers send CRLF; what it is compared with uses LF."""
    return posted.replace("\r\n", "\n")


KIND = Prompt()
