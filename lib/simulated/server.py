"""Starts the simulated model on loopback, and nowhere else."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import Any

from aiohttp import web

from lib.simulated import SIMULATED
from lib.simulated.control import Control
from lib.simulated.faults import openai
from lib.simulated.knobs import Knobs
from lib.simulated.service import Service, unknown_url

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
    # A caller who gives up ends the work on the request, also where it would never end by itself.
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
    """The same in a thread of its own, for callers without a loop. Raises what `serve` raises."""
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
