"""The service itself: reads a request, decides whether it misbehaves, answers."""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from annotate.llm.simulated import misbehaviours, shapes
from annotate.llm.simulated.adding import added, chain_in
from annotate.llm.simulated.answering import SKILLS, answered, skill_of
from annotate.llm.simulated.drawing import Draw
from annotate.llm.simulated.knobs import Knobs
from annotate.llm.simulated.misbehaviours import LIBRARY, Occasion
from annotate.llm.simulated.orders import Order, Orders
from annotate.llm.simulated.received import Received
from annotate.llm.simulated.replies import CREATED, Reply, as_text, fault
from annotate.llm.simulated.requests import Asked, NotUnderstood, digest_of, read
from annotate.llm.simulated.shapes.verdicts import JUDGES
from annotate.llm.simulated.wording import Wording

MODEL = "simulated-1"
HEADER = "X-Simulated-Misbehave"


class Service:
    """knobs: as they are now; first: as they were at the start, and are again after a reset."""

    def __init__(self, knobs: Knobs) -> None:
        self.first = knobs
        self.reset()

    def reset(self) -> None:
        self.knobs, self.received, self.orders = self.first, Received(), Orders()

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """POST /v1/chat/completions."""
        began, received = time.monotonic(), self.received
        received.enters()
        try:
            response = await self._completed(request, began)
            received.was_answered(response.status)
            return response
        finally:
            received.leaves()

    async def _completed(self, request: web.Request, began: float) -> web.StreamResponse:
        if refused := self._without_key(request):
            return refused
        try:
            body = json.loads(await request.read())
        except (ValueError, RecursionError):
            return _bad(NotUnderstood("We could not parse the JSON body of your request."))
        digest = digest_of(body)
        before = self.received.came(digest, body)
        try:
            asked = read(body)
            order = self._misbehaviour(request, asked, before)
            reply = answer(asked, self.knobs).limited()
        except NotUnderstood as fault_:
            return _bad(fault_)
        if asked.tokens > self.knobs.context_length:
            return misbehaviours.too_long_for(asked.tokens, self.knobs.context_length)
        await asyncio.sleep(max(0.0, self.knobs.latency - (time.monotonic() - began)))
        return await self._sent(request, reply, order)

    async def _sent(self, request: web.Request, reply: Reply, order: Order | None) -> web.StreamResponse:
        if order is None:
            response: web.StreamResponse = web.json_response(reply.body())
        else:
            self.received.misbehaved[order.what] += 1
            response = await LIBRARY[order.what].act(Occasion(request, reply, order.retry_after))
        if response.status == 200:
            self.received.used(reply.asked.tokens, reply.tokens)
        return response

    def _without_key(self, request: web.Request) -> web.Response | None:
        if not self.knobs.key or request.headers.get("Authorization") == f"Bearer {self.knobs.key}":
            return None
        message = "Incorrect API key provided."
        return web.json_response(fault(message, "invalid_request_error", code="invalid_api_key"), status=401)

    def _misbehaviour(self, request: web.Request, asked: Asked, before: int) -> Order | None:
        """By the header, else by what was ordered for the next requests, else by the shares of all."""
        named = request.headers.get(HEADER)
        if named:
            if named not in LIBRARY:
                raise NotUnderstood(f"There is no misbehaviour {named!r}.", HEADER)
            return Order(named)
        ordered = self.orders.next_for("\n".join(text for _role, text in asked.material.said))
        return ordered or drawn_fault(self.knobs, asked.digest, before)

    async def models(self, request: web.Request) -> web.Response:
        """GET /v1/models."""
        if refused := self._without_key(request):
            return refused
        about = {"object": "model", "created": CREATED, "owned_by": "touchstone-simulated"}
        return web.json_response(
            {"object": "list", "data": [{"id": name, **about} for name in (MODEL, *SKILLS, *JUDGES)]}
        )


def answer(asked: Asked, knobs: Knobs) -> Reply:
    """The same for the same request, seed, skill and biases. Raises NotUnderstood."""
    draw = Draw(knobs.seed, asked.digest)
    if asked.schema is None:
        is_conversation = not asked.material.blocks
        return Reply(asked, _said(asked, draw, knobs) if is_conversation else _prose(asked, draw))
    value = shapes.value_for(asked, draw, knobs)
    return Reply(asked, as_text(value, fenced=asked.fenced), value)


def _said(asked: Asked, draw: Draw, knobs: Knobs) -> str:
    """In a conversation: a sum where one was asked for, else a reply whose worth shows."""
    if numbers := chain_in(asked.material):
        return added(numbers, skill_of(asked.model, knobs), draw, is_chinese=asked.material.is_chinese)
    return answered(asked, draw, knobs)


def _prose(asked: Asked, draw: Draw) -> str:
    return Wording(asked.material, draw).prose("answer")


def drawn_fault(knobs: Knobs, digest: str, before: int) -> Order | None:
    """By seed, request and how often it came before: an attempt may go well, and a second run goes as the first."""
    if not knobs.faults:
        return None
    at = Draw(knobs.seed, digest).of("fault", before).random()
    for name, share in sorted(knobs.faults.items()):
        at -= share
        if at < 0:
            return Order(name)
    return None


def _bad(refused: NotUnderstood) -> web.Response:
    body: Mapping[str, Any] = fault(str(refused), "invalid_request_error", param=refused.param, code=refused.code)
    return web.json_response(body, status=400)
