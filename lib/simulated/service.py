"""The service itself: reads a request, decides whether it misbehaves, answers."""

import asyncio
import json
import time
from typing import Any

from aiohttp import web

from lib.simulated import misbehaviours, shapes
from lib.simulated.adding import added, chain_in
from lib.simulated.answering import SKILLS, answered, skill_of
from lib.simulated.drawing import Draw
from lib.simulated.evaluators import evaluation
from lib.simulated.faults import DIALECTS, GATEWAY, WRONG_KEY, ServiceFault
from lib.simulated.knobs import Knobs
from lib.simulated.misbehaviours import LIBRARY, Occasion
from lib.simulated.orders import Order, Orders
from lib.simulated.profiles import PROFILES, Profile
from lib.simulated.reasoning import USUAL_EFFORT, thought
from lib.simulated.received import Received
from lib.simulated.refusals import read_as
from lib.simulated.replies import CREATED, Reply, as_text
from lib.simulated.requests import Asked, NotUnderstood, digest_of, read
from lib.simulated.shapes.verdicts import JUDGES
from lib.simulated.wording import Wording

MODEL = "simulated-1"
HEADER = "X-Simulated-Misbehave"
RESOURCE_NOT_FOUND = ServiceFault("Resource not found", 404, GATEWAY, code="404")


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
        try:
            self._check_address(request)
            body = _addressed(json.loads(await request.read()), request)
        except NotUnderstood as refused:
            return self._refused(refused.fault)
        except (ValueError, RecursionError):
            return self._refused(ServiceFault("We could not parse the JSON body of your request."))
        previous_count = self.received.came(digest_of(body), body)
        try:
            chat_request = self._read(body, request)
            order = self._misbehaviour(request, chat_request, previous_count)
            reply = answer(chat_request, self.knobs, _effort(body)).limited()
        except NotUnderstood as refused:
            return self._refused(refused.fault)
        if chat_request.tokens > self.knobs.context_length and self.profile.refuses_long:
            return self._refused(misbehaviours.too_long_for(chat_request.tokens, self.knobs.context_length))
        await asyncio.sleep(max(0.0, self.knobs.latency - (time.monotonic() - began)))
        return await self._sent(request, reply, order)

    @property
    def profile(self) -> Profile:
        return PROFILES[self.knobs.profile]

    def _read(self, body: Any, request: web.Request) -> Asked:
        understood = read_as(self.profile, body, request.query.get("api-version", ""))
        return read(understood, bare_json=self.profile.is_real)

    def _refused(self, fault: ServiceFault) -> web.Response:
        return web.json_response(DIALECTS[self.profile.dialect](fault), status=fault.status)

    async def _sent(self, request: web.Request, reply: Reply, order: Order | None) -> web.StreamResponse:
        if order is None:
            response: web.StreamResponse = web.json_response(reply.body())
        else:
            self.received.misbehaved[order.what] += 1
            response = await LIBRARY[order.what].act(Occasion(request, reply, order.retry_after, self.profile.dialect))
        if response.status == 200:
            self.received.used(reply.asked.tokens, reply.tokens)
        return response

    def _check_address(self, request: web.Request) -> None:
        """The path and the key. Raises NotUnderstood."""
        self._check_key(request)
        if ("deployment" in request.match_info) != self.profile.by_deployment:
            raise NotUnderstood.of(RESOURCE_NOT_FOUND if self.profile.by_deployment else unknown_url(request))
        if self.profile.by_deployment and not request.query.get("api-version"):
            raise NotUnderstood.of(RESOURCE_NOT_FOUND)

    def _check_key(self, request: web.Request) -> None:
        """Azure wants a key of its own header even where the simulated model was given none."""
        if not self.profile.has_keys:
            return
        if self.profile.by_deployment:
            sent, expected_key = request.headers.get("api-key", ""), self.knobs.key
            is_right = bool(sent) and sent == (expected_key or sent)
        else:
            is_right = not self.knobs.key or request.headers.get("Authorization") == f"Bearer {self.knobs.key}"
        if not is_right:
            raise NotUnderstood.of(WRONG_KEY[self.profile.dialect])

    def _misbehaviour(self, request: web.Request, chat_request: Asked, previous_count: int) -> Order | None:
        """By the header, else by what was ordered for the next requests, else by the shares of all."""
        name = request.headers.get(HEADER)
        if name:
            if name not in LIBRARY:
                raise NotUnderstood(f"There is no misbehaviour {name!r}.", HEADER)
            return Order(name)
        ordered = self.orders.next_for("\n".join(text for _role, text in chat_request.material.said))
        return ordered or drawn_fault(self.knobs, chat_request.digest, previous_count)

    async def models(self, request: web.Request) -> web.Response:
        """GET /v1/models."""
        try:
            self._check_key(request)
        except NotUnderstood as refused:
            return self._refused(refused.fault)
        about = {"object": "model", "created": CREATED, "owned_by": "touchstone-simulated"}
        return web.json_response(
            {"object": "list", "data": [{"id": name, **about} for name in (MODEL, *SKILLS, *JUDGES)]}
        )


def answer(chat_request: Asked, knobs: Knobs, effort: str = USUAL_EFFORT) -> Reply:
    """The same for the same request, seed, skill, biases and profile. Raises NotUnderstood."""
    draw, profile = Draw(knobs.seed, chat_request.digest), PROFILES[knobs.profile]
    reasoning = thought(profile, chat_request, draw, effort)
    if profile.evaluator:
        return Reply(chat_request, evaluation(profile.evaluator, chat_request, knobs), thought=reasoning)
    if chat_request.schema is None:
        is_conversation = not chat_request.material.blocks
        text = _said(chat_request, draw, knobs) if is_conversation else _prose(chat_request, draw)
        return Reply(chat_request, text, thought=reasoning)
    value = shapes.value_for(chat_request, draw, knobs)
    return Reply(chat_request, as_text(value, fenced=chat_request.fenced), value, thought=reasoning)


def _effort(body: Any) -> str:
    return str(body.get("reasoning_effort") or USUAL_EFFORT)


def _addressed(body: Any, request: web.Request) -> Any:
    """With the deployment for a model, where the address names one."""
    deployment = request.match_info.get("deployment")
    return {**body, "model": deployment} if deployment and isinstance(body, dict) else body


def unknown_url(request: web.Request) -> ServiceFault:
    return ServiceFault(f"Unknown request URL: {request.method} {request.path}.", 404, code="unknown_url")


def _said(chat_request: Asked, draw: Draw, knobs: Knobs) -> str:
    """In a conversation: a sum where one was asked for, else a reply whose worth shows."""
    if numbers := chain_in(chat_request.material):
        return added(numbers, skill_of(chat_request.model, knobs), draw, is_chinese=chat_request.material.is_chinese)
    return answered(chat_request, draw, knobs)


def _prose(chat_request: Asked, draw: Draw) -> str:
    return Wording(chat_request.material, draw).prose("answer")


def drawn_fault(knobs: Knobs, digest: str, previous_count: int) -> Order | None:
    """By seed, request and how often it came before: an attempt may go well, and a second run goes as the first."""
    if not knobs.faults:
        return None
    threshold = Draw(knobs.seed, digest).of("fault", previous_count).random()
    for name, share in sorted(knobs.faults.items()):
        threshold -= share
        if threshold < 0:
            return Order(name)
    return None
