"""A local model service that counts what it receives and fails on demand, in a thread or as a process of its own.

Its answer to whatever is asked is {"word": "moon", "number": 2}: tests of the
engine look at how calls end, not at what they say.
"""

import asyncio
import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

from aiohttp import web

from tests.support.installation import ROOT

GOOD = json.dumps({"word": "moon", "number": 2})
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def completion(
    content: object = GOOD, *, finish: str = "stop", usage: object = USAGE, refusal: str | None = None
) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "refusal": refusal}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "moon-1",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage,
    }


def error(message: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def sending(value: object, status: int = 200, **headers: str) -> Answer:
    async def answer(_request: web.Request) -> web.StreamResponse:
        if isinstance(value, str | bytes):
            text = value if isinstance(value, str) else None
            return web.Response(
                status=status,
                text=text,
                body=None if text is not None else value,
                content_type="text/html",
                headers=headers,
            )
        return web.json_response(value, status=status, headers=headers)

    return answer


async def _hangs(_request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(3600)
    raise AssertionError


async def _resets(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def _breaks_off(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "5000", "Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(b'{"id": "x", "choices": [')
    assert request.transport is not None
    request.transport.abort()
    return response


async def _drips(request: web.Request) -> web.StreamResponse:
    """One byte each fifth of a second: every read succeeds in time, the reply never ends."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    with suppress(ConnectionError):
        for byte in json.dumps(completion()).encode() * 10:
            await response.write(bytes([byte]))
            await asyncio.sleep(0.2)
    return response


async def _floods(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    with suppress(ConnectionError):
        for _piece in range(64):
            await response.write(b" " * 2**20)
    return response


async def _quotes_the_key(request: web.Request) -> web.StreamResponse:
    key = request.headers.get("Authorization", "").removeprefix("Bearer ")
    return web.json_response(error(f"Incorrect API key provided: {key}."), status=401)


async def _says_the_key(request: web.Request) -> web.StreamResponse:
    return web.json_response(completion(json.dumps({"word": request.headers["Authorization"], "number": 1})))


ANSWERS: dict[str, Answer] = {
    "good": sending(completion()),
    "fenced": sending(completion(f"Here it is:\n```json\n{GOOD[:-1]},}}\n```\nAnything else?")),
    "no_usage": sending(completion(usage=None)),
    "odd_usage": sending(completion(usage={"prompt_tokens": -3, "completion_tokens": "many"})),
    "huge_usage": sending(completion(usage={"prompt_tokens": 10**30, "completion_tokens": 10**30})),
    "nul_and_half": sending(completion('{"word": "a\\u0000b\\ud800c", "number": 1}' + " \0 \ud800")),
    "rate_limited": sending(error("Slow down."), 429),
    "rate_limited_wait": sending(error("Slow down."), 429, **{"Retry-After": "1"}),
    "server_error": sending(error("Oh."), 500),
    "unavailable": sending("<h1>Service Unavailable</h1>", 503),
    "hangs": _hangs,
    "drips": _drips,
    "floods": _floods,
    "resets": _resets,
    "breaks_off": _breaks_off,
    "truncated": sending(completion('{"word": "mo', finish="length")),
    "filtered": sending(completion(None, finish="content_filter")),
    "filtered_request": sending(error("The prompt triggered the content management policy.", "content_filter"), 400),
    "refused": sending(completion(None, refusal="I cannot help with that.")),
    "prose": sending(completion("The word is moon, and the number is two.")),
    "wrong_types": sending(completion('{"word": ["moon"], "number": "two"}')),
    "not_a_number": sending(completion('{"word": "moon", "number": NaN}')),
    "two_objects": sending(completion(f'{GOOD} or rather {{"word": "sun", "number": 1}}')),
    "empty": sending(completion("  ")),
    "null": sending(completion(None)),
    "content_is_a_number": sending(completion(7)),
    "no_choices": sending({**completion(), "choices": []}),
    "choices_missing": sending({"id": "x", "object": "chat.completion"}),
    "no_message": sending({**completion(), "choices": [{"index": 0}]}),
    "html": sending("<html><body>Welcome to our gateway</body></html>"),
    "a_list": sending(["not", "an", "object"]),
    "nothing": sending("", 200),
    "error_with_200": sending({"error": {"message": "Overloaded.", "code": 529}}),
    "too_long": sending(
        error("This model's maximum context length is 8192 tokens.", "context_length_exceeded"), 400
    ),
    "bad_request": sending(error("This text cannot be asked about."), 400),
    "unauthorised": sending(error("No such key."), 401),
    "forbidden": sending(error("Not for you."), 403),
    "not_found": sending(error("The model does not exist.", "model_not_found"), 404),
    "redirect": sending("", 302, Location="http://127.0.0.1:9/stolen"),
    "bad_gzip": sending(b"this is not gzip", 200, **{"Content-Encoding": "gzip"}),
    "quotes_the_key": _quotes_the_key,
    "says_the_key": _says_the_key,
}  # fmt: skip


@dataclass
class FaultyModel:
    """received: how often each question (its last message) came. faults: what a share of requests, or all, meets.

    chooses: picks the answer to a request by the question's text and how often it came, instead of by chance.
    """

    faults: tuple[str, ...] = ()
    share: float = 0.0
    latency: float = 0.0
    seed: int = 1
    chooses: Callable[[str, int], str] | None = None
    received: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    keeps: bool = True
    in_flight: int = 0
    most_in_flight: int = 0
    at: list[float] = field(default_factory=list)
    base_url: str = ""

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    @property
    def calls(self) -> int:
        return sum(self.received.values())

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._answer(request)
        finally:
            self.in_flight -= 1

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        question = body["messages"][-1]["content"]
        self.received[question] += 1
        if self.keeps:
            self.bodies.append(body)
            self.headers.append(dict(request.headers))
            self.at.append(time.monotonic())
        if self.latency:
            await asyncio.sleep(self.latency)
        return await ANSWERS[self._choose(question)](request)

    def _choose(self, question: str) -> str:
        if self.chooses is not None:
            return self.chooses(question, self.received[question])
        if self.faults and self.random.random() < self.share:
            return self.random.choice(self.faults)
        return "good"

    async def serve(self, ready: Callable[[str], None], over: asyncio.Event) -> None:
        application = web.Application(client_max_size=2**26)
        application.router.add_post("/v1/chat/completions", self.answer)
        # Whoever hangs up ends the answer, as real services do.
        runner = web.AppRunner(application, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        port = runner.addresses[0][1]
        self.base_url = f"http://127.0.0.1:{port}/v1"
        ready(self.base_url)
        await over.wait()
        await runner.cleanup()


@contextmanager
def faulty_model(*faults: str, share: float = 1.0, **options: Any) -> Iterator[FaultyModel]:
    """In a thread of this process. faults: names of ANSWERS; share: of the requests, drawn with a fixed seed."""
    model, started = FaultyModel(faults=faults, share=share, **options), Event()
    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def serve() -> None:
        over = asyncio.Event()
        loops.append((asyncio.get_running_loop(), over))
        await model.serve(lambda _url: started.set(), over)

    thread = Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert started.wait(20)
    try:
        yield model
    finally:
        loop, over = loops[0]
        loop.call_soon_threadsafe(over.set)
        thread.join(20)


@contextmanager
def model_process(latency: float, says: str = GOOD) -> Iterator[str]:
    """A process of its own, which counts nothing and always says the same; gives its base URL. For benchmarks."""
    command = [sys.executable, "-m", "tests.support.faulty_model", str(latency), says]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


async def _alone(latency: float, says: str) -> None:
    ANSWERS["good"] = sending(completion(says))
    model = FaultyModel(latency=latency, keeps=False)
    await model.serve(lambda url: print(url, flush=True), asyncio.Event())  # noqa: T201 - read by model_process


if __name__ == "__main__":
    asyncio.run(_alone(float(sys.argv[1]), sys.argv[2]))
