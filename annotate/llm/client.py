"""One request to a model service. Whatever happens on the way becomes a reply or a cause of the closed list."""

import asyncio
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

import aiohttp
import httpx2
from openai import APIConnectionError, AsyncOpenAI, AsyncStream, DefaultAioHttpClient
from openai._models import FinalRequestOptions
from pydantic import BaseModel

from annotate.kinds.causes import Cause
from annotate.kinds.protocol import Question
from annotate.llm import reading, wire
from annotate.llm.addresses import NAME, resolve
from annotate.llm.bodies import MOST_OF_A_REPLY, MOST_OF_AN_ERROR, BodyUnreadable, read_body
from annotate.llm.capabilities import Capabilities
from annotate.llm.lessons import lesson
from annotate.llm.replies import Received, storable, understood
from annotate.llm.threads import beside
from annotate.llm.tokens import tokens_in, tokens_of
from annotate.models import Endpoint
from lib.simulated import SIMULATED

LARGE = 64 * 1024  # bytes of a body that is understood in a thread of its own, for the event loop has others to serve
CONNECT = 15.0  # seconds for a connection; the rest of the deadline is for the reply
HIDDEN = "[key]"
FIRST_REFUSAL = 300  # of the status codes
POST = FinalRequestOptions(method="post", url="/chat/completions")


@dataclass(frozen=True)
class Answered:
    """received: what came. read: an instance of the question's answer, where one could be read.

    sent: how it was asked, see wire.described. learned: what the service takes, where its refusal said what it does
    not take: the same question may then be asked in another way.
    """

    received: Received
    milliseconds: int
    read: Any = None
    sent: Mapping[str, Any] = field(default_factory=dict)
    learned: Capabilities | None = None

    @property
    def cause(self) -> Cause | None:
        return self.received.cause

    @property
    def ask_again(self) -> bool:
        """Whether the same question, asked in the way just learned, may be answered."""
        return self.learned is not None and self.received.refusal is not None


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
        self._service, self._version = endpoint.base_url, endpoint.api_version
        self._limits = {"timeout": http.timeout.as_dict()}

    def _build_request(self, options: FinalRequestOptions, *, retries_taken: int = 0) -> httpx2.Request:
        content = json.dumps(options.json_data, ensure_ascii=False, separators=(",", ":")).encode()
        headers = cast(dict[str, str], options.headers)
        address = _completions(resolve(self._service), self._version)
        return httpx2.Request("POST", address, headers=headers, content=content, extensions=self._limits)

    async def _send_request(self, request: httpx2.Request, *, stream: bool, **options: Any) -> httpx2.Response:
        """Before the library reads the whole body of an error, however long it is."""
        response = await super()._send_request(request, stream=stream, **options)
        if response.status_code >= FIRST_REFUSAL:
            raise _Refused(response)
        return response


class _Refused(Exception):
    """An answer that is no success; its body is not read yet."""

    def __init__(self, response: httpx2.Response) -> None:
        super().__init__(response.status_code)
        self.response = response


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
            verify=not endpoint.base_url.startswith(("http:", NAME)),  # which have no certificates to load
        )
        # What the service is known to take. Whoever stores what `ask_once` has learned puts it here too.
        self.capabilities = wire.capabilities_of(endpoint)
        # The key is not given here: it is read anew for each request, and never an attribute of anything.
        self._openai = _Plain(endpoint=endpoint, http=http)

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_fault: object) -> None:
        await self._openai.close()

    async def ask_once(self, question: Question) -> Answered:
        """One request, one outcome: no other attempt, no exception but cancellation and defects of this program."""
        began = time.monotonic()
        key, capabilities = "", self.capabilities
        sent = wire.body(self.endpoint.model, question, capabilities)
        try:
            key = key_of(self.endpoint)
            async with asyncio.timeout(self.endpoint.deadline):
                received = await self._send(sent, key)
        except NoKey as missing:
            received = Received(Cause.NO_KEY, str(missing))
        except TimeoutError:
            received = Received(Cause.TIMEOUT, f"No whole reply within {self.endpoint.deadline} seconds.")
        except (APIConnectionError, aiohttp.ClientError, httpx2.HTTPError, OSError) as fault:
            received = _not_reached(fault, self.endpoint)
        milliseconds = round(1000 * (time.monotonic() - began))
        answered = _read(question, _without(key, received), milliseconds)
        return replace(answered, sent=wire.described(sent), learned=_learned(answered.received, sent, capabilities))

    async def _send(self, sent: Mapping[str, Any], key: str) -> Received:
        headers = _headers(self.endpoint, key)
        try:
            response = cast(
                httpx2.Response,
                await self._openai.request(
                    httpx2.Response,
                    POST.model_copy(update={"json_data": sent, "headers": headers}),
                    stream=True,
                    stream_cls=AsyncStream[Any],
                ),
            )
        except _Refused as refused:
            response = refused.response
        try:
            return await _received(response)
        finally:
            await response.aclose()


async def _received(response: httpx2.Response) -> Received:
    """A body that goes on beyond its limit is no reply; of an error its beginning says enough."""
    is_error = response.status_code >= FIRST_REFUSAL
    try:
        body = await read_body(response, MOST_OF_AN_ERROR if is_error else MOST_OF_A_REPLY)
        content, is_whole = body.content, body.is_whole
    except BodyUnreadable:
        if not is_error:
            return Received(Cause.NOT_THE_API, "What answers there does not speak HTTP.")
        content, is_whole = b"", True
    if not is_whole and not is_error:
        return Received(Cause.NOT_THE_API, f"The reply is larger than {MOST_OF_A_REPLY} bytes.")
    if len(content) > LARGE:
        received = await asyncio.to_thread(understood, response.status_code, response.headers, content)
    else:
        received = understood(response.status_code, response.headers, content)
    return replace(received, simulated=True) if SIMULATED in response.headers else received


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


def _learned(received: Received, sent: Mapping[str, Any], capabilities: Capabilities) -> Capabilities | None:
    if received.refusal is not None and received.cause in (Cause.BAD_REQUEST, Cause.NOT_FOUND):
        return lesson(received.refusal, wire.names_in(sent), capabilities)
    cap = sent.get(capabilities.length_parameter) if capabilities.length_parameter else None
    if cap and received.usage_told and received.tokens_out > cap and not capabilities.ignores_cap:
        return replace(capabilities, ignores_cap=True)
    return None


def _headers(endpoint: Endpoint, key: str) -> dict[str, str]:
    """Nothing packed is asked for: replies are small, and what unpacks to gigabytes cannot come by itself."""
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "Touchstone"}
    headers["Accept-Encoding"] = "identity"
    if not key:
        return headers
    return headers | ({"api-key": key} if endpoint.api_version else {"Authorization": f"Bearer {key}"})


@cache
def _completions(base_url: str, api_version: str) -> httpx2.URL:
    """Where questions are sent. Azure wants the version of its API in the address."""
    version = f"?{urlencode({'api-version': api_version})}" if api_version else ""
    return httpx2.URL(f"{base_url.rstrip('/')}/chat/completions{version}")


def _is_here(url: str) -> bool:
    if url == NAME:
        return True
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
    if any(isinstance(error, aiohttp.InvalidURL | httpx2.InvalidURL | httpx2.UnsupportedProtocol) for error in chain):
        return Received(Cause.NOT_FOUND, "The base URL is not an address.")
    if any(isinstance(error, aiohttp.ClientResponseError | httpx2.DecodingError) for error in chain):
        return Received(Cause.NOT_THE_API, "What answers there does not speak HTTP.")
    if any(isinstance(error, TimeoutError) for error in chain):  # aiohttp's are, all of them
        return Received(Cause.TIMEOUT, f"No reply within {endpoint.deadline} seconds.")
    return Received(Cause.CONNECTION, storable(_words(chain))[:500])


def _words(chain: Sequence[BaseException]) -> str:
    message = next((str(error) for error in reversed(chain) if str(error)), "")
    return f"{type(chain[-1]).__name__}: {message}" if message else type(chain[-1]).__name__


QUOTED = ("detail", "text", "model", "reasoning")


def _without(key: str, received: Received) -> Received:
    """Services quote keys in their messages; the ledger keeps none."""
    if not key:
        return received
    refusal = received.refusal
    if refusal is not None and key in refusal.message:
        received = replace(received, refusal=replace(refusal, message=refusal.message.replace(key, HIDDEN)))
    hidden = {name: text.replace(key, HIDDEN) for name in QUOTED if key in (text := getattr(received, name))}
    return replace(received, **hidden) if hidden else received


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


class Ready(BaseModel):
    ready: bool


@dataclass(frozen=True)
class Probe:
    """What the test of an endpoint found. milliseconds: None where nothing answered. model: as the service names it.

    simulated: the service says that it is the simulated model. capabilities: what it takes, as far as this has shown.
    refusals: its words about what it does not take, in order.
    """

    ok: bool
    cause: Cause | None
    detail: str
    milliseconds: int | None
    model: str
    simulated: bool = False
    capabilities: Capabilities = field(default_factory=Capabilities)
    refusals: Sequence[str] = ()


# With everything that runs send, so that the service can say what it does not take.
GREETING = Question(
    "probe",
    [
        {"role": "system", "content": "You answer in JSON, in the shape that is asked for, and with nothing else."},
        {"role": "user", "content": 'Are you ready? Answer with the JSON object {"ready": true}.'},
    ],
    Ready,
    temperature=0.0,
    max_tokens=256,
)
# The service has answered as a model does. What it said, or that the few words allowed were too few, says nothing
# against it.
WELL = {None, Cause.TRUNCATED, Cause.EMPTY, Cause.REFUSED, Cause.NOT_JSON, Cause.WRONG_SHAPE}


def probe(endpoint: Endpoint) -> Probe:
    """Ask one short question, and again in another way as often as the service says what it does not take.

    For the test button: nothing is stored.
    """
    answers, capabilities = beside(_asked_until_it_fits(endpoint))
    answered = answers[-1]
    received, reached = answered.received, answered.cause not in (Cause.NO_KEY, Cause.CONNECTION, Cause.TIMEOUT)
    ok = answered.cause in WELL
    return Probe(
        ok,
        None if ok else answered.cause,
        received.detail,
        answered.milliseconds if reached else None,
        received.model,
        received.simulated,
        capabilities,
        [refused.received.detail for refused in answers[:-1]],
    )


async def _asked_until_it_fits(endpoint: Endpoint) -> tuple[list[Answered], Capabilities]:
    """Every lesson is a step that is taken once, so there are only a few."""
    question, answers = wire.with_parameters(GREETING, wire.parameters_of(endpoint)), []
    async with Client(endpoint) as client:
        while True:
            answered = await client.ask_once(question)
            answers.append(answered)
            if answered.learned is not None:
                client.capabilities = client.capabilities.joined(answered.learned)
            if not answered.ask_again:
                return answers, client.capabilities
