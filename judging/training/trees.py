"""The steps of judging in branches as chats, from trees of people or from runs; and bridging, the way back.

People's accepted trees also give pairs of answers.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from annotate.kinds.branching.chain import OF_ONE, OF_PAIRS, judgement_text, judgements_text, set_aside
from annotate.kinds.branching.shapes import (
    SIDES,
    BranchingDraft,
    BranchingFacts,
    BranchingOptions,
    Original,
    Side,
    grounds,
    score_of,
    sums,
)
from annotate.kinds.protocol import Message
from annotate.kinds.values import BadShape
from annotate.models import Item, Project
from annotate.purposes.preannotate import language
from annotate.releases.final_texts import best_texts
from judging.training.chats import (
    CORRECTIONS,
    CRITERIA,
    GUIDELINES,
    JUDGEMENTS,
    PEOPLE,
    REVERSE_CRITERIA,
    REVERSE_GUIDELINES,
    REVERSE_JUDGEMENTS,
    Chat,
    Example,
    QuestionMaterial,
    TrainingPair,
    Wordings,
    bridging_chat,
    can_turn,
    conversation_text,
    in_use,
    judge_chat,
    manner_chat,
)

PAIR, SINGLE = "pair", "single"
LEVEL = re.compile(r"(?:\A|\n)[1-5]: ")
LEVELS = 5


@dataclass(frozen=True)
class TaughtCriterion:
    """levels: the meanings of its scores, the lowest first."""

    name: str
    description: str
    levels: Sequence[str] = ()

    @classmethod
    def read(cls, text: str, guideline: str) -> "TaughtCriterion | None":
        """Parsed from the two texts that a judge was given; None if they cannot be parsed."""
        name, _line, description = text.partition("\n")
        levels = LEVEL.split(guideline)[1:]
        criterion = cls(name, description, levels)
        return (
            criterion if len(levels) == LEVELS and (criterion.text, criterion.guideline) == (text, guideline) else None
        )

    @property
    def text(self) -> str:
        return f"{self.name}\n{self.description}"

    @property
    def guideline(self) -> str:
        return "\n".join(f"{score}: {words}" for score, words in enumerate(self.levels, start=1))


@dataclass(frozen=True)
class ChatContext:
    """The common data of the chats of one item. turns: the conversation that the answers reply to."""

    turns: Sequence[Message]
    key: str
    language: str
    wordings: Wordings
    source: str = PEOPLE

    @property
    def query(self) -> str:
        return conversation_text(self.turns)

    def criteria(self, criteria: Sequence[TaughtCriterion]) -> Chat:
        material = self._shown_to_judge("criteria")
        return self._judged(CRITERIA, material, {"count": str(len(criteria))}, _listed(criteria))

    def guideline(self, criterion: TaughtCriterion) -> Chat:
        material = self._shown_to_judge("guideline")
        return self._judged(GUIDELINES, material, {"criterion": criterion.text}, _levels(criterion))

    def judgement(self, by: Mapping[str, str], response: str, answer: Mapping[str, Any]) -> Chat:
        """by: criterion, guideline; answer: explanation, score."""
        material = self._shown_to_judge(SINGLE, response)
        return self._judged(JUDGEMENTS, material, by, answer)

    def comparison(
        self, by: Mapping[str, str], first: str, second: str, answer: Mapping[str, Any], *, b_first: bool = False
    ) -> Chat:
        """by: criterion, guideline; answer: explanations and scores of A (first) and B; b_first: B comes first."""
        material = self._shown_to_judge(PAIR, first, second, b_first)
        return self._judged(JUDGEMENTS, material, by, answer)

    @property
    def can_turn(self) -> bool:
        return can_turn(self._of_judging(PAIR))

    def correction(self, response: str, judgements: str, corrected: str) -> Chat:
        wording = self.wordings.correcting.text("correction", self.language)
        material = QuestionMaterial(wording, self.turns, response, rule=self.wordings.rule_of_correcting)
        return self._judged(CORRECTIONS, material, {"judgements": judgements}, {"corrected_response": corrected})

    def reverse_criteria(
        self, first: str, second: str | None, judgement: str, criteria: Sequence[TaughtCriterion]
    ) -> Chat:
        texts = {**self._reversed(first, second, judgement), "count": str(len(criteria))}
        return self._bridged(REVERSE_CRITERIA, _steps_of(second)[0], texts, _listed(criteria))

    def reverse_guideline(self, first: str, second: str | None, judgement: str, criterion: TaughtCriterion) -> Chat:
        texts = {**self._reversed(first, second, judgement), "criterion": criterion.text}
        return self._bridged(REVERSE_GUIDELINES, _steps_of(second)[1], texts, _levels(criterion))

    def reverse_judgement(
        self, responses: Mapping[str, str], approved_criteria: Sequence[TaughtCriterion], style: str, judgement: str
    ) -> Chat:
        """judgement: in the words and on the scale of its original set, which `style` describes."""
        criteria = "\n\n".join(f"{criterion.text}\n{criterion.guideline}" for criterion in approved_criteria)
        texts = {"query": self.query, **responses, "criteria": criteria, "style": style}
        parts = (self.language, texts, judgement)
        return Chat(REVERSE_JUDGEMENTS, self.query, parts, manner_chat, self.key, self.source)

    def _shown_to_judge(
        self, step: str, first: str = "", second: str | None = None, b_first: bool = False
    ) -> QuestionMaterial:
        return QuestionMaterial(
            self._of_judging(step), self.turns, first, second, b_first, rule=self.wordings.rule_of_judging
        )

    def _of_judging(self, step: str) -> str:
        return self.wordings.judging.text(step, self.language)

    def _judged(self, step: str, material: QuestionMaterial, texts: Mapping[str, str], answer: Any) -> Chat:
        parts = (material.as_json(), self.language, texts, answer)
        worded = partial(_of_material, material)
        return Chat(step, self.query, parts, worded, self.key, self.source)

    def _bridged(self, step: str, prompt: str, texts: Mapping[str, str], answer: Any) -> Chat:
        parts = (self.wordings.bridging.text(prompt, self.language), self.language, texts, answer)
        return Chat(step, self.query, parts, bridging_chat, self.key, self.source)

    def _reversed(self, first: str, second: str | None, judgement: str) -> dict[str, str]:
        return {"query": self.query, "answer": first, "second": second or "", "judgement": judgement}


def _of_material(
    material: QuestionMaterial, _as_json: Any, language: str, texts: Mapping[str, str], answer: Any
) -> list[Message]:
    return judge_chat(material, language, texts, answer)


def _steps_of(second: str | None) -> Sequence[str]:
    return OF_ONE if second is None else OF_PAIRS


def by(criterion: TaughtCriterion) -> dict[str, str]:
    """The texts of a criterion that a judge is given."""
    return {"criterion": criterion.text, "guideline": criterion.guideline}


def _listed(criteria: Sequence[TaughtCriterion]) -> dict[str, Any]:
    return {"criteria": [{"name": criterion.name, "description": criterion.description} for criterion in criteria]}


def _levels(criterion: TaughtCriterion) -> dict[str, str]:
    return {f"level_{score}": words for score, words in enumerate(criterion.levels, start=1)}


# Bridging: from a judgement made without criteria to the criteria that people approved for it.


SET_ASIDE = "set aside: %s"
MANNERS = {
    "en": {
        "scores": "a score for each response",
        "verdict": "which response is ahead, or that both are equal",
        "score": "one score for the response",
        "words": "what is found fault with, in words",
        "scale": "{manner}, from {lowest:g} to {highest:g}",
    },
    "zh": {
        "scores": "为每个回复各给一个分数",
        "verdict": "指出哪个回复更好，或两者相当",
        "score": "为该回复给一个分数",
        "words": "用文字指出不足之处",
        "scale": "{manner}，从 {lowest:g} 到 {highest:g}",
    },
}


def of_judgement(
    about: ChatContext, facts: BranchingFacts, criteria: Sequence[TaughtCriterion], skip_counts: Counter[str]
) -> Iterator[Example]:
    """The reverse steps by the approved criteria; pairs in both orders, with the responses keeping their names."""
    original = facts.original
    assert original is not None, "only items with a judgement of others have a way back"
    if why := set_aside(facts):
        skip_counts[SET_ASIDE % why] += 1
        return
    if not criteria:
        return
    judgement = judgement_text(original)
    yield about.reverse_criteria(facts.first, facts.second, judgement, criteria)
    for criterion in criteria:
        yield about.reverse_guideline(facts.first, facts.second, judgement, criterion)
    responses = {"only": facts.first} if facts.second is None else {"first": facts.first, "second": facts.second}
    orders = [responses] if facts.second is None else [responses, dict(reversed(responses.items()))]
    for order in orders:
        yield about.reverse_judgement(order, criteria, _manner(original, about.language), judgement)


def _manner(original: Original, language: str) -> str:
    words = MANNERS["zh" if language == "zh" else "en"]
    manner = words[original.style]
    if original.lowest is None or original.highest is None:
        return manner
    return words["scale"].format(manner=manner, lowest=original.lowest, highest=original.highest)


# Trees: what people accepted in branching judgements, as chats and as pairs of answers.


UNREADABLE, NO_TEXT, UNFINISHED, NO_SCORE = "unreadable item", "no tree yet", "unfinished criterion", "score missing"
LABELS_MOVE = "other order: the wording does not let labels be kept"
PEOPLE_DIFFER = "sums against people's label"
KIND = "branching"
SCORE_LEVELS = 5
Branch = Mapping[str, Any]


def examples(project: Project, items: Sequence[Item], skip_counts: Counter[str]) -> Iterator[Example]:
    """Examples from items of the kind `branching`, each with its final draft."""
    if project.kind_slug != KIND:
        return
    texts, wordings = best_texts(items), in_use(project)
    for item in items:
        text = texts[item.pk].text
        if text is None:
            skip_counts[NO_TEXT] += 1
            continue
        try:
            facts = project.kind.read_facts(project.kind.upgrade(item.facts, item.schema))
            draft = project.kind.read_draft(project.kind.upgrade(text.draft, text.schema))
        except BadShape:
            skip_counts[UNREADABLE] += 1
            continue
        turns: list[Message] = [{"role": "user", "content": facts.query}]
        about = ChatContext(turns, item.key, item.language.split("-")[0] or "en", wordings)
        spoken = language(item, project.kind, facts)
        yield from of_tree(about, facts, draft, project.kind_options, skip_counts, bridging_language=spoken)


def of_tree(
    about: ChatContext,
    facts: BranchingFacts,
    draft: BranchingDraft,
    options: BranchingOptions,
    skip_counts: Counter[str],
    *,
    bridging_language: str = "",
) -> Iterator[Example]:
    """bridging_language: the language in which bridging asks about this item, even if nobody has set one.

    Order: the way back, if any; criteria; criterion by criterion; corrections; pairs."""
    branches = [branch for branch in draft.stored()["branches"] if _is_finished(branch)]
    skip_counts[UNFINISHED] += len(draft.branches) - len(branches)
    if facts.original is not None:
        way_back = replace(about, language=bridging_language or about.language)
        yield from of_judgement(way_back, facts, [criterion(branch) for branch in branches], skip_counts)
        if not any(_is_scored(branch) for branch in branches):  # people approved criteria and gave no scores themselves
            yield from _preferred(about, facts, draft, skip_counts)
            return
    if branches:
        yield about.criteria([criterion(branch) for branch in branches])
    for branch in branches:
        yield about.guideline(criterion(branch))
        yield from _judgements(about, facts, branch, skip_counts)
    for side in SIDES if facts.second is not None else SIDES[:1]:
        yield from _correction(about, facts, draft, branches, options, side)
    yield from _preferred(about, facts, draft, skip_counts)


def criterion(branch: Branch) -> TaughtCriterion:
    return TaughtCriterion(branch["name"].strip(), branch["description"].strip(), branch["guideline"]["levels"])


def _is_finished(branch: Branch) -> bool:
    levels = branch["guideline"]["levels"]
    texts = [branch["name"], branch["description"], *levels]
    return len(levels) == SCORE_LEVELS and all(words.strip() for words in texts)


def _is_scored(branch: Branch) -> bool:
    return any(score_of(branch, side) is not None for side in SIDES)


def _judgements(
    about: ChatContext, facts: BranchingFacts, branch: Branch, skip_counts: Counter[str]
) -> Iterator[Example]:
    """Judgements; of a pair in both orders: the responses keep their names and their judgements."""
    judgement, sides = branch["judgement"], SIDES if facts.second is not None else SIDES[:1]
    if any(score_of(branch, side) is None for side in sides):
        skip_counts[NO_SCORE] += 1
        return
    if facts.second is None:
        answer = {"explanation": judgement["explanation_first"], "score": judgement["score_first"]}
        yield about.judgement(by(criterion(branch)), facts.first, answer)
        return
    answer = {f"explanation_{side}": judgement[f"explanation_{side}"] for side in SIDES} | {
        "comparison": judgement["comparison"]
    }
    answer |= {f"score_{side}": judgement[f"score_{side}"] for side in SIDES}
    criterion_texts = by(criterion(branch))
    yield about.comparison(criterion_texts, facts.first, facts.second, answer)
    if about.can_turn:
        yield about.comparison(criterion_texts, facts.first, facts.second, answer, b_first=True)
    else:
        skip_counts[LABELS_MOVE] += 1


def _correction(
    about: ChatContext,
    facts: BranchingFacts,
    draft: BranchingDraft,
    branches: Sequence[Branch],
    options: BranchingOptions,
    side: Side,
) -> Iterator[Example]:
    """The correction from the judgements that it was written from; if it names none, from the low ones."""
    text, response = getattr(draft, f"correction_{side}"), getattr(facts, side) or ""
    if not text.strip() or text.split() == response.split():
        return
    ground_ids = getattr(draft, f"grounds_{side}") or grounds(branches, side, options)
    source_branches = [
        branch for branch in branches if branch["judgement"]["id"] in ground_ids and score_of(branch, side) is not None
    ]
    if source_branches:
        yield about.correction(response, judgements_text(source_branches, side), text)
    if response.strip():
        yield TrainingPair(facts.query, facts.query, text, response, "correction", about.key)


def _preferred(
    about: ChatContext, facts: BranchingFacts, draft: BranchingDraft, skip_counts: Counter[str]
) -> Iterator[Example]:
    """The answer with the larger sum, unless people's label contradicts; without sums, the answer of the label."""
    leading_side = sums(draft.stored()["branches"]).ahead
    ahead, sort = (leading_side, "scores") if leading_side else (facts.human_label, "label")
    if ahead not in SIDES or not facts.first.strip() or not (facts.second or "").strip():
        return
    if facts.human_label not in (None, ahead):
        skip_counts[PEOPLE_DIFFER] += 1
        return
    texts = {"first": facts.first, "second": facts.second or ""}
    chosen, rejected = (texts[side] for side in (SIDES if ahead == "first" else SIDES[::-1]))
    if chosen != rejected:
        yield TrainingPair(facts.query, facts.query, chosen, rejected, sort, about.key)
