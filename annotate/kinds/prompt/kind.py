"""Prompts: which ability each one asks for, and whether its gold answer is right (FBI, arXiv 2406.13439)."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from annotate.kinds.base import Kind
from annotate.kinds.perturbation import making
from annotate.kinds.perturbation.shapes import PerturbationOptions
from annotate.kinds.prompt import gold
from annotate.kinds.prompt.shapes import PromptDraft, PromptFacts, PromptOptions
from annotate.kinds.protocol import Ask, Prompts
from annotate.kinds.shapes import Finding
from annotate.kinds.values import Field, Made, Suggested
from lib.texts.said import say as _

GOLD_VERDICTS = {
    "right": (gettext_lazy("Right"), gettext_lazy("nothing has to change")),
    "wrong": (gettext_lazy("Wrong"), gettext_lazy("of no use as gold")),
    "edited": (gettext_lazy("Edited"), gettext_lazy("right as it stands below")),
}


class Prompt(Kind):
    """Sort prompts into abilities, and verify gold answers: all, or a share drawn at random.

    Facts: prompt, perhaps a gold answer. Draft: ability, what is to be said of the gold answer, its better text, note.
    """

    slug = "prompt"
    name = gettext_lazy("Prompts")
    about = gettext_lazy("Sort prompts into abilities and verify their gold answers.")
    facts, draft, options = PromptFacts, PromptDraft, PromptOptions

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
        answer = gettext_lazy("Gold answer as it should be") if facts.gold_answer else gettext_lazy("Gold answer")
        return [
            Field("ability", gettext_lazy("Ability"), "choice"),
            Field("gold_verdict", gettext_lazy("Is the gold answer right?"), "choice"),
            Field("edited_answer", answer, "text", free=True),
            Field("note", gettext_lazy("Note"), "text", free=True),
        ]

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

    gold_steps = (gold.STEP,)
    label_fields = ("ability",)
    child_kind = "perturbation"

    def lacks_gold(self, facts: PromptFacts) -> bool:
        return not facts.gold_answer

    async def answer_as_gold(
        self, facts: PromptFacts, options: PromptOptions, prompts: Prompts, ask: Ask, *, language: str
    ) -> Suggested:
        return await gold.written(facts, prompts, ask, language=language)

    def to_make(self, facts: PromptFacts, draft: PromptDraft, options: PerturbationOptions) -> Sequence[str]:
        return making.fitting(draft.ability, options) if gold.text_of(facts, draft).strip() else []

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
    ) -> Made:
        answer = gold.text_of(facts, draft)
        return await making.perturb(group, facts.prompt, answer, options, prompts, ask, language=language)

    def shown(self, name: str, value: Any) -> str:
        is_known = name == "gold_verdict" and value in GOLD_VERDICTS
        return str(GOLD_VERDICTS[value][0]) if is_known else super().shown(name, value)


def has_gold(facts: PromptFacts, edited_answer: str | None) -> bool:
    """Whether there is a gold answer to speak of: the file's, or one that a model or a person wrote."""
    return bool(facts.gold_answer or (edited_answer or "").strip())


def verifies(facts: PromptFacts, options: PromptOptions) -> bool:
    """Whether people are asked about this gold answer. The same for the same prompt, whoever asks and whenever."""
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
        yield Finding("edited_answer", _("write the gold answer as it should be."))


def _text(posted: str) -> str:
    """Browsers send CRLF; what is compared with it says LF."""
    return posted.replace("\r\n", "\n")


KIND = Prompt()
