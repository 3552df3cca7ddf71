"""What a purpose or a kind says to the engine, and what it gets back. Pure: no model, no network."""

import hashlib
import json
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from pydantic import BaseModel

from annotate.kinds.causes import Cause

Message = Mapping[str, str]  # {"role": "system" | "user" | "assistant", "content": text}


@cache
def schema_of(answer: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of an answer: made once, because pydantic takes longer for it than for a whole reply."""
    return answer.model_json_schema()


@dataclass(frozen=True)
class Question:
    """One request to a model.

    step: its place in the work on one job, a path such as `checklist` or `judge/3/swapped`; unique within the job.
    answer: the shape of the JSON wanted, or None for plain text.
    temperature: None leaves it to the service. max_tokens: likewise. parameters: what else is sent, by the name that
    the protocol has for it, such as top_p. shared: whatever the temperature, a reply to an equal question of another
    job of the project at this endpoint will do; within one job all equal questions then have one reply.
    """

    step: str
    messages: Sequence[Message]
    answer: type[BaseModel] | None = None
    temperature: float | None = 0.0
    max_tokens: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    shared: bool = False

    def body(self) -> dict[str, Any]:
        """What is asked, without what belongs to the endpoint; the ledger keeps it, and `digest` is taken of it."""
        body: dict[str, Any] = {"messages": [dict(message) for message in self.messages]}
        if self.answer is not None:
            body["answer"] = {"name": self.answer.__name__, "schema": schema_of(self.answer)}
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.max_tokens is not None:
            body["max_tokens"] = self.max_tokens
        if self.parameters:
            body["parameters"] = dict(self.parameters)
        return body

    def digest(self, model: str) -> str:
        """sha256 over model and body: equal questions have equal digests."""
        whole = json.dumps({"model": model, **self.body()}, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Reply:
    """What came back and could be read. read: an instance of the question's `answer`; None where that is None."""

    text: str
    read: Any = None
    model: str = ""
    replayed: bool = False


class CallFailed(Exception):
    """A step got no readable reply in all its attempts. said: what the last one said, where that is a reply at all."""

    def __init__(self, cause: Cause, detail: str = "", said: str = "", *, step: str = "") -> None:
        super().__init__(f"{step}: {cause} {detail}".strip())
        self.cause, self.detail, self.said, self.step = cause, detail, said, step


class Ask(Protocol):
    """Puts one question and gives the reply. Raises CallFailed. Finished steps are replayed without a call."""

    def __call__(self, question: Question, /) -> Awaitable[Reply]: ...


@dataclass(frozen=True)
class Prompts:
    """The wordings that a run uses: (step, language) -> text, with the versions they come from.

    guidelines: the project's, for kinds whose models read them; "" where there are none. guideline_version: of these.
    """

    texts: Mapping[tuple[str, str], str]
    versions: Mapping[tuple[str, str], int] = field(default_factory=dict)
    guidelines: str = ""
    guideline_version: int | None = None
    parts: Mapping[tuple[str, str, str], str] = field(default_factory=dict)  # see lib/texts/own.py

    def text(self, step: str, language: str) -> str:
        """In this language, else in English."""
        return self.texts.get((step, language)) or self.texts[(step, "en")]
