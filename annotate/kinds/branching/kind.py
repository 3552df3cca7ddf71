"""The kind `branching`: criteria, guidelines, scores with reasons, corrections (Fennec, arXiv 2405.12163)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from annotate.kinds.branching import chain, forms
from annotate.kinds.branching.shapes import (
    Branch,
    BranchingDraft,
    BranchingFacts,
    BranchingOptions,
    grounds,
    score_of,
    sums,
)
from annotate.kinds.contract import Kind
from annotate.kinds.protocol import (
    AnswerPair,
    Ask,
    CandidatePrompt,
    JudgedItem,
    Message,
    PreferredAnswer,
    Prompts,
    Standard,
)
from annotate.kinds.shapes import Finding
from annotate.kinds.trees import (
    HIGHEST,
    SIDES,
    CorrectedResponse,
    JudgementTree,
    OriginalJudgement,
    ScoredCriterion,
    Side,
)
from annotate.kinds.values import Field, ModelSuggestion

_BRANCHES = Field("branches", gettext_lazy("Criteria"), "text", free=True)
FIELDS_OF_ONE = (_BRANCHES, Field("correction_first", gettext_lazy("Correction"), "text", free=True))
FIELDS_OF_TWO = (
    _BRANCHES,
    Field("correction_first", gettext_lazy("Correction of A"), "text", free=True),
    Field("correction_second", gettext_lazy("Correction of B"), "text", free=True),
)


class Branching(Kind[BranchingFacts, BranchingDraft, BranchingOptions]):
    """Refine a tree of judgements: criteria of a query, a guideline for each, scores with reasons, corrections.

    Facts: query, one response or two, perhaps which of them people prefer. Draft: branches, each a criterion with its
    guideline and judgement, linked by ids; a corrected text of each response, and the judgements it was written from.
    """

    slug = "branching"
    name = gettext_lazy("Branching judgements")
    about = gettext_lazy("Refine criteria, guidelines, scores and corrections, step by step, to train a judge.")
    facts, draft, options = BranchingFacts, BranchingDraft, BranchingOptions
    live_template = "branching/difference.html"
    fact_labels = {
        "query": gettext_lazy("Question"),
        "first": gettext_lazy("Response A"),
        "second": gettext_lazy("Response B"),
        "human_label": gettext_lazy("People's choice"),
        "author_first": gettext_lazy("Author of response A"),
        "author_second": gettext_lazy("Author of response B"),
        "scenario": gettext_lazy("Scenario"),
        "original": gettext_lazy("Original judgement"),
    }

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
        """The source key of an item that was made from our own accepted work."""
        return chain.parent_key(facts)

    def empty_draft(self, facts: BranchingFacts) -> dict[str, Any]:
        return BranchingDraft(branches=[]).stored()

    def fields(self, facts: BranchingFacts) -> Sequence[Field]:
        return FIELDS_OF_ONE if facts.second is None else FIELDS_OF_TWO

    def problems(self, facts: BranchingFacts, draft: BranchingDraft, options: BranchingOptions) -> list[Finding]:
        return list(forms.problems(facts, draft))

    def doubts(self, facts: BranchingFacts, draft: BranchingDraft, options: BranchingOptions) -> list[Finding]:
        return list(forms.doubts(facts, draft, options))

    def read_form(self, data: QueryDict, facts: BranchingFacts) -> dict[str, Any]:
        return forms.posted_draft(data)

    def edited(self, draft: dict[str, Any], action: str, facts: BranchingFacts) -> dict[str, Any]:
        return forms.edited(draft, action)

    def form_context(
        self, facts: BranchingFacts, draft: Mapping[str, Any], options: BranchingOptions
    ) -> dict[str, Any]:
        return forms.context(facts, draft, options)

    def shown(self, name: str, value: Any) -> str:
        if name == "branches" and isinstance(value, list):
            return forms.as_text(value)
        return super().shown(name, value)

    preannotation_steps = chain.STEPS

    def asks(self, step: str, facts: BranchingFacts) -> bool:
        """One response is judged, two are compared; criteria are recovered only from a judgement."""
        skipped_steps = {chain.PAIR, *chain.OF_PAIRS} if facts.second is None else {chain.SINGLE, *chain.OF_ONE}
        return step not in skipped_steps and (step not in chain.RECOVERY_STEPS or not chain.set_aside(facts))

    def preannotation_calls(self, facts: BranchingFacts, options: BranchingOptions) -> int:
        return chain.most_calls(facts, options)

    async def preannotate(
        self, facts: BranchingFacts, options: BranchingOptions, prompts: Prompts, ask: Ask, *, language: str
    ) -> ModelSuggestion:
        return await chain.drafted(chain.BranchingTalk(facts, options, prompts, ask, language))

    bridging_steps = chain.RECOVERY_STEPS

    def set_aside(self, facts: BranchingFacts) -> str:
        return chain.set_aside(facts)

    def bridging_calls(self, facts: BranchingFacts, options: BranchingOptions) -> int:
        return 1 + options.criteria

    async def bridge(
        self, facts: BranchingFacts, options: BranchingOptions, prompts: Prompts, ask: Ask, *, language: str
    ) -> ModelSuggestion:
        return await chain.recovered(chain.BranchingTalk(facts, options, prompts, ask, language))

    def as_judgement(
        self, facts: BranchingFacts, draft: BranchingDraft, options: BranchingOptions
    ) -> Mapping[str, Any] | None:
        return chain.of_people(facts, draft)

    judges_answers = brings_answers = True

    def asked(self, facts: BranchingFacts, draft: BranchingDraft, options: BranchingOptions) -> CandidatePrompt:
        return CandidatePrompt(_messages(facts), group=facts.scenario or "")

    def judged(self, facts: BranchingFacts, draft: BranchingDraft, options: BranchingOptions) -> JudgedItem:
        label = [facts.human_label] if facts.human_label else []
        scenario = [facts.scenario] if facts.scenario else []
        labels: dict[str, Sequence[str]] = {"scenario": scenario, "human_label": label}
        return JudgedItem(_messages(facts), labels=labels, criteria=[_standard(branch) for branch in draft.branches])

    holds_pairs = True

    def of_pair(self, pair: AnswerPair) -> dict[str, Any]:
        labels = {"scenario": pair.group, "human_label": pair.label}
        return {
            "query": pair.prompt,
            "first": pair.texts[0],
            "second": pair.texts[1],
            "author_first": pair.authors[0],
            "author_second": pair.authors[1],
            **{name: value for name, value in labels.items() if value},
        }

    def as_pair(self, facts: BranchingFacts) -> AnswerPair | None:
        if facts.second is None:
            return None
        names = ((facts.author_first or "A")[:100], (facts.author_second or "B")[:100])
        return AnswerPair(
            facts.query, names, (facts.first, facts.second), facts.scenario or "", facts.human_label or ""
        )

    holds_labels = True

    def preferred(self, facts: BranchingFacts) -> PreferredAnswer | None:
        names = [(facts.author_first or "A")[:100], (facts.author_second or "B")[:100]]
        if facts.second is None or facts.human_label is None or len(set(names)) < 2:
            return None
        return PreferredAnswer(names[0], names[1], facts.human_label)

    def answers(self, facts: BranchingFacts, draft: BranchingDraft) -> Mapping[str, tuple[str, str]]:
        """The responses, and their corrections as `<author>+correction`, so that judges can measure the gain."""
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

    holds_trees = True

    def scored_criteria(self, draft: BranchingDraft) -> Sequence[ScoredCriterion]:
        return [_scored(branch) for branch in draft.branches]

    def tree(self, facts: BranchingFacts, draft: BranchingDraft, options: BranchingOptions) -> JudgementTree:
        finished = [branch for branch in draft.branches if _is_finished(branch)]
        return JudgementTree(
            facts.query,
            facts.first,
            facts.second,
            criteria=[_scored(branch) for branch in finished],
            unfinished=len(draft.branches) - len(finished),
            corrections=list(_corrections(facts, draft, finished, options)),
            ahead=sums(draft.stored()["branches"]).ahead,
            label=facts.human_label or "",
            original=_original(facts),
        )


def _standard(branch: Branch) -> Standard:
    return Standard(branch.name, branch.description, branch.guideline.levels, branch.weight)


def _scored(branch: Branch) -> ScoredCriterion:
    judgement = branch.judgement
    return ScoredCriterion(
        branch.name,
        branch.description,
        branch.guideline.levels,
        branch.weight,
        judgement.score_first,
        judgement.score_second,
        judgement.explanation_first,
        judgement.explanation_second,
        judgement.comparison,
    )


def _is_finished(branch: Branch) -> bool:
    levels = branch.guideline.levels
    texts = [branch.name, branch.description, *levels]
    return len(levels) == HIGHEST and all(words.strip() for words in texts)


def _corrections(
    facts: BranchingFacts, draft: BranchingDraft, finished: Sequence[Branch], options: BranchingOptions
) -> Iterator[CorrectedResponse]:
    for side in SIDES if facts.second is not None else SIDES[:1]:
        text, response = getattr(draft, f"correction_{side}"), getattr(facts, side) or ""
        if text.strip() and text.split() != response.split():
            yield CorrectedResponse(response, text, _faults(draft, finished, options, side))


def _faults(draft: BranchingDraft, finished: Sequence[Branch], options: BranchingOptions, side: Side) -> str:
    """The judgements that a correction was written from; if it names none, the low ones."""
    stored = [branch.model_dump() for branch in finished]
    ids = getattr(draft, f"grounds_{side}") or grounds(stored, side, options)
    source_branches = [
        branch for branch in stored if branch["judgement"]["id"] in ids and score_of(branch, side) is not None
    ]
    return chain.judgements_text(source_branches, side)


def _original(facts: BranchingFacts) -> OriginalJudgement | None:
    original = facts.original
    if original is None:
        return None
    criteria, guideline = chain.OF_ONE if facts.second is None else chain.OF_PAIRS
    return OriginalJudgement(
        chain.judgement_text(original),
        original.style,
        original.lowest,
        original.highest,
        chain.set_aside(facts),
        (criteria, guideline),
    )


def _messages(facts: BranchingFacts) -> list[Message]:
    return [{"role": "user", "content": facts.query}]


KIND = Branching()
