"""HTTP client of model services: one request and its limited reply.

Bodies are read with a size limit before and after decompression, because nobody vouches for the service.
"""

import asyncio
import json
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

import aiohttp
import httpx2
from openai import APIConnectionError, AsyncOpenAI, AsyncStream, DefaultAioHttpClient
from openai._models import FinalRequestOptions

from annotate.engine import replies, wire
from annotate.engine.addresses import SIMULATED, resolve
from annotate.engine.budget import tokens_in, tokens_of
from annotate.engine.capabilities import Capabilities, lesson
from annotate.engine.replies import CallResult, ParsedReply, storable, understood
from annotate.engine.wire import NoKey, key_of
from annotate.kinds.protocol import Cause, Question
from annotate.models import Endpoint
from lib.simulated import SIMULATED as SIMULATED_HEADER

MOST_OF_A_REPLY = 2 * 1024 * 1024  # bytes; no reply of a model is longer
MOST_OF_AN_ERROR = 64 * 1024
PIECE = 16 * 1024  # bytes that are decompressed at a time, so that the event loop can run in between
GZIP_OR_ZLIB = zlib.MAX_WBITS | 32  # zlib detects which of the two it is
PACKED = {"gzip", "x-gzip", "deflate"}
PLAIN = {"", "identity"}

Unpack = Callable[[bytes, int], bytes]


class BodyUnreadable(Exception):
    """The body is compressed in a way that was not asked for, or not as its header says."""


@dataclass(frozen=True)
class ResponseBody:
    """is_whole: False if the service would have sent more than the limit."""

    content: bytes
    is_whole: bool


async def read_body(response: httpx2.Response, limit: int) -> ResponseBody:
    """At most `limit` bytes of the decompressed body; never holds more than that, however small the compressed body
    was.

    Raises BodyUnreadable, and what the transport raises.
    """
    content, unpack = bytearray(), _unpacker(response.headers.get("content-encoding", ""))
    async for received in response.aiter_raw():
        for start in range(0, len(received), PIECE):
            content += unpack(received[start : start + PIECE], limit + 1 - len(content))
            if len(content) > limit:
                return ResponseBody(bytes(content[:limit]), is_whole=False)
    return ResponseBody(bytes(content), is_whole=True)


def _unpacker(encoding: str) -> Unpack:
    """A function that takes a chunk of the received bytes and the most bytes that may come out."""
    name = encoding.strip().lower()
    if name in PLAIN:
        return lambda piece, _most: piece
    if name not in PACKED:
        raise BodyUnreadable(name[:40])
    inflater = zlib.decompressobj(GZIP_OR_ZLIB)

    def unpack(piece: bytes, most: int) -> bytes:
        try:
            return inflater.decompress(piece, most)
        except zlib.error as fault:
            raise BodyUnreadable(str(fault)) from fault

    return unpack


# One request to a model service. Every outcome is a reply or a cause of the closed list.


LARGE = 64 * 1024  # bytes; larger bodies are parsed in a thread, so that they do not block the event loop
CONNECT = 15.0  # seconds for a connection; the rest of the deadline is for the reply
HIDDEN = "[key]"
FIRST_REFUSAL = 300  # of the status codes
POST = FinalRequestOptions(method="post", url="/chat/completions")


class _Plain(AsyncOpenAI):
    """Sends to one address only what the protocol needs, and nothing about this machine.

    The library's own code for building requests reads its owner's organisation from the environment, and takes a third
    of all the time that a call costs this program.
    """

    def __init__(self, *, endpoint: Endpoint, http: httpx2.AsyncClient) -> None:
        super().__init__(api_key="unused", base_url=endpoint.base_url, max_retries=0, http_client=http)
        self._platform = "Unknown"  # else each of the first requests starts a thread to detect it
        self._service, self._version = endpoint.base_url, endpoint.api_version
        self._limits = {"timeout": http.timeout.as_dict()}

    def _build_request(self, options: FinalRequestOptions, *, retries_taken: int = 0) -> httpx2.Request:
        content = json.dumps(options.json_data, ensure_ascii=False, separators=(",", ":")).encode()
        headers = cast(dict[str, str], options.headers)
        address = _completions(resolve(self._service), self._version)
        return httpx2.Request("POST", address, headers=headers, content=content, extensions=self._limits)

    async def _send_request(self, request: httpx2.Request, *, stream: bool, **options: Any) -> httpx2.Response:
        """Runs before the library reads the whole body of an error, however long it is."""
        response = await super()._send_request(request, stream=stream, **options)
        if response.status_code >= FIRST_REFUSAL:
            raise _Refused(response)
        return response


class _Refused(Exception):
    """An answer with an error status; its body is not read yet."""

    def __init__(self, response: httpx2.Response) -> None:
        super().__init__(response.status_code)
        self.response = response


class Client:
    """A client of one endpoint. Open it with `async with`, in the loop that asks."""

    def __init__(self, endpoint: Endpoint, *, connections: int | None = None) -> None:
        self.endpoint = endpoint
        most = connections or endpoint.max_in_flight
        # Only the address that an administrator has set is called: no redirects and no proxy.
        http = DefaultAioHttpClient(
            follow_redirects=False,
            timeout=httpx2.Timeout(endpoint.deadline, connect=min(CONNECT, endpoint.deadline)),
            limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
            trust_env=not _is_here(endpoint.base_url),
            verify=not endpoint.base_url.startswith(("http:", SIMULATED)),  # which have no certificates to load
        )
        # What the service is known to take. Callers that store what `ask_once` has learned set it here too.
        self.capabilities = wire.capabilities_of(endpoint)
        # The key is not passed here: it is read for each request, and is never an attribute of any object.
        self._openai = _Plain(endpoint=endpoint, http=http)

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_fault: object) -> None:
        await self._openai.close()

    async def ask_once(self, question: Question, addresses: Mapping[str, str] | None = None) -> ParsedReply:
        """Send one request and return its outcome: no retry, no exception but cancellation and bugs of this program.

        addresses: sha256 of each image of the question -> its data URL.
        """
        began = time.monotonic()
        key, capabilities = "", self.capabilities
        sent = wire.body(self.endpoint.model, question, capabilities, addresses)
        try:
            key = key_of(self.endpoint)
            async with asyncio.timeout(self.endpoint.deadline):
                received = await self._send(sent, key)
        except NoKey as missing:
            received = CallResult(Cause.NO_KEY, str(missing))
        except TimeoutError:
            received = CallResult(Cause.TIMEOUT, f"No whole reply within {self.endpoint.deadline} seconds.")
        except (APIConnectionError, aiohttp.ClientError, httpx2.HTTPError, OSError) as fault:
            received = _not_reached(fault, self.endpoint)
        milliseconds = round(1000 * (time.monotonic() - began))
        answered = _parse_reply(question, _without(key, received), milliseconds)
        return replace(answered, sent=wire.described(sent), learned=_learned(answered.received, sent, capabilities))

    async def _send(self, sent: Mapping[str, Any], key: str) -> CallResult:
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


async def _received(response: httpx2.Response) -> CallResult:
    """The outcome of a response. A body beyond the limit is not a reply; of an error, the beginning is enough."""
    is_error = response.status_code >= FIRST_REFUSAL
    try:
        body = await read_body(response, MOST_OF_AN_ERROR if is_error else MOST_OF_A_REPLY)
        content, is_whole = body.content, body.is_whole
    except BodyUnreadable:
        if not is_error:
            return CallResult(Cause.NOT_THE_API, "What answers there does not speak HTTP.")
        content, is_whole = b"", True
    if not is_whole and not is_error:
        return CallResult(Cause.NOT_THE_API, f"The reply is larger than {MOST_OF_A_REPLY} bytes.")
    if len(content) > LARGE:
        received = await asyncio.to_thread(understood, response.status_code, response.headers, content)
    else:
        received = understood(response.status_code, response.headers, content)
    return replace(received, simulated=True) if SIMULATED_HEADER in response.headers else received


def _learned(received: CallResult, sent: Mapping[str, Any], capabilities: Capabilities) -> Capabilities | None:
    if received.refusal is not None and received.cause in (Cause.BAD_REQUEST, Cause.NOT_FOUND):
        return lesson(received.refusal, wire.names_in(sent), capabilities)
    cap = sent.get(capabilities.length_parameter) if capabilities.length_parameter else None
    if cap and received.usage_told and received.tokens_out > cap and not capabilities.ignores_cap:
        return replace(capabilities, ignores_cap=True)
    return None


def _headers(endpoint: Endpoint, key: str) -> dict[str, str]:
    """No compression is requested: replies are small, and no service then has a reason to send a decompression bomb."""
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "Touchstone"}
    headers["Accept-Encoding"] = "identity"
    if not key:
        return headers
    return headers | ({"api-key": key} if endpoint.api_version else {"Authorization": f"Bearer {key}"})


@cache
def _completions(base_url: str, api_version: str) -> httpx2.URL:
    """The URL for questions. Azure wants the version of its API in the address."""
    version = f"?{urlencode({'api-version': api_version})}" if api_version else ""
    return httpx2.URL(f"{base_url.rstrip('/')}/chat/completions{version}")


def _is_here(url: str) -> bool:
    if url == SIMULATED:
        return True
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _not_reached(fault: BaseException, endpoint: Endpoint) -> CallResult:
    """The outcome by the innermost cause: the library reports a timeout when a server closes the connection."""
    chain = [fault]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and len(chain) < 10:
        chain.append(cause)
    if any(isinstance(error, aiohttp.InvalidURL | httpx2.InvalidURL | httpx2.UnsupportedProtocol) for error in chain):
        return CallResult(Cause.NOT_FOUND, "The base URL is not an address.")
    if any(isinstance(error, aiohttp.ClientResponseError | httpx2.DecodingError) for error in chain):
        return CallResult(Cause.NOT_THE_API, "What answers there does not speak HTTP.")
    if any(isinstance(error, TimeoutError) for error in chain):  # aiohttp's are, all of them
        return CallResult(Cause.TIMEOUT, f"No reply within {endpoint.deadline} seconds.")
    return CallResult(Cause.CONNECTION, storable(_words(chain))[:500])


def _words(chain: Sequence[BaseException]) -> str:
    message = next((str(error) for error in reversed(chain) if str(error)), "")
    return f"{type(chain[-1]).__name__}: {message}" if message else type(chain[-1]).__name__


QUOTED = ("detail", "text", "model", "reasoning")


def _without(key: str, received: CallResult) -> CallResult:
    """The outcome without the key: services quote keys in their messages, and the ledger must not keep any."""
    if not key:
        return received
    refusal = received.refusal
    if refusal is not None and key in refusal.message:
        received = replace(received, refusal=replace(refusal, message=refusal.message.replace(key, HIDDEN)))
    hidden = {name: text.replace(key, HIDDEN) for name in QUOTED if key in (text := getattr(received, name))}
    return replace(received, **hidden) if hidden else received


def _parse_reply(question: Question, received: CallResult, milliseconds: int) -> ParsedReply:
    if received.text and received.cause in (None, *WITH_USAGE) and not received.usage_told:
        received = _guessed(question, received)
    if received.cause is not None:
        return ParsedReply(received, milliseconds)
    try:
        return ParsedReply(received, milliseconds, replies.parse_reply(question, received.text))
    except replies.Unread as unread:
        return ParsedReply(replace(received, cause=unread.cause, detail=unread.detail), milliseconds)


WITH_USAGE = (Cause.TRUNCATED, Cause.FILTERED, Cause.REFUSED)


def _guessed(question: Question, received: CallResult) -> CallResult:
    """Estimated usage if the service reports none: otherwise a budget would never be used up."""
    return replace(received, tokens_in=tokens_in(question), tokens_out=tokens_of(received.text))
