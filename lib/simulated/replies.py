"""Replies of the simulated model: its reasoning before the answer, and answers and errors in the protocol's format."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.profiles import HIDDEN, Profile
from lib.simulated.requests import PER_MESSAGE, ChatRequest, cut_to, tokens
from lib.simulated.wording import SentenceWording

# Hidden reasoning is counted in blocks of 64 tokens, like the services that hide it.
BLOCKS: Mapping[str, int] = MappingProxyType({"minimal": 0, "low": 1, "medium": 3, "high": 9})
BLOCK = 64
USUAL_EFFORT = "medium"


@dataclass(frozen=True)
class Thought:
    """field: of the message, in which the text stands, or HIDDEN. is_counted: whether the usage tells its tokens."""

    text: str
    tokens: int
    field: str = HIDDEN
    is_counted: bool = False

    def within(self, most: int) -> "Thought":
        """No longer than the tokens that the request allows altogether."""
        if self.tokens <= most:
            return self
        return Thought(cut_to(self.text, most), most, self.field, self.is_counted)


def thought(profile: Profile, request: ChatRequest, draw: Draw, effort: str = USUAL_EFFORT) -> Thought | None:
    """What stands before the answer to this request; None where the service does not reason."""
    if profile.reasoning is None:
        return None
    text = SentenceWording(request.material, draw).prose("reasoning")
    size = BLOCK * BLOCKS.get(effort, BLOCKS[USUAL_EFFORT]) if profile.reasoning == HIDDEN else tokens(text)
    return Thought(text, size, profile.reasoning, profile.counts_reasoning)


# Answers and errors in the protocol's format.


CREATED = 1_735_689_600  # the same for ever, so that equal requests have equal answers


@dataclass(frozen=True)
class ModelReply:
    """What is sent back. content: None after a refusal; value: what the content says as JSON, None for prose.

    thought: what came before the answer, whose tokens count among those of the answer.
    """

    asked: ChatRequest
    content: str | None
    value: Any = None
    finish_reason: str = "stop"
    refusal: str | None = None
    tokens_out: int | None = None
    thought: Thought | None = None

    def saying(self, content: str | None, **changes: Any) -> "ModelReply":
        return replace(self, content=content, **changes)

    @property
    def tokens(self) -> int:
        """Of the answer, with a few for the frame around it."""
        content_tokens = tokens(self.content or self.refusal or "")
        return PER_MESSAGE + content_tokens + self._thought_tokens if self.tokens_out is None else self.tokens_out

    @property
    def _thought_tokens(self) -> int:
        return self.thought.tokens if self.thought else 0

    def limited(self) -> "ModelReply":
        """Cut off where the request allowed no more tokens."""
        most = self.asked.most_tokens
        if most is None or self.content is None or tokens(self.content) + self._thought_tokens <= most:
            return self
        thought = self.thought.within(most) if self.thought else None
        rest = most - (thought.tokens if thought else 0)
        return self.saying(cut_to(self.content, rest), finish_reason="length", tokens_out=most, thought=thought)

    def body(self) -> dict[str, Any]:
        message = {"role": "assistant", "content": self.content, "refusal": self.refusal}
        if self.thought and self.thought.field:
            message[self.thought.field] = self.thought.text
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self.finish_reason}
        prompt_tokens, written = self.asked.tokens, self.tokens
        return {
            "id": f"chatcmpl-simulated-{self.asked.digest[:20]}",
            "object": "chat.completion",
            "created": CREATED,
            "model": self.asked.model,
            "choices": [choice],
            "usage": {
                "prompt_tokens": prompt_tokens,
                "completion_tokens": written,
                "total_tokens": prompt_tokens + written,
                **self._details(),
            },
            "system_fingerprint": "fp_simulated",
        }

    def _details(self) -> dict[str, Any]:
        if self.thought is None or not self.thought.is_counted:
            return {}
        return {"completion_tokens_details": {"reasoning_tokens": self.thought.tokens}}


def as_text(value: Any, *, fenced: bool) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return f"```json\n{text}\n```" if fenced else text
