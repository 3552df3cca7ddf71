"""An `ask` that answers from a script, and remembers what it was asked: no model, no network, no ledger."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotate import kinds
from annotate.kinds.protocol import CallFailed, Cause, Prompts, Question, Reply

CORRECTION: dict[str, Any] = {
    "reference": {"response": "Mars has two moons: Phobos and Deimos."},
    "deficiencies": {"deficiencies": [{"type": "Factual Error", "reason": "It says three; there are two."}]},
    "feedback": {"feedback": "Are you sure? I count one fewer.", "types": ["Hinting Guidance"]},
    "follow_up": {"response": "You are right: Mars has two moons, Phobos and Deimos."},
    "checklist": {
        "checklist": [
            {"question": "Does it say that Mars has two moons?", "weight": 0.7},
            {"question": "Does it name Phobos and Deimos?", "weight": 0.3},
        ]
    },
}
MAINTENANCE: dict[str, Any] = {
    **{f"candidates/{n}": {"candidates": [f"No. {n}: really?", f"No. {n}: I doubt it."]} for n in (1, 2, 3, 4)},
    "criteria": {"checklist": ["Does it stay with two moons?"]},
}
CLASSIFICATION: dict[str, Any] = {"classify": {"label": "Knowledge Q&A;Objective Facts"}}


class Script:
    """replies: step -> the fields, or an exception to raise. Replies once given are replayed, as by the engine."""

    def __init__(self, replies: Mapping[str, Any]) -> None:
        self.replies = dict(replies)
        self.asked: list[Question] = []
        self.ledger: dict[tuple[str, str], Reply] = {}

    async def __call__(self, question: Question, /) -> Reply:
        at = (question.step, question.digest("a-model"))
        if at in self.ledger:
            return self.ledger[at]
        self.asked.append(question)
        given = self.replies.get(question.step)
        if given is None:
            raise CallFailed(Cause.SERVER_ERROR, "nothing in the script", step=question.step)
        if isinstance(given, Exception):
            raise given
        assert question.answer is not None
        self.ledger[at] = Reply(str(given), question.answer.model_validate(given), "a-model")
        return self.ledger[at]

    @property
    def steps(self) -> list[str]:
        return [question.step for question in self.asked]

    def said(self, step: str) -> str:
        """The user's message of a step, as the model saw it."""
        return next(str(q.messages[1]["content"]) for q in self.asked if q.step == step)


def shipped(kind: str, *, number: int = 1) -> Prompts:
    """The prompts of a kind as its files say them."""
    folder = Path(kinds.__path__[0]) / kind / "prompts"
    texts = {}
    for path in folder.glob("*.md"):
        step, language = path.name.removesuffix(".md").rsplit(".", 1)
        texts[step, language] = path.read_text()
    return Prompts(texts, dict.fromkeys(texts, number))
