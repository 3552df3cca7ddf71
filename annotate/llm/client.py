"""One request to a model service. Whatever happens on the way becomes a reply or a cause of the closed list."""

import asyncio
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlsplit

import aiohttp
import httpx2
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, AsyncStream, DefaultAioHttpClient
from openai._models import FinalRequestOptions

from annotate.llm import reading
from annotate.llm.asking import Question
from annotate.llm.causes import Cause
from annotate.llm.replies import SIMULATED, Received, storable, understood
from annotate.llm.strictness import response_format
from annotate.llm.threads import beside
from annotate.llm.tokens import tokens_in, tokens_of
from annotate.models import Endpoint

MOST_BYTES = 8 * 1024 * 1024  # of one reply; more is nothing that a model says
CONNECT = 15.0  # seconds for a connection; the rest of the deadline is for the reply
HIDDEN = "[key]"
POST = FinalRequestOptions(method="post", url="/chat/completions")


@dataclass(frozen=True)
class Answered:
    """received: what came. read: an instance of the question's answer, where one could be read."""

    received: Received
    milliseconds: int
    read: Any = None

    @property
    def cause(self) -> Cause | None:
        return self.received.cause


class NoKey(Exception):
    """The environment variable that the endpoint names is missing, or holds no key."""


class _Plain(AsyncOpenAI):
    """Sends to one address what the protocol needs, and nothing about this machine.

    The library's own way of putting a request together asks the environment for its owner's organisation, and takes a
    third of all the time that a call costs this program.
    """

    def __init__(self, *, endpoint: Endpoint, http: httpx2.AsyncClient) -> None:
        super().__init__(api_key="unused", base_url=endpoint.base_url, max_retries=0, http_client=http)
        self._platform = "Unknown"  # or each of the first requests starts a thread that finds it out
        self._address = httpx2.URL(f"{endpoint.base_url.rstrip('/')}/chat/completions")
        self._limits = {"timeout": http.timeout.as_dict()}

    def _build_request(self, options: FinalRequestOptions, *, retries_taken: int = 0) -> httpx2.Request:
        content = json.dumps(options.json_data, ensure_ascii=False, separators=(",", ":")).encode()
        headers = cast(dict[str, str], options.headers)
        return httpx2.Request("POST", self._address, headers=headers, content=content, extensions=self._limits)


class Client:
    """Speaks to one endpoint. Open it with `async with`, in the loop that asks."""

    def __init__(self, endpoint: Endpoint, *, connections: int | None = None) -> None:
        self.endpoint = endpoint
        most = connections or endpoint.max_in_flight
        # Only what an administrator has written is visited: no redirects, and nothing between us and this machine.
        http = DefaultAioHttpClient(
            follow_redirects=False,
            timeout=httpx2.Timeout(endpoint.deadline, connect=min(CONNECT, endpoint.deadline)),
            limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
            trust_env=not _is_here(endpoint.base_url),
            verify=not endpoint.base_url.startswith("http:"),  # which has no certificates to load
        )
        # The key is not given here: it is read anew for each request, and never an attribute of anything.
        self._openai = _Plain(endpoint=endpoint, http=http)

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_fault: object) -> None:
        await self._openai.close()

    async def ask_once(self, question: Question) -> Answered:
        """One request, one outcome: no other attempt, no exception but cancellation and defects of this program."""
        began = time.monotonic()
        key = ""
        try:
            key = key_of(self.endpoint)
            async with asyncio.timeout(self.endpoint.deadline):
                received = await self._send(question, key)
        except NoKey as missing:
            received = Received(Cause.NO_KEY, str(missing))
        except TimeoutError:
            received = Received(Cause.TIMEOUT, f"No whole reply within {self.endpoint.deadline} seconds.")
        except (APIConnectionError, aiohttp.ClientError, httpx2.HTTPError, OSError) as fault:
            received = _not_reached(fault, self.endpoint)
        milliseconds = round(1000 * (time.monotonic() - began))
        return _read(question, _without(key, received), milliseconds)

    async def _send(self, question: Question, key: str) -> Received:
        try:
            response = cast(
                httpx2.Response,
                await self._openai.request(
                    httpx2.Response,
                    POST.model_copy(update={"json_data": body(self.endpoint, question), "headers": _headers(key)}),
                    stream=True,
                    stream_cls=AsyncStream[Any],
                ),
            )
        except APIStatusError as refused:
            return _told(refused.response, refused.response.content)
        try:
            return _told(response, await _content(response))
        except _TooLarge:
            return Received(Cause.NOT_THE_API, f"The reply is larger than {MOST_BYTES} bytes.")
        finally:
            await response.aclose()


class _TooLarge(Exception):
    pass


def _told(response: httpx2.Response, content: bytes) -> Received:
    received = understood(response.status_code, response.headers, content)
    return replace(received, simulated=True) if SIMULATED in response.headers else received


async def _content(response: httpx2.Response) -> bytes:
    pieces, size = [], 0
    async for piece in response.aiter_bytes():
        size += len(piece)
        if size > MOST_BYTES:
            raise _TooLarge
        pieces.append(piece)
    return b"".join(pieces)


def body(endpoint: Endpoint, question: Question) -> dict[str, Any]:
    """What is sent: the question in the words of the protocol."""
    messages = [{"role": each["role"], "content": storable(each["content"])} for each in question.messages]
    sent: dict[str, Any] = {"model": endpoint.model, "messages": messages}
    if question.temperature is not None:
        sent["temperature"] = question.temperature
    if question.max_tokens is not None:
        sent["max_tokens"] = question.max_tokens
    if question.answer is not None and endpoint.strict_json:
        sent["response_format"] = response_format(question.answer)
    return sent


def key_of(endpoint: Endpoint) -> str:
    """Read at each call, so that a changed key needs no restart; "" for an endpoint without one. Raises NoKey."""
    if not endpoint.key_env:
        return ""
    key = os.environ.get(endpoint.key_env, "").strip()
    if not key:
        raise NoKey(f"The environment variable {endpoint.key_env} is not set where the worker runs.")
    if not key.isascii() or not key.isprintable():
        raise NoKey(f"The environment variable {endpoint.key_env} holds characters that no key has.")
    return key


def _headers(key: str) -> dict[str, str]:
    said = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "Touchstone"}
    return said | ({"Authorization": f"Bearer {key}"} if key else {})


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _not_reached(fault: BaseException, endpoint: Endpoint) -> Received:
    """By the innermost cause: the library calls a server that hangs up a timeout."""
    chain = [fault]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and len(chain) < 10:
        chain.append(cause)
    if any(isinstance(each, aiohttp.InvalidURL | httpx2.InvalidURL | httpx2.UnsupportedProtocol) for each in chain):
        return Received(Cause.NOT_FOUND, "The base URL is not an address.")
    if any(isinstance(each, aiohttp.ClientResponseError | httpx2.DecodingError) for each in chain):
        return Received(Cause.NOT_THE_API, "What answers there does not speak HTTP.")
    if any(isinstance(each, TimeoutError) for each in chain):  # aiohttp's are, all of them
        return Received(Cause.TIMEOUT, f"No reply within {endpoint.deadline} seconds.")
    return Received(Cause.CONNECTION, storable(_words(chain))[:500])


def _words(chain: Sequence[BaseException]) -> str:
    said = next((str(each) for each in reversed(chain) if str(each)), "")
    return f"{type(chain[-1]).__name__}: {said}" if said else type(chain[-1]).__name__


def _without(key: str, received: Received) -> Received:
    """Services quote keys in their messages; the ledger keeps none."""
    if not key or not any(key in text for text in (received.detail, received.text, received.model)):
        return received
    hidden = {name: getattr(received, name).replace(key, HIDDEN) for name in ("detail", "text", "model")}
    return replace(received, **hidden)


def _read(question: Question, received: Received, milliseconds: int) -> Answered:
    if received.text and received.cause in (None, *WITH_USAGE) and not received.usage_told:
        received = _guessed(question, received)
    if received.cause is not None:
        return Answered(received, milliseconds)
    try:
        return Answered(received, milliseconds, reading.read(question, received.text))
    except reading.Unread as unread:
        return Answered(replace(received, cause=unread.cause, detail=unread.detail), milliseconds)


WITH_USAGE = (Cause.TRUNCATED, Cause.FILTERED, Cause.REFUSED)


def _guessed(question: Question, received: Received) -> Received:
    """A service that tells no usage must not make a budget endless."""
    return replace(received, tokens_in=tokens_in(question), tokens_out=tokens_of(received.text))


@dataclass(frozen=True)
class Probe:
    """What the test of an endpoint found. milliseconds: None where nothing answered. model: as the service names it.

    simulated: the service says that it is the simulated model.
    """

    ok: bool
    cause: Cause | None
    detail: str
    milliseconds: int | None
    model: str
    simulated: bool = False


GREETING = Question("probe", [{"role": "user", "content": "Reply with the word ready."}], max_tokens=64)
# The service has answered as a model does; that the few words allowed were too few says nothing against it.
WELL = {None, Cause.TRUNCATED, Cause.EMPTY, Cause.REFUSED}


def probe(endpoint: Endpoint) -> Probe:
    """Ask one short question. For the test button: nothing is stored."""

    async def ask() -> Answered:
        async with Client(endpoint) as client:
            return await client.ask_once(GREETING)

    answered = beside(ask())
    received, reached = answered.received, answered.cause not in (Cause.NO_KEY, Cause.CONNECTION, Cause.TIMEOUT)
    ok = answered.cause in WELL
    return Probe(
        ok,
        None if ok else answered.cause,
        received.detail,
        answered.milliseconds if reached else None,
        received.model,
        received.simulated,
    )
