"""Answers in the form of the protocol, and faults in its form too."""

import json
from dataclasses import dataclass, replace
from typing import Any

from lib.simulated.reasoning import Thought
from lib.simulated.requests import Asked
from lib.simulated.tokens import PER_MESSAGE, cut_to, tokens

CREATED = 1_735_689_600  # the same for ever, so that equal requests have equal answers


@dataclass(frozen=True)
class Reply:
    """What is sent back. content: None after a refusal; value: what the content says as JSON, None for prose.

    thought: what came before the answer, whose tokens count among those of the answer.
    """

    asked: Asked
    content: str | None
    value: Any = None
    finish_reason: str = "stop"
    refusal: str | None = None
    tokens_out: int | None = None
    thought: Thought | None = None

    def saying(self, content: str | None, **changes: Any) -> "Reply":
        return replace(self, content=content, **changes)

    @property
    def tokens(self) -> int:
        """Of the answer, with a few for the frame around it."""
        content_tokens = tokens(self.content or self.refusal or "")
        return PER_MESSAGE + content_tokens + self._thought_tokens if self.tokens_out is None else self.tokens_out

    @property
    def _thought_tokens(self) -> int:
        return self.thought.tokens if self.thought else 0

    def limited(self) -> "Reply":
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
