"""The steps of judging in branches as chats, from trees of people or from runs; and bridging, the way back.

People's accepted trees also give pairs of answers.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from annotate.kinds.protocol import Message
from annotate.kinds.trees import SIDES, CorrectedResponse, JudgementTree, OriginalJudgement, ScoredCriterion
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
        self, first: str, second: str | None, original: OriginalJudgement, criteria: Sequence[TaughtCriterion]
    ) -> Chat:
        texts = {**self._reversed(first, second, original), "count": str(len(criteria))}
        return self._bridged(REVERSE_CRITERIA, original.steps[0], texts, _listed(criteria))

    def reverse_guideline(
        self, first: str, second: str | None, original: OriginalJudgement, criterion: TaughtCriterion
    ) -> Chat:
        texts = {**self._reversed(first, second, original), "criterion": criterion.text}
        return self._bridged(REVERSE_GUIDELINES, original.steps[1], texts, _levels(criterion))

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

    def _reversed(self, first: str, second: str | None, original: OriginalJudgement) -> dict[str, str]:
        return {"query": self.query, "answer": first, "second": second or "", "judgement": original.text}


def _of_material(
    material: QuestionMaterial, _as_json: Any, language: str, texts: Mapping[str, str], answer: Any
) -> list[Message]:
    return judge_chat(material, language, texts, answer)


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
    about: ChatContext, tree: JudgementTree, original: OriginalJudgement, skip_counts: Counter[str]
) -> Iterator[Example]:
    """The reverse steps by the approved criteria; pairs in both orders, with the responses keeping their names."""
    criteria = [taught(criterion) for criterion in tree.criteria]
    if original.set_aside:
        skip_counts[SET_ASIDE % original.set_aside] += 1
        return
    if not criteria:
        return
    yield about.reverse_criteria(tree.first, tree.second, original, criteria)
    for criterion in criteria:
        yield about.reverse_guideline(tree.first, tree.second, original, criterion)
    responses = {"only": tree.first} if tree.second is None else {"first": tree.first, "second": tree.second}
    orders = [responses] if tree.second is None else [responses, dict(reversed(responses.items()))]
    for order in orders:
        yield about.reverse_judgement(order, criteria, _manner(original, about.language), original.text)


def _manner(original: OriginalJudgement, language: str) -> str:
    words = MANNERS["zh" if language == "zh" else "en"]
    manner = words[original.style]
    if original.lowest is None or original.highest is None:
        return manner
    return words["scale"].format(manner=manner, lowest=original.lowest, highest=original.highest)


# Trees: what people accepted in branching judgements, as chats and as pairs of answers.


UNREADABLE, NO_TEXT, UNFINISHED, NO_SCORE = "unreadable item", "no tree yet", "unfinished criterion", "score missing"
LABELS_MOVE = "other order: the wording does not let labels be kept"
PEOPLE_DIFFER = "sums against people's label"


def examples(project: Project, items: Sequence[Item], skip_counts: Counter[str]) -> Iterator[Example]:
    """Examples from items of a kind that holds trees, each with its final draft."""
    kind = project.kind
    if not kind.holds_trees:
        return
    texts, wordings = best_texts(items), in_use(project)
    for item in items:
        text = texts[item.pk].text
        if text is None:
            skip_counts[NO_TEXT] += 1
            continue
        try:
            facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
            draft = kind.read_draft(kind.upgrade(text.draft, text.schema))
        except BadShape:
            skip_counts[UNREADABLE] += 1
            continue
        tree = kind.tree(facts, draft, project.kind_options)
        turns: list[Message] = [{"role": "user", "content": tree.query}]
        about = ChatContext(turns, item.key, item.language.split("-")[0] or "en", wordings)
        spoken = language(item, kind, facts)
        yield from of_tree(about, tree, skip_counts, bridging_language=spoken)


def of_tree(
    about: ChatContext, tree: JudgementTree, skip_counts: Counter[str], *, bridging_language: str = ""
) -> Iterator[Example]:
    """bridging_language: the language in which bridging asks about this item, even if nobody has set one.

    Order: the way back, if any; criteria; criterion by criterion; corrections; pairs."""
    skip_counts[UNFINISHED] += tree.unfinished
    if tree.original is not None:
        way_back = replace(about, language=bridging_language or about.language)
        yield from of_judgement(way_back, tree, tree.original, skip_counts)
        if not any(map(_is_scored, tree.criteria)):  # people approved criteria and gave no scores themselves
            yield from _preferred(about, tree, skip_counts)
            return
    if tree.criteria:
        yield about.criteria([taught(criterion) for criterion in tree.criteria])
    for criterion in tree.criteria:
        yield about.guideline(taught(criterion))
        yield from _judgements(about, tree, criterion, skip_counts)
    for correction in tree.corrections:
        yield from _correction(about, tree, correction)
    yield from _preferred(about, tree, skip_counts)


def taught(criterion: ScoredCriterion) -> TaughtCriterion:
    return TaughtCriterion(criterion.name.strip(), criterion.description.strip(), criterion.levels)


def _is_scored(criterion: ScoredCriterion) -> bool:
    return any(map(criterion.has_score, SIDES))


def _judgements(
    about: ChatContext, tree: JudgementTree, criterion: ScoredCriterion, skip_counts: Counter[str]
) -> Iterator[Example]:
    """Judgements; of a pair in both orders: the responses keep their names and their judgements."""
    if not all(map(criterion.has_score, tree.sides)):
        skip_counts[NO_SCORE] += 1
        return
    criterion_texts = by(taught(criterion))
    if tree.second is None:
        answer = {"explanation": criterion.explanation_first, "score": criterion.score_first}
        yield about.judgement(criterion_texts, tree.first, answer)
        return
    fields = ("explanation_first", "explanation_second", "comparison", "score_first", "score_second")
    answer = {name: getattr(criterion, name) for name in fields}
    yield about.comparison(criterion_texts, tree.first, tree.second, answer)
    if about.can_turn:
        yield about.comparison(criterion_texts, tree.first, tree.second, answer, b_first=True)
    else:
        skip_counts[LABELS_MOVE] += 1


def _correction(about: ChatContext, tree: JudgementTree, correction: CorrectedResponse) -> Iterator[Example]:
    """The correction from its judgements, if any is known, and the pair of both texts."""
    if correction.judgements:
        yield about.correction(correction.response, correction.judgements, correction.text)
    if correction.response.strip():
        yield TrainingPair(tree.query, tree.query, correction.text, correction.response, "correction", about.key)


def _preferred(about: ChatContext, tree: JudgementTree, skip_counts: Counter[str]) -> Iterator[Example]:
    """The answer with the larger sum, unless people's label contradicts; without sums, the answer of the label."""
    ahead, sort = (tree.ahead, "scores") if tree.ahead else (tree.label, "label")
    if ahead not in SIDES or not tree.first.strip() or not (tree.second or "").strip():
        return
    if tree.label not in ("", ahead):
        skip_counts[PEOPLE_DIFFER] += 1
        return
    texts = {"first": tree.first, "second": tree.second or ""}
    chosen, rejected = (texts[side] for side in (SIDES if ahead == "first" else SIDES[::-1]))
    if chosen != rejected:
        yield TrainingPair(tree.query, tree.query, chosen, rejected, sort, about.key)
