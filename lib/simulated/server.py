"""The HTTP server of the simulated model, on loopback only, and its control endpoints."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from threading import Thread
from typing import Any

from aiohttp import web

from lib.simulated import SIMULATED
from lib.simulated.faults import openai
from lib.simulated.knobs import BadKnob, Knobs
from lib.simulated.misbehaviours import ELSEWHERE, LIBRARY, described
from lib.simulated.orders import BadOrder
from lib.simulated.service import Service, unknown_url

# /control/…: endpoints for tests and benchmarks, in addition to the protocol.


class Control:
    def __init__(self, service: Service) -> None:
        self.service = service

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/control/calls", self.calls),
            web.get("/control/knobs", self.knobs),
            web.get("/control/misbehaviours", self.library),
            web.post("/control/knobs", self.turn),
            web.post("/control/misbehave", self.misbehave),
            web.post("/control/reset", self.reset),
            web.route("*", ELSEWHERE, self.elsewhere),
        ]

    async def calls(self, request: web.Request) -> web.Response:
        """What was received; `?whole=1` with the newest requests as they came."""
        return web.json_response(self.service.received.told(whole="whole" in request.query))

    async def knobs(self, request: web.Request) -> web.Response:
        return web.json_response(asdict(self.service.knobs) | {"key": bool(self.service.knobs.key)})

    async def library(self, request: web.Request) -> web.Response:
        return web.json_response(described())

    async def turn(self, request: web.Request) -> web.Response:
        """Turns the knobs that are given. A misbehaviour that does not exist is refused like any wrong value."""
        try:
            settings = await _object(request)
            unknown = sorted(set(settings.get("faults") or {}) - set(LIBRARY))
            if unknown:
                raise BadKnob(f"There is no misbehaviour {unknown[0]!r}; there are {', '.join(LIBRARY)}.")
            self.service.knobs = self.service.knobs.changed(settings)
        except (BadKnob, BadOrder, TypeError, AttributeError) as wrong:
            return web.json_response({"error": str(wrong)}, status=400)
        return await self.knobs(request)

    async def misbehave(self, request: web.Request) -> web.Response:
        """{"what": …, "times": 1, "containing": "", "after": 0, "retry_after": "1"}; only `what` is needed."""
        try:
            order = self.service.orders.add(await _object(request))
        except BadOrder as wrong:
            return web.json_response({"error": str(wrong)}, status=400)
        return web.json_response(asdict(order))

    async def reset(self, request: web.Request) -> web.Response:
        """As it was at the start: counts, orders and knobs."""
        self.service.reset()
        return web.json_response({"reset": True})

    async def elsewhere(self, request: web.Request) -> web.Response:
        """Where a redirect leads; nobody should ever come here."""
        self.service.received.elsewhere += 1
        return web.json_response({"elsewhere": True})


async def _object(request: web.Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.read())
    except ValueError as fault:
        raise BadOrder("The body must be JSON.") from fault
    if not isinstance(body, dict):
        raise BadOrder("The body must be a JSON object.")
    return body


HOST = "127.0.0.1"
DEFAULT_PORT = 8766
LARGEST_BODY = 64 * 1024 * 1024


@dataclass(frozen=True)
class Serving:
    """port: where it listens; base_url: what an endpoint's base URL is."""

    port: int
    service: Service

    @property
    def base_url(self) -> str:
        return base_url(self.port)


def base_url(port: int) -> str:
    return f"http://{HOST}:{port}/v1"


@asynccontextmanager
async def serve(port: int = 0, *, or_another: bool = False, **knobs: Any) -> AsyncIterator[Serving]:
    """Serves while the context lasts. port 0: any free one; or_another: so where it is taken. knobs: see Knobs.

    Raises OSError where the port is taken, BadKnob where a knob is out of range.
    """
    service = Service(Knobs().changed(knobs))
    # A client that disconnects ends the work on its request, even if that work would never end by itself.
    runner = web.AppRunner(application(service), handler_cancellation=True, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await _listen(runner, port, or_another=or_another)
        yield Serving(runner.addresses[0][1], service)
    finally:
        await runner.cleanup()


async def _listen(runner: web.AppRunner, port: int, *, or_another: bool) -> None:
    try:
        await web.TCPSite(runner, HOST, port, backlog=1024).start()
    except OSError:
        if not or_another:
            raise
        await web.TCPSite(runner, HOST, 0, backlog=1024).start()


@contextmanager
def serving(port: int = 0, **knobs: Any) -> Iterator[Serving]:
    """Serve in a background thread, for callers without an event loop. Raises what `serve` raises."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, name="simulated model", daemon=True)
    thread.start()
    context = serve(port, **knobs)
    try:
        running = asyncio.run_coroutine_threadsafe(context.__aenter__(), loop).result()
        try:
            yield running
        finally:
            asyncio.run_coroutine_threadsafe(context.__aexit__(None, None, None), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def application(service: Service) -> web.Application:
    app = web.Application(client_max_size=LARGEST_BODY)
    app.add_routes(
        [
            web.post("/v1/chat/completions", service.complete),
            web.post("/openai/deployments/{deployment}/chat/completions", service.complete),
            web.get("/v1/models", service.models),
            *Control(service).routes(),
            web.route("*", "/{rest:.*}", _nothing_here),
        ]
    )
    app.on_response_prepare.append(_say_so)
    return app


async def _say_so(_request: web.Request, response: web.StreamResponse) -> None:
    """Whatever is answered: whoever asks can tell that no model does, however their endpoint was entered."""
    response.headers[SIMULATED] = "1"


async def _nothing_here(request: web.Request) -> web.Response:
    return web.json_response(openai(unknown_url(request)), status=404)
