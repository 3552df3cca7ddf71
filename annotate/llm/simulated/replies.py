"""Answers in the form of the protocol, and faults in its form too."""

import json
from dataclasses import dataclass, replace
from typing import Any

from annotate.llm.simulated.requests import Asked
from annotate.llm.simulated.tokens import PER_MESSAGE, cut_to, tokens

CREATED = 1_735_689_600  # the same for ever, so that equal requests have equal answers


@dataclass(frozen=True)
class Reply:
    """What is sent back. content: None after a refusal; value: what the content says as JSON, None for prose."""

    asked: Asked
    content: str | None
    value: Any = None
    finish_reason: str = "stop"
    refusal: str | None = None
    tokens_out: int | None = None

    def saying(self, content: str | None, **changes: Any) -> "Reply":
        return replace(self, content=content, **changes)

    @property
    def tokens(self) -> int:
        """Of the answer, with a few for the frame around it."""
        said = tokens(self.content or self.refusal or "")
        return PER_MESSAGE + said if self.tokens_out is None else self.tokens_out

    def limited(self) -> "Reply":
        """Cut off where the request allowed no more tokens."""
        most = self.asked.most_tokens
        if most is None or self.content is None or tokens(self.content) <= most:
            return self
        return self.saying(cut_to(self.content, most), finish_reason="length", tokens_out=most)

    def body(self) -> dict[str, Any]:
        message = {"role": "assistant", "content": self.content, "refusal": self.refusal}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self.finish_reason}
        read, written = self.asked.tokens, self.tokens
        return {
            "id": f"chatcmpl-simulated-{self.asked.digest[:20]}",
            "object": "chat.completion",
            "created": CREATED,
            "model": self.asked.model,
            "choices": [choice],
            "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
            "system_fingerprint": "fp_simulated",
        }


def as_text(value: Any, *, fenced: bool) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return f"```json\n{text}\n```" if fenced else text


def fault(message: str, sort: str, *, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": sort, "param": param, "code": code}}
