"""Starts the simulated model on loopback, and nowhere else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from annotate.llm.simulated.control import Control
from annotate.llm.simulated.knobs import Knobs
from annotate.llm.simulated.replies import fault
from annotate.llm.simulated.service import Service

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
async def serve(port: int = 0, **knobs: Any) -> AsyncIterator[Serving]:
    """Serves while the context lasts. port 0: any free one. knobs: see Knobs.

    Raises OSError where the port is taken, BadKnob where a knob is out of range.
    """
    service = Service(Knobs().changed(knobs))
    # A caller who gives up ends the work on the request, also where it would never end by itself.
    runner = web.AppRunner(application(service), handler_cancellation=True, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, port, backlog=1024).start()
        yield Serving(runner.addresses[0][1], service)
    finally:
        await runner.cleanup()


def application(service: Service) -> web.Application:
    app = web.Application(client_max_size=LARGEST_BODY)
    app.add_routes(
        [
            web.post("/v1/chat/completions", service.complete),
            web.get("/v1/models", service.models),
            *Control(service).routes(),
            web.route("*", "/{rest:.*}", _nothing_here),
        ]
    )
    return app


async def _nothing_here(request: web.Request) -> web.Response:
    message = f"Unknown request URL: {request.method} {request.path}."
    return web.json_response(fault(message, "invalid_request_error", code="unknown_url"), status=404)
