"""Perturbations of gold answers: the blind spots of judges (FBI, arXiv 2406.13439); with the published tuples.

The published names of a tuple are task, category, cdx, question, og, perturbed_gpt4.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from annotate.kinds.contract import Kind
from annotate.kinds.perturbation import doubts, generation
from annotate.kinds.perturbation.shapes import (
    INVARIANT_ABILITY,
    PerturbationDraft,
    PerturbationFacts,
    PerturbationOptions,
)
from annotate.kinds.protocol import CandidatePrompt, JudgedItem, Message
from annotate.kinds.shapes import Finding
from annotate.kinds.values import Field, GenerationRequest, Native
from lib.texts.stored_sentences import say as _

PUBLISHED = {
    "task": "ability",
    "category": "category",
    "cdx": "cdx",
    "question": "prompt",
    "og": "gold_answer",
    "perturbed_gpt4": "perturbed_answer",
}


def ours(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with our names, whichever names it uses, and with its key if it has none."""
    native_row = {PUBLISHED.get(name, name): value for name, value in row.items()}
    if native_row.get("verdict") is not None:
        native_row.setdefault("note", "")
    category, cdx = native_row.get("category"), native_row.get("cdx")
    if "key" not in native_row and isinstance(category, str) and isinstance(cdx, str):
        native_row["key"] = f"{category}/{cdx}"
    return native_row


def published(facts: Mapping[str, Any], draft: Mapping[str, Any]) -> dict[str, Any]:
    """The row as it is released: the tuple first, then our additions. What is absent stays absent."""
    row = {**facts, **draft}
    tuple_ = {published_name: row.pop(name) for published_name, name in PUBLISHED.items() if name in row}
    return tuple_ | row


# Verdict -> its name and its meaning, on the keys 1 to 5.
VERDICTS = {
    "valid": (gettext_lazy("Valid"), gettext_lazy("wrong as intended")),
    "invalid": (gettext_lazy("Invalid"), gettext_lazy("not wrong, or wrong in another way")),
    "score_invariant": (gettext_lazy("Score invariant"), gettext_lazy("changed, but equally good")),
    "not_relevant": (gettext_lazy("Not relevant"), gettext_lazy("outside this category")),
    "not_sure": (gettext_lazy("Not sure"), gettext_lazy("someone else decides")),
}
USELESS = ("invalid", "not_relevant")


class Perturbation(Kind[PerturbationFacts, PerturbationDraft, PerturbationOptions]):
    """Say whether a perturbed answer is wrong in the way its category asks for, and correct it where it is not.

    Facts: prompt, gold answer, ability, category, the generator's explanation. Draft: perturbed answer, verdict, note.
    """

    slug = "perturbation"
    wordless = ("ability", "category", "cdx")
    name = gettext_lazy("Perturbations")
    about = gettext_lazy("Validate answers that were made worse on purpose, to find what judges miss.")
    facts, draft, options = PerturbationFacts, PerturbationDraft, PerturbationOptions
    live_template = "perturbation/difference.html"

    def title(self, facts: PerturbationFacts) -> str:
        return " ".join(facts.prompt.split())[:160] or facts.category[:160]

    def group(self, facts: PerturbationFacts, draft: PerturbationDraft | None) -> str:
        return facts.category

    def groups(self, options: PerturbationOptions) -> Sequence[str]:
        return list(options.taxonomy.categories)

    def reading_text(self, facts: PerturbationFacts) -> str:
        return facts.prompt

    def texts(self, facts: PerturbationFacts) -> Mapping[str, str]:
        return {"prompt": facts.prompt, "gold_answer": facts.gold_answer, "explanation": facts.explanation}

    def empty_draft(self, facts: PerturbationFacts) -> dict[str, Any]:
        return {"perturbed_answer": "", "verdict": None, "note": ""}

    def fields(self, facts: PerturbationFacts) -> Sequence[Field]:
        return [
            Field("verdict", gettext_lazy("Is the perturbation what the category asks for?"), "choice"),
            Field("perturbed_answer", gettext_lazy("Perturbed answer"), "text"),
            Field("note", gettext_lazy("Note"), "text", free=True),
        ]

    def problems(
        self, facts: PerturbationFacts, draft: PerturbationDraft, options: PerturbationOptions
    ) -> list[Finding]:
        findings = []
        if draft.verdict is None:
            findings.append(Finding("verdict", _("choose a verdict.")))
        if not draft.perturbed_answer.strip() and not self.unsuitable(draft):
            findings.append(Finding("perturbed_answer", _("write the perturbed answer.")))
        return findings

    def doubts(self, facts: PerturbationFacts, draft: PerturbationDraft, options: PerturbationOptions) -> list[Finding]:
        return list(doubts.doubts(facts, draft, options.taxonomy.categories.get(facts.category)))

    def unsuitable(self, draft: PerturbationDraft) -> bool:
        return draft.verdict in USELESS

    def revised(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
        """Another perturbed answer in place of an existing one; `problems` refuses an empty one."""
        old, new = before.get("perturbed_answer") or "", after.get("perturbed_answer") or ""
        return bool(old and new.strip()) and old != new

    def passed_on(self, draft: Mapping[str, Any]) -> dict[str, Any]:
        """Only the corrected answer: the next person judges independently."""
        return {**draft, "verdict": None, "note": ""}

    def read_form(self, data: QueryDict, facts: PerturbationFacts) -> dict[str, Any]:
        verdict = data.get("verdict", "")
        return {
            "perturbed_answer": _text(data.get("perturbed_answer", "")),
            "verdict": verdict if verdict in VERDICTS else None,
            "note": _text(data.get("note", "")),
        }

    def form_context(
        self, facts: PerturbationFacts, draft: Mapping[str, Any], options: PerturbationOptions
    ) -> dict[str, Any]:
        taxonomy = options.taxonomy
        category = taxonomy.categories.get(facts.category)
        return {
            "verdicts": [(value, name, means) for value, (name, means) in VERDICTS.items()],
            "ability": taxonomy.ability_name(facts.ability),
            "category": taxonomy.category_name(facts.category),
            "words": category.words if category else None,
        }

    def shown(self, name: str, value: Any) -> str:
        return str(VERDICTS[value][0]) if name == "verdict" and value in VERDICTS else super().shown(name, value)

    def wanted(self, options: PerturbationOptions) -> Sequence[GenerationRequest]:
        taxonomy = options.taxonomy
        return [
            GenerationRequest(
                group=slug,
                name=category.words.name,
                part=taxonomy.ability_name(category.counted_as),
                field="verdict",
                value=category.expects,
                count=options.wanted if category.wanted is None else category.wanted,
            )
            for slug, category in taxonomy.categories.items()
        ]

    judges_answers = perturbs = True

    def asked(
        self, facts: PerturbationFacts, draft: PerturbationDraft, options: PerturbationOptions
    ) -> CandidatePrompt:
        return CandidatePrompt(_messages(facts), temperature=0.0, group=facts.category)

    def judged(self, facts: PerturbationFacts, draft: PerturbationDraft, options: PerturbationOptions) -> JudgedItem:
        """A verdict, if there is one, is a label, so that reports can divide by it.

        The ability stays that of the prompt, whose axis a judge is told, even if the item counts as score-invariant.
        """
        labels = {"ability": [facts.ability], "category": [facts.category]}
        category = options.taxonomy.categories.get(facts.category)
        is_control = category is not None and category.counted_as == INVARIANT_ABILITY
        return JudgedItem(
            _messages(facts),
            labels=labels | ({"verdict": [draft.verdict]} if draft.verdict else {}),
            counted_as=INVARIANT_ABILITY if is_control else "",
        )

    def answers(self, facts: PerturbationFacts, draft: PerturbationDraft) -> Mapping[str, tuple[str, str]]:
        """The gold answer, and the perturbed one unless somebody has called it unusable."""
        held = {"gold": ("gold", facts.gold_answer)}
        if draft.verdict not in (*USELESS, "not_sure"):
            held["perturbed"] = ("perturbed", draft.perturbed_answer)
        return {author: (sort, text) for author, (sort, text) in held.items() if text.strip()}

    def parent_key(self, facts: PerturbationFacts) -> str:
        """Published numbers begin with the prompt's number: `factual-87_entity-errors` belongs to `factual-87`."""
        return (facts.cdx or "").partition("_")[0]

    def groups_made(self, options: PerturbationOptions) -> Mapping[str, str]:
        taxonomy = options.taxonomy
        return {
            slug: f"{taxonomy.ability_name(category.counted_as)}: {category.words.name}"
            for slug, category in taxonomy.categories.items()
        }

    def making_step(self, group: str, options: PerturbationOptions) -> str:
        return generation.step_for(group, options)

    def wordings(self) -> Mapping[tuple[str, str], str]:
        return generation.wordings()

    def passes(self, facts: PerturbationFacts, draft: PerturbationDraft, options: PerturbationOptions) -> bool:
        category = options.taxonomy.categories.get(facts.category)
        return draft.verdict == (category.expects if category else "valid")

    def read_row(self, row: Mapping[str, Any]) -> Native:
        return super().read_row(ours(row))

    def write_row(self, facts: Mapping[str, Any], draft: Mapping[str, Any]) -> dict[str, Any]:
        return published(facts, draft)


def _messages(facts: PerturbationFacts) -> list[Message]:
    return [{"role": "user", "content": facts.prompt}]


def _text(posted: str) -> str:
    """Browsers send CRLF; what it is compared with uses LF."""
    return posted.replace("\r\n", "\n")


KIND = Perturbation()
