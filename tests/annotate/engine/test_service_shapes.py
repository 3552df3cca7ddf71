"""Replies and errors of services in all the shapes that they come in: what is read, and which words are passed on."""

import json
from typing import Any

import pytest

from annotate.engine.replies import understood
from annotate.kinds.protocol import Cause


def error(status: int, payload: Any) -> tuple[str | None, str]:
    """(cause, the service's own message)"""
    received = understood(status, {}, json.dumps(payload).encode())
    assert received.refusal is not None
    return received.cause, received.refusal.message


def completion(content: Any) -> Any:
    choices = [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]
    return understood(200, {}, json.dumps({"choices": choices}).encode())


def through_a_proxy(raw: Any) -> dict[str, Any]:
    return {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw}}}


def test_an_error_that_is_only_a_text_is_passed_on() -> None:
    assert error(404, {"error": "no such model"}) == (Cause.NOT_FOUND, "no such model")
    assert error(200, {"error": "the model crashed"}) == (Cause.SERVER_ERROR, "the model crashed")


@pytest.mark.parametrize(
    "raw",
    [
        "maximum context length is 4096 tokens",
        json.dumps({"error": {"message": "maximum context length is 4096 tokens"}}),
        {"error": {"message": "maximum context length is 4096 tokens", "metadata": {"raw": "inner"}}},
        {"error": "maximum context length is 4096 tokens"},
    ],
)
def test_the_words_of_the_provider_count_and_not_those_of_the_proxy(raw: Any) -> None:
    assert error(400, through_a_proxy(raw)) == (Cause.TOO_LONG, "maximum context length is 4096 tokens")


@pytest.mark.parametrize("raw", [None, 7, "null"])
def test_a_proxy_without_words_of_the_provider_speaks_for_itself(raw: Any) -> None:
    assert error(400, through_a_proxy(raw)) == (Cause.BAD_REQUEST, "Provider returned error")


def test_content_in_parts_is_one_text() -> None:
    received = completion([{"type": "text", "text": "Two "}, "moons", {"type": "image"}])
    assert (received.cause, received.text) == (None, "Two moons")


@pytest.mark.parametrize("content", [[{"text": 7}], [3], {"text": "no list"}])
def test_content_that_is_no_text_is_no_reply_of_the_api(content: Any) -> None:
    received = completion(content)
    assert (received.cause, received.detail) == (Cause.NOT_THE_API, "`content` is no text.")
