"""Judgements in branches: criteria, guidelines, scores with reasons, corrections (Fennec, arXiv 2405.12163)."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from annotate.kinds.base import Kind
from annotate.kinds.branching import bridging, checks, editing, form, preannotation
from annotate.kinds.branching.scoring import SIDES
from annotate.kinds.branching.shapes import Branch, BranchingDraft, BranchingFacts, BranchingOptions
from annotate.kinds.judged import Asked, Judged, Pair, Preferred, Standard
from annotate.kinds.protocol import Ask, Message, Prompts
from annotate.kinds.shapes import Finding
from annotate.kinds.values import Field, Suggested


class Branching(Kind):
    """Refine a tree of judgements: criteria of a query, a guideline for each, scores with reasons, corrections.

    Facts: query, one response or two, perhaps which of them people prefer. Draft: branches, each a criterion with its
    guideline and judgement, linked by ids; a corrected text of each response, and the judgements it was written from.
    """

    slug = "branching"
    name = gettext_lazy("Branching judgements")
    about = gettext_lazy("Refine criteria, guidelines, scores and corrections, step by step, to train a judge with.")
    facts, draft, options = BranchingFacts, BranchingDraft, BranchingOptions
    live_template = "branching/difference.html"

    def title(self, facts: BranchingFacts) -> str:
        return " ".join(facts.query.split())[:160] or "…"

    def group(self, facts: BranchingFacts, draft: BranchingDraft | None) -> str:
        return (facts.scenario or "")[:120]

    def reading_text(self, facts: BranchingFacts) -> str:
        return facts.query

    def texts(self, facts: BranchingFacts) -> Mapping[str, str]:
        judgement_texts = {"original.text": facts.original.text or ""} if facts.original else {}
        return {"query": facts.query, "first": facts.first, "second": facts.second or "", **judgement_texts}

    def parent_key(self, facts: BranchingFacts) -> str:
        """Of an item that was made of accepted work of ours: its key there."""
        return bridging.parent_key(facts)

    def empty_draft(self, facts: BranchingFacts) -> dict[str, Any]:
        return BranchingDraft(branches=[]).stored()

    def fields(self, facts: BranchingFacts) -> Sequence[Field]:
        first_label = gettext_lazy("Correction") if facts.second is None else gettext_lazy("Correction of A")
        second = Field("correction_second", gettext_lazy("Correction of B"), "text", free=True)
        return [
            Field("branches", gettext_lazy("Criteria"), "text", free=True),
            Field("correction_first", first_label, "text", free=True),
            *([] if facts.second is None else [second]),
        ]

    def problems(self, facts: BranchingFacts, draft: BranchingDraft, options: BranchingOptions) -> list[Finding]:
        return list(checks.problems(facts, draft))

    def doubts(self, facts: BranchingFacts, draft: BranchingDraft, options: BranchingOptions) -> list[Finding]:
        return list(checks.doubts(facts, draft, options))

    def read_form(self, data: QueryDict, facts: BranchingFacts) -> dict[str, Any]:
        return form.posted_draft(data)

    def edited(self, draft: dict[str, Any], action: str, facts: BranchingFacts) -> dict[str, Any]:
        return editing.edited(draft, action)

    def form_context(
        self, facts: BranchingFacts, draft: Mapping[str, Any], options: BranchingOptions
    ) -> dict[str, Any]:
        return form.context(facts, draft, options)

    def shown(self, name: str, value: Any) -> str:
        if name == "branches" and isinstance(value, list):
            return form.as_text(value)
        return super().shown(name, value)

    preannotation_steps = preannotation.STEPS

    def asks(self, step: str, facts: BranchingFacts) -> bool:
        """One response is judged, two are compared; criteria are recovered where there is a judgement."""
        skipped_steps = (
            {preannotation.PAIR, *bridging.OF_PAIRS}
            if facts.second is None
            else {preannotation.SINGLE, *bridging.OF_ONE}
        )
        return step not in skipped_steps and (step not in bridging.STEPS or not bridging.set_aside(facts))

    def preannotation_calls(self, facts: BranchingFacts, options: BranchingOptions) -> int:
        return preannotation.most_calls(facts, options)

    async def preannotate(
        self, facts: BranchingFacts, options: BranchingOptions, prompts: Prompts, ask: Ask, *, language: str
    ) -> Suggested:
        return await preannotation.drafted(preannotation.Talk(facts, options, prompts, ask, language))

    bridging_steps = bridging.STEPS

    def set_aside(self, facts: BranchingFacts) -> str:
        return bridging.set_aside(facts)

    def bridging_calls(self, facts: BranchingFacts, options: BranchingOptions) -> int:
        return 1 + options.criteria

    async def bridge(
        self, facts: BranchingFacts, options: BranchingOptions, prompts: Prompts, ask: Ask, *, language: str
    ) -> Suggested:
        return await bridging.recovered(preannotation.Talk(facts, options, prompts, ask, language))

    def as_judgement(
        self, facts: BranchingFacts, draft: BranchingDraft, options: BranchingOptions
    ) -> Mapping[str, Any] | None:
        return bridging.of_people(facts, draft)

    judges_answers = brings_answers = True

    def asked(self, facts: BranchingFacts, draft: BranchingDraft, options: BranchingOptions) -> Asked:
        return Asked(_messages(facts), group=facts.scenario or "")

    def judged(self, facts: BranchingFacts, draft: BranchingDraft, options: BranchingOptions) -> Judged:
        label = [facts.human_label] if facts.human_label else []
        scenario = [facts.scenario] if facts.scenario else []
        labels: dict[str, Sequence[str]] = {"scenario": scenario, "human_label": label}
        return Judged(_messages(facts), labels=labels, criteria=[_standard(branch) for branch in draft.branches])

    holds_pairs = True

    def of_pair(self, pair: Pair) -> dict[str, Any]:
        labels = {"scenario": pair.group, "human_label": pair.label}
        return {
            "query": pair.prompt,
            "first": pair.texts[0],
            "second": pair.texts[1],
            "author_first": pair.authors[0],
            "author_second": pair.authors[1],
            **{name: value for name, value in labels.items() if value},
        }

    def as_pair(self, facts: BranchingFacts) -> Pair | None:
        if facts.second is None:
            return None
        names = ((facts.author_first or "A")[:100], (facts.author_second or "B")[:100])
        return Pair(facts.query, names, (facts.first, facts.second), facts.scenario or "", facts.human_label or "")

    holds_labels = True

    def preferred(self, facts: BranchingFacts) -> Preferred | None:
        names = [(facts.author_first or "A")[:100], (facts.author_second or "B")[:100]]
        if facts.second is None or facts.human_label is None or len(set(names)) < 2:
            return None
        return Preferred(names[0], names[1], facts.human_label)

    def answers(self, facts: BranchingFacts, draft: BranchingDraft) -> Mapping[str, tuple[str, str]]:
        """The responses, and what was made of them under `<author>+correction`, so that judges can tell the gain."""
        authors = {"first": facts.author_first or "A", "second": facts.author_second or "B"}
        answers: dict[str, tuple[str, str]] = {}
        for side in SIDES:
            for name, text in (
                (authors[side][:100], getattr(facts, side)),
                (f"{authors[side][:100]}+correction", getattr(draft, f"correction_{side}")),
            ):
                if text and text.strip():
                    answers.setdefault(name, ("model", text))
        return answers


def _standard(branch: Branch) -> Standard:
    return Standard(branch.name, branch.description, branch.guideline.levels, branch.weight)


def _messages(facts: BranchingFacts) -> list[Message]:
    return [{"role": "user", "content": facts.query}]


KIND = Branching()
