import asyncio
import json
import logging
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from annotate.engine import client
from annotate.engine.client import Client
from annotate.engine.endpoint_probe import probe
from annotate.engine.replies import ParsedReply, understood
from annotate.engine.wire import NoKey, key_of
from annotate.kinds.protocol import Cause, Question
from annotate.models import Endpoint
from tests.support.faulty_model import ANSWERS, FaultyModel, faulty_model
from tests.support.running import run
from tests.support.small_purpose import Word

QUESTION = Question("step", [{"role": "user", "content": "Which word?"}], Word)
KEY = "sk-test-0123456789abcdef"


@pytest.fixture(scope="module")
def serving() -> Iterator[FaultyModel]:
    """One server for all tests: each sets the answer that it wants."""
    with faulty_model() as model:
        yield model


def endpoint(model: FaultyModel | str, **columns: Any) -> Endpoint:
    url = model if isinstance(model, str) else model.base_url
    return Endpoint(**{"name": "e", "base_url": url, "model": "moon-1", "deadline": 20, "max_in_flight": 4} | columns)


def asked(at: Endpoint, question: Question = QUESTION) -> ParsedReply:
    async def ask() -> ParsedReply:
        async with Client(at) as opened:
            return await opened.ask_once(question)

    return run(ask())


def answered(model: FaultyModel, answer: str, **columns: Any) -> ParsedReply:
    model.chooses = lambda _question, _times: answer
    return asked(endpoint(model, **columns))


CAUSES = {
    "good": None,
    "fenced": None,
    "no_usage": None,
    "odd_usage": None,
    "huge_usage": None,
    "nul_and_half": None,
    "rate_limited": Cause.RATE_LIMITED,
    "rate_limited_wait": Cause.RATE_LIMITED,
    "server_error": Cause.SERVER_ERROR,
    "unavailable": Cause.SERVER_ERROR,
    "hangs": Cause.TIMEOUT,
    "drips": Cause.TIMEOUT,
    "floods": Cause.NOT_THE_API,
    "resets": Cause.CONNECTION,
    "breaks_off": Cause.CONNECTION,
    "truncated": Cause.TRUNCATED,
    "filtered": Cause.FILTERED,
    "filtered_request": Cause.FILTERED,
    "refused": Cause.REFUSED,
    "prose": Cause.NOT_JSON,
    "wrong_types": Cause.WRONG_SHAPE,
    "not_a_number": Cause.NOT_JSON,
    "two_objects": Cause.WRONG_SHAPE,
    "empty": Cause.EMPTY,
    "null": Cause.EMPTY,
    "content_is_a_number": Cause.NOT_THE_API,
    "no_choices": Cause.EMPTY,
    "choices_missing": Cause.NOT_THE_API,
    "no_message": Cause.NOT_THE_API,
    "html": Cause.NOT_THE_API,
    "a_list": Cause.NOT_THE_API,
    "nothing": Cause.NOT_THE_API,
    "error_with_200": Cause.SERVER_ERROR,
    "too_long": Cause.TOO_LONG,
    "bad_request": Cause.BAD_REQUEST,
    "unauthorised": Cause.UNAUTHORISED,
    "forbidden": Cause.UNAUTHORISED,
    "not_found": Cause.NOT_FOUND,
    "redirect": Cause.NOT_THE_API,
    "bad_gzip": Cause.NOT_THE_API,
    "quotes_the_key": Cause.UNAUTHORISED,
}


@pytest.mark.parametrize(("answer", "cause"), CAUSES.items())
def test_every_outcome_is_a_reply_or_a_cause_with_a_sentence(
    serving: FaultyModel, answer: str, cause: Cause | None
) -> None:
    got = answered(serving, answer, deadline=1 if cause == Cause.TIMEOUT else 20)
    assert got.cause == cause, got
    assert bool(got.received.detail) == (cause is not None)
    assert (got.read is not None) == (cause is None)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (402, {"error": {"message": "Insufficient credits."}}),
        (429, {"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}}),
        (403, {"error": {"message": "Insufficient balance."}}),
    ],
)
def test_an_account_without_money_is_nothing_that_passes(status: int, said: dict[str, Any]) -> None:
    got = understood(status, {}, json.dumps(said).encode())
    assert (got.cause, got.detail) == (Cause.UNAUTHORISED, f"Status {status}: {said['error']['message']}")


def test_the_list_of_causes_covers_every_answer_of_the_faulty_model() -> None:
    assert set(CAUSES) | {"says_the_key"} == set(ANSWERS)


def test_the_deadline_is_for_the_whole_call(serving: FaultyModel) -> None:
    """Each byte of `drips` comes in time; only a deadline over all of them ends it."""
    got = answered(serving, "drips", deadline=1)
    assert (got.cause, got.received.detail) == (Cause.TIMEOUT, "No whole reply within 1 seconds.")


def test_a_request_is_in_the_words_of_the_protocol(serving: FaultyModel) -> None:
    answered(serving, "good")
    body = serving.bodies[-1]
    assert (body["model"], body["messages"]) == ("moon-1", [{"role": "user", "content": "Which word?"}])
    assert body["temperature"] == 0.0
    wanted = body["response_format"]["json_schema"]
    assert (body["response_format"]["type"], wanted["name"], wanted["strict"]) == ("json_schema", "Word", True)
    assert (wanted["schema"]["required"], wanted["schema"]["additionalProperties"]) == (["word", "number"], False)
    assert "max_tokens" not in body


def test_no_schema_is_sent_where_the_endpoint_does_not_understand_it(serving: FaultyModel) -> None:
    answered(serving, "fenced", strict_json=False)
    assert "response_format" not in serving.bodies[-1]


def test_plain_text_needs_no_json(serving: FaultyModel) -> None:
    serving.chooses = lambda _question, _times: "prose"
    got = asked(endpoint(serving), Question("step", QUESTION.messages, temperature=None, max_tokens=9))
    assert (got.cause, got.read, got.received.text) == (None, None, "The word is moon, and the number is two.")
    assert "temperature" not in serving.bodies[-1]
    assert serving.bodies[-1]["max_tokens"] == 9


def test_usage_is_as_told_and_guessed_where_it_is_not(serving: FaultyModel) -> None:
    told = answered(serving, "good").received
    assert (told.tokens_in, told.tokens_out, told.usage_told) == (100, 10, True)
    for answer in ("no_usage", "odd_usage"):
        guessed = answered(serving, answer).received
        assert guessed.tokens_in > 10
        assert guessed.tokens_out > 5
        assert not guessed.usage_told
    assert answered(serving, "huge_usage").received.tokens_in == 100_000_000


def test_a_wait_that_the_service_asks_for_is_told(serving: FaultyModel) -> None:
    assert answered(serving, "rate_limited_wait").received.wait == 1.0
    assert answered(serving, "rate_limited").received.wait is None


def test_what_a_database_cannot_hold_is_replaced(serving: FaultyModel) -> None:
    text = answered(serving, "nul_and_half").received.text
    assert "\0" not in text
    assert text.encode()


def test_nobody_is_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        got = asked(endpoint(url))
    assert got.cause == Cause.CONNECTION
    assert asked(endpoint("http://nowhere.invalid/v1")).cause == Cause.CONNECTION


def test_something_else_than_http_is_there() -> None:
    async def ask() -> ParsedReply:
        async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(greet, "127.0.0.1", 0)
        async with server, Client(endpoint(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")) as opened:
            return await opened.ask_once(QUESTION)

    got = run(ask())
    assert got.cause == Cause.NOT_THE_API


def test_the_key_is_read_at_each_call_and_sent_as_a_bearer(
    serving: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in (KEY, "another-key"):
        monkeypatch.setenv("MOON_KEY", f" {key}\n")
        answered(serving, "good", key_env="MOON_KEY")
        assert serving.headers[-1]["Authorization"] == f"Bearer {key}"


def test_without_a_key_nothing_of_the_environment_is_sent(
    serving: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library would take these for whatever service it is pointed to."""
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, KEY)
    answered(serving, "good")
    assert not any(KEY in value for value in serving.headers[-1].values())
    assert "Authorization" not in serving.headers[-1]


@pytest.mark.parametrize("key", [None, "", "  \n", "sk-\u4e2d", "sk-\x07"])
def test_a_key_that_is_missing_or_none_is_said_without_a_request(
    serving: FaultyModel, monkeypatch: pytest.MonkeyPatch, key: str | None
) -> None:
    monkeypatch.delenv("MOON_KEY", raising=False)
    if key is not None:
        monkeypatch.setenv("MOON_KEY", key)
    before = serving.calls
    got = answered(serving, "good", key_env="MOON_KEY")
    assert got.cause == Cause.NO_KEY
    assert "MOON_KEY" in got.received.detail
    assert serving.calls == before
    with pytest.raises(NoKey):
        key_of(endpoint(serving, key_env="MOON_KEY"))


@pytest.mark.parametrize("answer", ["quotes_the_key", "says_the_key"])
def test_a_key_that_the_service_repeats_is_hidden(
    serving: FaultyModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, answer: str
) -> None:
    monkeypatch.setenv("MOON_KEY", KEY)
    with caplog.at_level(logging.DEBUG):
        got = answered(serving, answer, key_env="MOON_KEY")
    assert KEY not in repr(got)
    assert client.HIDDEN in got.received.detail + got.received.text
    assert KEY not in caplog.text


def test_a_redirect_is_not_followed(serving: FaultyModel) -> None:
    before = serving.calls
    got = answered(serving, "redirect")
    assert "redirects to http://127.0.0.1:9/stolen" in got.received.detail
    assert serving.calls == before + 1


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    serving: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert answered(serving, "good").cause is None


def test_the_probe_says_that_a_model_answers(serving: FaultyModel) -> None:
    for answer in ("good", "truncated", "empty"):
        serving.chooses = lambda _question, _times, answer=answer: answer
        found = probe(endpoint(serving))
        assert (found.ok, found.cause, found.model) == (True, None, "moon-1")
        assert found.milliseconds is not None


def test_the_probe_says_what_is_wrong(serving: FaultyModel) -> None:
    serving.chooses = lambda _question, _times: "not_found"
    found = probe(endpoint(serving))
    assert (found.ok, found.cause) == (False, Cause.NOT_FOUND)
    assert "The model does not exist." in found.detail
    nobody = probe(endpoint("http://nowhere.invalid/v1"))
    assert (nobody.ok, nobody.cause, nobody.milliseconds) == (False, Cause.CONNECTION, None)


def test_the_probe_works_inside_a_running_loop(serving: FaultyModel) -> None:
    serving.chooses = lambda _question, _times: "good"

    async def inside() -> bool:
        return probe(endpoint(serving)).ok

    assert run(inside())
