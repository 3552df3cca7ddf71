"""The steps of judging in branches as chats, whoever took them: people in a tree, or a judge in a run."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from annotate.kinds.branching.bridging import OF_ONE, OF_PAIRS
from annotate.kinds.protocol import Message
from judging.services.training.base import (
    CORRECTIONS,
    CRITERIA,
    GUIDELINES,
    JUDGEMENTS,
    PEOPLE,
    REVERSE_CRITERIA,
    REVERSE_GUIDELINES,
    REVERSE_JUDGEMENTS,
    Chat,
    asked_text,
)
from judging.services.training.wording import Material, Wordings, bridging_chat, can_turn, judge_chat, manner_chat

PAIR, SINGLE = "pair", "single"
LEVEL = re.compile(r"(?:\A|\n)[1-5]: ")
LEVELS = 5


@dataclass(frozen=True)
class Criterion:
    """levels: what its scores mean, the lowest first."""

    name: str
    description: str
    levels: Sequence[str] = ()

    @classmethod
    def read(cls, text: str, guideline: str) -> "Criterion | None":
        """Of the two texts that a judge was given; None where they cannot be taken apart again."""
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
class About:
    """What the chats of one item have in common. turns: the conversation that the answers are about."""

    turns: Sequence[Message]
    key: str
    language: str
    wordings: Wordings
    source: str = PEOPLE

    @property
    def query(self) -> str:
        return asked_text(self.turns)

    def criteria(self, criteria: Sequence[Criterion]) -> Chat:
        material = self._shown_to_judge("criteria")
        return self._judged(CRITERIA, material, {"count": str(len(criteria))}, _listed(criteria))

    def guideline(self, criterion: Criterion) -> Chat:
        material = self._shown_to_judge("guideline")
        return self._judged(GUIDELINES, material, {"criterion": criterion.text}, _levels(criterion))

    def judgement(self, by: Mapping[str, str], response: str, answer: Mapping[str, Any]) -> Chat:
        """by: criterion, guideline; said: explanation, score."""
        material = self._shown_to_judge(SINGLE, response)
        return self._judged(JUDGEMENTS, material, by, answer)

    def comparison(
        self, by: Mapping[str, str], first: str, second: str, answer: Mapping[str, Any], *, b_first: bool = False
    ) -> Chat:
        """by: criterion, guideline; said: explanations and scores of A, the first, and B, which may stand on top."""
        material = self._shown_to_judge(PAIR, first, second, b_first)
        return self._judged(JUDGEMENTS, material, by, answer)

    @property
    def can_turn(self) -> bool:
        return can_turn(self._of_judging(PAIR))

    def correction(self, response: str, judgements: str, corrected: str) -> Chat:
        wording = self.wordings.correcting.text("correction", self.language)
        material = Material(wording, self.turns, response, rule=self.wordings.rule_of_correcting)
        return self._judged(CORRECTIONS, material, {"judgements": judgements}, {"corrected_response": corrected})

    def reverse_criteria(self, first: str, second: str | None, judgement: str, criteria: Sequence[Criterion]) -> Chat:
        texts = {**self._reversed(first, second, judgement), "count": str(len(criteria))}
        return self._bridged(REVERSE_CRITERIA, _steps_of(second)[0], texts, _listed(criteria))

    def reverse_guideline(self, first: str, second: str | None, judgement: str, criterion: Criterion) -> Chat:
        texts = {**self._reversed(first, second, judgement), "criterion": criterion.text}
        return self._bridged(REVERSE_GUIDELINES, _steps_of(second)[1], texts, _levels(criterion))

    def reverse_judgement(
        self, responses: Mapping[str, str], approved_criteria: Sequence[Criterion], style: str, judgement: str
    ) -> Chat:
        """judgement: in the words and on the scale of the set that it comes from, which `style` describes."""
        criteria = "\n\n".join(f"{criterion.text}\n{criterion.guideline}" for criterion in approved_criteria)
        texts = {"query": self.query, **responses, "criteria": criteria, "style": style}
        parts = (self.language, texts, judgement)
        return Chat(REVERSE_JUDGEMENTS, self.query, parts, manner_chat, self.key, self.source)

    def _shown_to_judge(self, step: str, first: str = "", second: str | None = None, b_first: bool = False) -> Material:
        return Material(self._of_judging(step), self.turns, first, second, b_first, rule=self.wordings.rule_of_judging)

    def _of_judging(self, step: str) -> str:
        return self.wordings.judging.text(step, self.language)

    def _judged(self, step: str, material: Material, texts: Mapping[str, str], answer: Any) -> Chat:
        parts = (material.as_json(), self.language, texts, answer)
        worded = partial(_of_material, material)
        return Chat(step, self.query, parts, worded, self.key, self.source)

    def _bridged(self, step: str, prompt: str, texts: Mapping[str, str], answer: Any) -> Chat:
        parts = (self.wordings.bridging.text(prompt, self.language), self.language, texts, answer)
        return Chat(step, self.query, parts, bridging_chat, self.key, self.source)

    def _reversed(self, first: str, second: str | None, judgement: str) -> dict[str, str]:
        return {"query": self.query, "answer": first, "second": second or "", "judgement": judgement}


def _of_material(
    material: Material, _as_json: Any, language: str, texts: Mapping[str, str], answer: Any
) -> list[Message]:
    return judge_chat(material, language, texts, answer)


def _steps_of(second: str | None) -> Sequence[str]:
    return OF_ONE if second is None else OF_PAIRS


def by(criterion: Criterion) -> dict[str, str]:
    """What a judge is given of a criterion."""
    return {"criterion": criterion.text, "guideline": criterion.guideline}


def _listed(criteria: Sequence[Criterion]) -> dict[str, Any]:
    return {"criteria": [{"name": criterion.name, "description": criterion.description} for criterion in criteria]}


def _levels(criterion: Criterion) -> dict[str, str]:
    return {f"level_{score}": words for score, words in enumerate(criterion.levels, start=1)}
