"""The steps of judging in branches as chats, whoever took them: people in a tree, or a judge in a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
)
from judging.services.training.wording import chat


@dataclass(frozen=True)
class Criterion:
    """levels: what its scores mean, the lowest first."""

    name: str
    description: str
    levels: Sequence[str] = ()

    @property
    def text(self) -> str:
        return f"{self.name}\n{self.description}"

    @property
    def guideline(self) -> str:
        return "\n".join(f"{score}: {words}" for score, words in enumerate(self.levels, start=1))


@dataclass(frozen=True)
class About:
    """What the chats of one item have in common."""

    query: str
    key: str
    language: str
    source: str = PEOPLE

    def chat(self, step: str, prompt: str, texts: Mapping[str, str], answer: Any) -> Chat:
        parts = (prompt, self.language, {"query": self.query, **texts}, answer)
        return Chat(step, self.query, parts, chat, self.key, self.source)

    def criteria(self, found: Sequence[Criterion]) -> Chat:
        return self.chat(CRITERIA, "criteria", {"count": str(len(found))}, _listed(found))

    def guideline(self, one: Criterion) -> Chat:
        return self.chat(GUIDELINES, "guideline", {"criterion": one.text}, _levels(one))

    def judgement(self, one: Criterion, response: str, said: Mapping[str, Any]) -> Chat:
        """said: explanation, score."""
        return self.chat(JUDGEMENTS, "judgement", {"only": response, **_by(one)}, said)

    def comparison(self, one: Criterion, responses: Mapping[str, str], said: Mapping[str, Any]) -> Chat:
        """responses: `first` and `second` in the order in which they are shown; said: explanations and scores."""
        return self.chat(JUDGEMENTS, "comparison", {**responses, **_by(one)}, said)

    def correction(self, response: str, judgements: str, corrected: str) -> Chat:
        texts = {"only": response, "judgements": judgements}
        return self.chat(CORRECTIONS, "correction", texts, {"corrected_response": corrected})

    def reverse_criteria(self, responses: Mapping[str, str], judgement: str, found: Sequence[Criterion]) -> Chat:
        texts = {**responses, "judgement": judgement, "count": str(len(found))}
        return self.chat(REVERSE_CRITERIA, "reverse-criteria", texts, _listed(found))

    def reverse_guideline(self, responses: Mapping[str, str], judgement: str, one: Criterion) -> Chat:
        texts = {**responses, "judgement": judgement, "criterion": one.text}
        return self.chat(REVERSE_GUIDELINES, "reverse-guideline", texts, _levels(one))

    def reverse_judgement(
        self, responses: Mapping[str, str], found: Sequence[Criterion], style: str, judgement: str
    ) -> Chat:
        """judgement: in the words and on the scale of the set that it comes from, which `style` describes."""
        criteria = "\n\n".join(f"{one.text}\n{one.guideline}" for one in found)
        texts = {**responses, "criteria": criteria, "style": style}
        return self.chat(REVERSE_JUDGEMENTS, "reverse-judgement", texts, judgement)


def _by(one: Criterion) -> dict[str, str]:
    return {"criterion": one.text, "guideline": one.guideline}


def _listed(found: Sequence[Criterion]) -> dict[str, Any]:
    return {"criteria": [{"name": one.name, "description": one.description} for one in found]}


def _levels(one: Criterion) -> dict[str, str]:
    return {f"level_{score}": words for score, words in enumerate(one.levels, start=1)}
