"""Replies of a service, read without trusting them: text with its usage, or a cause; and the JSON inside the text."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import Any, NoReturn

from django.utils import timezone
from pydantic import BaseModel, ValidationError

from annotate.engine.capabilities import Capabilities, Refusal
from annotate.kinds.protocol import Cause, Question, schema_of

MOST_TOKENS = 100_000_000  # a larger number is an error of the service, and no column could hold it
BODY_SHOWN = 500  # characters of a service's own words in a message
CONTENT_KEPT = 20_000  # characters of a body that is no reply
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
    402: Cause.UNAUTHORISED,  # payment required: the account needs another key or more credit
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
class CallResult:
    """The outcome of one request.

    cause: None if there is a whole text. text: the model's text, or the body received instead. usage_told: False if
    tokens are not known. wait: seconds that the service asks for before another attempt. simulated: the service says
    that it is no model. reasoning: the model's reasoning, if the service returns it apart from the answer. refusal: how
    the service refused the request; None if it did not.
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


@dataclass(frozen=True)
class ParsedReply:
    """received: the raw outcome. read: an instance of the question's answer shape, if one could be read.

    sent: how it was asked, see wire.described. learned: the capabilities of the service, if its refusal named something
    that it does not take: the same question may then be asked in another way.
    """

    received: CallResult
    milliseconds: int
    read: Any = None
    sent: Mapping[str, Any] = field(default_factory=dict)
    learned: Capabilities | None = None

    @property
    def cause(self) -> Cause | None:
        return self.received.cause

    @property
    def ask_again(self) -> bool:
        """Whether the same question may succeed if it is asked in the way just learned."""
        return self.learned is not None and self.received.refusal is not None


def understood(status: int, headers: Mapping[str, str], body: bytes) -> CallResult:
    """The outcome of any HTTP answer. Never raises."""
    text = storable(body.decode("utf-8", "replace"))
    if 300 <= status < 400:
        where = storable(headers.get("location", ""))[:BODY_SHOWN]
        return CallResult(
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
        return CallResult(Cause.NOT_THE_API, f"Status {status} with {kind} and no JSON object.", text[:CONTENT_KEPT])
    if payload.get("error") and "choices" not in payload:
        code = payload["error"].get("code") if isinstance(payload["error"], dict) else None
        return _refused(code if isinstance(code, int) and 400 <= code < 600 else 500, payload, text)
    return _completion(payload, text)


def _refused(status: int, payload: Any, text: str) -> CallResult:
    error_message, code, parameter = _error(payload)
    message = f"Status {status}: {error_message or ' '.join(text[: 2 * BODY_SHOWN].split())}"[:BODY_SHOWN]
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
    return CallResult(
        cause,
        message,
        text[:CONTENT_KEPT],
        refusal=Refusal(status, error_message or text[:CONTENT_KEPT], parameter, code),
    )


def _error(payload: Any) -> tuple[str, str, str]:
    """(message, code, parameter), in the shapes that services use."""
    error = payload.get("error", payload) if isinstance(payload, dict) else None
    if isinstance(error, str):
        return storable(error), "", ""
    if not isinstance(error, dict):
        return "", "", ""
    message, code, parameter = _proxied_message(error)
    message = message or str(error.get("message") or error.get("detail") or "")
    code = code or f"{error.get('code') or ''} {error.get('type') or ''}"
    parameter = parameter or (error["param"] if isinstance(error.get("param"), str) else "")
    return storable(message), storable(code), storable(parameter)


def _proxied_message(error: dict[str, Any]) -> tuple[str, str, str]:
    """The provider's own message, if a proxy such as OpenRouter passes it on; empty if there is none."""
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if isinstance(raw, str):
        try:
            raw = json.loads(raw[:CONTENT_KEPT])
        except (ValueError, RecursionError):
            return raw[:CONTENT_KEPT], "", ""
    if not isinstance(raw, dict):
        return "", "", ""
    inner = raw.get("error")
    if isinstance(inner, dict) and "metadata" in inner:
        raw = {"error": {name: value for name, value in inner.items() if name != "metadata"}}
    return _error({name: value for name, value in raw.items() if name != "metadata"})


def _completion(payload: dict[str, Any], text: str) -> CallResult:
    choices = payload.get("choices")
    if not isinstance(choices, list):
        return CallResult(Cause.NOT_THE_API, "JSON without `choices`.", text[:CONTENT_KEPT])
    received = _with_usage(CallResult(model=_short(payload.get("model"), 120)), payload.get("usage"))
    choice = choices[0] if choices else None
    if choice is None:
        return replace(received, cause=Cause.EMPTY, detail="The service sent no choices.")
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        return replace(
            received, cause=Cause.NOT_THE_API, detail="A choice without `message`.", text=text[:CONTENT_KEPT]
        )
    received = replace(received, finish_reason=_short(choice.get("finish_reason"), 40))
    return _with_message(received, message, text)


def _with_message(received: CallResult, message: dict[str, Any], body: str) -> CallResult:
    content, refusal = _content(message.get("content")), message.get("refusal")
    if content is None:
        return replace(received, cause=Cause.NOT_THE_API, detail="`content` is no text.", text=body[:CONTENT_KEPT])
    received = replace(received, text=content, reasoning=_reasoning(message)[:KEPT_REASONING])
    if isinstance(refusal, str) and refusal.strip():
        refusal_text = storable(refusal)
        return replace(received, cause=Cause.REFUSED, detail=refusal_text[:BODY_SHOWN], text=content or refusal_text)
    if received.finish_reason == "content_filter":
        return replace(received, cause=Cause.FILTERED, detail="A content filter stopped the reply.")
    if received.finish_reason == "length":
        return replace(received, cause=Cause.TRUNCATED, detail="The reply was cut off at the limit of tokens.")
    if not content.strip():
        return replace(received, cause=Cause.EMPTY, detail="The reply is empty.")
    return received


def _reasoning(message: dict[str, Any]) -> str:
    """The reasoning: vLLM and DeepSeek call it `reasoning_content`, Ollama and OpenRouter `reasoning`."""
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


def _with_usage(received: CallResult, usage: Any) -> CallResult:
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
    """Seconds to wait, from `retry-after`, which holds seconds or a date."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,6}(\.\d+)?", value):
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - timezone.now()).total_seconds())
    except (ValueError, TypeError):
        return None


def storable(text: str) -> str:
    """The text without what a database cannot hold: NUL, and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


# JSON in the text of a model: tolerant about everything around it, strict about its shape.


STARTS = 1000  # positions at which an object may begin before the search is given up
EXCERPT_SHOWN = 120  # characters of a reply in a message
THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
STRING_OR_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


class Unread(Exception):
    """A reply without the requested content. The message is one sentence that names what is wrong."""

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause, self.detail = cause, detail


def without_thoughts(text: str) -> str:
    """The reply without the reasoning that some models put before it."""
    return THOUGHTS.sub("", text).strip()


def parse_reply(question: Question, text: str) -> Any:
    """An instance of the question's answer; None if plain text is wanted.

    Code fences, text around the JSON and surplus commas are tolerated. Raises Unread: `empty`, `not_json`, or
    `wrong_shape`, also if several objects of the right shape differ, because nobody can tell which one is meant.
    """
    spoken = without_thoughts(text)
    if not spoken:
        raise Unread(Cause.EMPTY, "The reply is empty.")
    return None if question.answer is None else _parse_json(question.answer, spoken)


def _parse_json(shape: type[BaseModel], text: str) -> Any:
    """Parse the text unchanged; then a second time without commas before a closing bracket."""
    opening = "[" if schema_of(shape).get("type") == "array" else "{"
    faults: list[Unread] = []
    for version in dict.fromkeys((text, _without_last_commas(text))):
        try:
            return _fitting(shape, _values(version, opening), text)
        except Unread as unread:
            faults.append(unread)
    raise next((fault for fault in faults if fault.cause == Cause.WRONG_SHAPE), faults[0])


def _fitting(shape: type[BaseModel], candidates: list[Any], text: str) -> Any:
    """The only object of the shape among these. Raises Unread."""
    if not candidates:
        raise Unread(Cause.NOT_JSON, f"No JSON in the reply, which begins: {_beginning(text)}")
    fitting, fault = [], ""
    is_storable = "\\u" not in text and storable(text) == text
    for value in candidates:
        try:
            fitting.append(shape.model_validate_json(json.dumps(value if is_storable else _storable(value))))
        except ValidationError as error:
            fault = fault or _sentence(error)
        except RecursionError:
            fault = fault or "The object is nested too deeply."
    if not fitting:
        raise Unread(Cause.WRONG_SHAPE, fault)
    if any(candidate != fitting[0] for candidate in fitting[1:]):
        raise Unread(Cause.WRONG_SHAPE, f"{len(fitting)} objects of the right shape, and they differ.")
    return fitting[0]


def _values(text: str, opening: str) -> list[Any]:
    """The whole text, else every object in it."""
    whole = _whole(text)
    if isinstance(whole, str):  # JSON inside a JSON string
        text, whole = whole, _whole(whole)
    return [whole] if isinstance(whole, dict | list) else list(_embedded(text, opening))


def _without_last_commas(text: str) -> str:
    return STRING_OR_LAST_COMMA.sub(lambda match: match.group(1) or "", text)


def _whole(text: str) -> Any:
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _embedded(text: str, opening: str) -> Iterator[Any]:
    """The outermost objects, in order."""
    at = text.find(opening)
    for _start in range(STARTS):
        if at < 0:
            return
        try:
            value, end = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find(opening, end)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _refuse(digits[:20])


# strict=False: models write line breaks into strings.
DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite, strict=False)


def _storable(value: Any) -> Any:
    """JSON escapes may produce characters that no database holds."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_storable(part) for part in value]
    if isinstance(value, dict):
        return {storable(name): _storable(part) for name, part in value.items()}
    return value


def _sentence(error: ValidationError) -> str:
    first_error, *other_errors = error.errors(include_url=False, include_input=False, include_context=False)
    where = ".".join(map(str, first_error["loc"])) or "The object"
    more = f" (and {len(other_errors)} more)" if other_errors else ""
    return f"{where}: {first_error['msg']}{more}"[:500]


def _beginning(text: str) -> str:
    flat = " ".join(text[: 2 * EXCERPT_SHOWN].split())
    return f"{flat[:EXCERPT_SHOWN]}…" if len(flat) > EXCERPT_SHOWN else flat
