"""What tests and benchmarks ask of the simulated model beside the protocol: /control/…"""

import json
from dataclasses import asdict
from typing import Any

from aiohttp import web

from lib.simulated.knobs import BadKnob
from lib.simulated.misbehaviours import ELSEWHERE, LIBRARY, described
from lib.simulated.orders import BadOrder
from lib.simulated.service import Service


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
