"""What a service sent back, read without trusting any of it: a reply with its usage, or the cause why there is none."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any

from django.utils import timezone

from annotate.kinds.causes import Cause
from annotate.llm.lessons import Refusal

MOST_TOKENS = 100_000_000  # a larger number is a mistake of the service, and no column would hold it
SHOWN = 500  # characters of a service's own words in a message
KEPT = 20_000  # characters of a body that is no reply
KEPT_REASONING = 100_000  # characters of what a model thought
TOO_LONG = re.compile(
    r"context[ _]?(length|window|size)|maximum context|too many (input )?tokens|prompt is too long|input is too long"
    r"|reduce the length|exceeds? the (model|maximum)|string_above_max_length",
    re.IGNORECASE,
)
NO_CREDIT = re.compile(
    r"insufficient_quota|billing_(hard_limit|not_active)|insufficient (credit|balance)", re.IGNORECASE
)
FILTER = re.compile(r"content[ _]?(filter|policy|management)|responsible ?ai|safety system", re.IGNORECASE)
BY_STATUS = {
    401: Cause.UNAUTHORISED,
    402: Cause.UNAUTHORISED,  # nothing is left to pay with: another key is wanted, or money
    403: Cause.UNAUTHORISED,
    404: Cause.NOT_FOUND,
    405: Cause.NOT_FOUND,
    408: Cause.TIMEOUT,
    410: Cause.NOT_FOUND,
    413: Cause.TOO_LONG,
    425: Cause.SERVER_ERROR,
    429: Cause.RATE_LIMITED,
}


@dataclass(frozen=True)
class Received:
    """One outcome of one request.

    cause: None where there is a whole text. text: what the model said, or what came instead. usage_told: False where
    tokens are not known. wait: seconds that the service asks for before another attempt. simulated: it says that it
    is no model. reasoning: what the model thought, where the service returns that apart from the answer. refusal: how
    the service refused the request; None where it did not.
    """

    cause: Cause | None = None
    detail: str = ""
    text: str = ""
    finish_reason: str = ""
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    usage_told: bool = False
    wait: float | None = None
    simulated: bool = False
    reasoning: str = ""
    refusal: Refusal | None = None

    @property
    def is_of_a_model(self) -> bool:
        """Whether a model has answered, readable or not."""
        return self.refusal is None and (bool(self.finish_reason) or self.cause is None)


def understood(status: int, headers: Mapping[str, str], body: bytes) -> Received:
    """Any answer over HTTP. Never raises."""
    text = storable(body.decode("utf-8", "replace"))
    if 300 <= status < 400:
        where = storable(headers.get("location", ""))[:SHOWN]
        return Received(
            Cause.NOT_THE_API, f"The address redirects to {where or 'nowhere'}; redirects are not followed."
        )
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        payload = None
    if status >= 400:
        return replace(_refused(status, payload, text), wait=_wait(headers))
    if not isinstance(payload, dict):
        kind = storable(headers.get("content-type", "")).partition(";")[0] or "something"
        return Received(Cause.NOT_THE_API, f"Status {status} with {kind} and no JSON object.", text[:KEPT])
    if payload.get("error") and "choices" not in payload:
        code = payload["error"].get("code") if isinstance(payload["error"], dict) else None
        return _refused(code if isinstance(code, int) and 400 <= code < 600 else 500, payload, text)
    return _completion(payload, text)


def _refused(status: int, payload: Any, text: str) -> Received:
    error_message, code, parameter = _error(payload)
    message = f"Status {status}: {error_message or ' '.join(text[: 2 * SHOWN].split())}"[:SHOWN]
    words = f"{code} {error_message}"
    cause = BY_STATUS.get(status)
    if cause is None:
        cause = Cause.SERVER_ERROR if status >= 500 else Cause.BAD_REQUEST
    if status in (400, 403, 429) and NO_CREDIT.search(words):
        cause = Cause.UNAUTHORISED
    if status in (400, 413, 422) or (status == 500 and payload):
        if TOO_LONG.search(words):
            cause = Cause.TOO_LONG
        elif FILTER.search(words):
            cause = Cause.FILTERED
    return Received(cause, message, text[:KEPT], refusal=Refusal(status, error_message or text[:KEPT], parameter, code))


def _error(payload: Any) -> tuple[str, str, str]:
    """(message, code, parameter) in the shapes that services use."""
    error = payload.get("error", payload) if isinstance(payload, dict) else None
    if isinstance(error, str):
        return storable(error), "", ""
    if not isinstance(error, dict):
        return "", "", ""
    message, code, parameter = _behind_a_proxy(error)
    message = message or str(error.get("message") or error.get("detail") or "")
    code = code or f"{error.get('code') or ''} {error.get('type') or ''}"
    parameter = parameter or (error["param"] if isinstance(error.get("param"), str) else "")
    return storable(message), storable(code), storable(parameter)


def _behind_a_proxy(error: dict[str, Any]) -> tuple[str, str, str]:
    """What the provider said whose words a proxy such as OpenRouter passes on; empty where there is nothing."""
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if isinstance(raw, str):
        try:
            raw = json.loads(raw[:KEPT])
        except (ValueError, RecursionError):
            return raw[:KEPT], "", ""
    if not isinstance(raw, dict):
        return "", "", ""
    inner = raw.get("error")
    if isinstance(inner, dict) and "metadata" in inner:
        raw = {"error": {name: value for name, value in inner.items() if name != "metadata"}}
    return _error({name: value for name, value in raw.items() if name != "metadata"})


def _completion(payload: dict[str, Any], text: str) -> Received:
    choices = payload.get("choices")
    if not isinstance(choices, list):
        return Received(Cause.NOT_THE_API, "JSON without `choices`.", text[:KEPT])
    received = _with_usage(Received(model=_short(payload.get("model"), 120)), payload.get("usage"))
    choice = choices[0] if choices else None
    if choice is None:
        return replace(received, cause=Cause.EMPTY, detail="The service sent no choices.")
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        return replace(received, cause=Cause.NOT_THE_API, detail="A choice without `message`.", text=text[:KEPT])
    received = replace(received, finish_reason=_short(choice.get("finish_reason"), 40))
    return _said(received, message, text)


def _said(received: Received, message: dict[str, Any], body: str) -> Received:
    content, refusal = _content(message.get("content")), message.get("refusal")
    if content is None:
        return replace(received, cause=Cause.NOT_THE_API, detail="`content` is no text.", text=body[:KEPT])
    received = replace(received, text=content, reasoning=_reasoning(message)[:KEPT_REASONING])
    if isinstance(refusal, str) and refusal.strip():
        refusal_text = storable(refusal)
        return replace(received, cause=Cause.REFUSED, detail=refusal_text[:SHOWN], text=content or refusal_text)
    if received.finish_reason == "content_filter":
        return replace(received, cause=Cause.FILTERED, detail="A content filter stopped the reply.")
    if received.finish_reason == "length":
        return replace(received, cause=Cause.TRUNCATED, detail="The reply was cut off at the limit of tokens.")
    if not content.strip():
        return replace(received, cause=Cause.EMPTY, detail="The reply is empty.")
    return received


def _reasoning(message: dict[str, Any]) -> str:
    """vLLM and DeepSeek call it `reasoning_content`, Ollama and OpenRouter `reasoning`."""
    thoughts = (message.get(name) for name in ("reasoning_content", "reasoning"))
    return next((storable(text) for text in thoughts if isinstance(text, str) and text), "")


def _content(content: Any) -> str | None:
    """A text, or a list of parts with texts; "" for nothing; None for anything else."""
    if isinstance(content, list):
        parts = [part.get("text", "") if isinstance(part, dict) else part for part in content]
        return storable("".join(parts)) if all(isinstance(part, str) for part in parts) else None
    if content is None:
        return ""
    return storable(content) if isinstance(content, str) else None


def _with_usage(received: Received, usage: Any) -> Received:
    if not isinstance(usage, dict):
        return received
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        return received
    told_in, told_out = (min(int(count or 0), MOST_TOKENS) for count in counts)
    return replace(received, tokens_in=told_in, tokens_out=told_out, usage_told=True)


def _short(value: Any, length: int) -> str:
    return storable(value)[:length] if isinstance(value, str) else ""


def _wait(headers: Mapping[str, str]) -> float | None:
    """Of `retry-after`: seconds, or a date."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,6}(\.\d+)?", value):
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - timezone.now()).total_seconds())
    except (ValueError, TypeError):
        return None


def storable(text: str) -> str:
    """Without what a database cannot hold: NUL, and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
