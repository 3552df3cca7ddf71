"""The simulated service: reads a request, decides whether it misbehaves, answers, and logs requests.

The log has the count of each request, the number of concurrent requests, and the usage, for tests of retries.
"""

import asyncio
import json
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from aiohttp import web

from lib.simulated import misbehaviours, shapes
from lib.simulated.candidate import SKILLS, added, answered, chain_in, skill_of
from lib.simulated.chance import Draw
from lib.simulated.faults import DIALECTS, GATEWAY, WRONG_KEY, ServiceFault
from lib.simulated.knobs import Knobs
from lib.simulated.misbehaviours import LIBRARY, Occasion
from lib.simulated.orders import MisbehaviourOrder, MisbehaviourOrders
from lib.simulated.profiles import PROFILES, Profile, read_as
from lib.simulated.replies import CREATED, USUAL_EFFORT, ModelReply, as_text, thought
from lib.simulated.requests import ChatRequest, NotUnderstood, digest_of, read, without_images
from lib.simulated.shapes.scores import Bench
from lib.simulated.shapes.verdicts import JUDGES
from lib.simulated.wording import SentenceWording

# Evaluator models: each answers in its own format, whatever format the request asks for. The verdict is drawn by the
# Bench of the simulated judge. The judged texts are read from the data blocks, or from the templates on which these
# models were trained.


PROMETHEUS = {
    "turn_1": r"^###(?:The instruction to evaluate|Instruction):[ ]*\n(.*?)\n+###",
    "answer": r"^###(?:Response to evaluate|Response A|Response):[ ]*\n(.*?)\n+###",
    "second": r"^###Response B:[ ]*\n(.*?)\n+###",
    "reference": r"^###Reference Answer(?: \(Score 5\))?:[ ]*\n(.*?)\n+###",
}
AUTO_J = {
    "turn_1": r"^\[Query\]: (.*?)\n\*\*\*",
    "answer": r"^\[Response(?: 1)?\]: (.*?)\n\*\*\*",
    "second": r"^\[Response 2\]: (.*?)\n\*\*\*",
}
JUDGELM = {
    "turn_1": r"^\[Question\]\n(.*?)\n+\[",
    "answer": r"^\[The Start of Assistant 1's Answer\]\n(.*?)\n+\[The End of Assistant 1's Answer\]",
    "second": r"^\[The Start of Assistant 2's Answer\]\n(.*?)\n+\[The End of Assistant 2's Answer\]",
    "reference": r"^\[Reference Answer\]\n(.*?)\n+\[",
}


@dataclass(frozen=True)
class EvaluatorReply:
    """scores: of each text from 0 to 1, in order; place: 0 first, 1 second, 2 or 3 a tie; words: why."""

    scores: tuple[float, ...]
    place: int
    words: str

    def points(self, low: int, top: int) -> list[int]:
        return [low + int((top - low) * score + 1e-9) for score in self.scores]


def prometheus(judged: EvaluatorReply) -> str:
    """Feedback and a score of 1 to 5, or A or B: there is no tie."""
    result = judged.points(1, 5)[0] if len(judged.scores) == 1 else "AB"[judged.place % 2]
    return f"Feedback: {judged.words} [RESULT] {result}"


def auto_j(judged: EvaluatorReply) -> str:
    """A critique and a rating of 1 to 10, or which response is better."""
    if len(judged.scores) == 1:
        return f"{judged.words}\n\nRating: [[{judged.points(1, 10)[0]}]]"
    decision = ("Response 1", "Response 2", "Tie", "Tie")[judged.place]
    return f"{judged.words}\n\nSo, the final decision is {decision}."


def judgelm(judged: EvaluatorReply) -> str:
    """A line with the scores of 1 to 10, then the reasons. The line agrees with the place."""
    points = judged.points(1, 10)
    if len(points) == 2 and judged.place < 2 and points[judged.place] <= points[1 - judged.place]:
        points[judged.place] = min(10, points[1 - judged.place] + 1)
        points[1 - judged.place] = min(points[1 - judged.place], points[judged.place] - 1)
    return f"{' '.join(map(str, points))}\n{judged.words}"


TEMPLATES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"prometheus-2": PROMETHEUS, "auto-j": AUTO_J, "judgelm": JUDGELM}
)
FORMS: Mapping[str, Callable[[EvaluatorReply], str]] = MappingProxyType(
    {"prometheus-2": prometheus, "auto-j": auto_j, "judgelm": judgelm}
)


def evaluation(name: str, request: ChatRequest, knobs: Knobs) -> str:
    """What the evaluator of this name says to the request."""
    bench = Bench(request, knobs, blocks_of(name, request))
    if "second" in bench.blocks:
        scores, verdict_index, words = bench.placed()
        return FORMS[name](EvaluatorReply(scores, verdict_index, words))
    worth, sentences, _shown = bench.worth_of_answer()
    return FORMS[name](EvaluatorReply((worth,), 0, bench.words(sentences)))


def blocks_of(name: str, request: ChatRequest) -> dict[str, str]:
    """name -> text: blocks of data, else the parts of the evaluator's own template, else all as one answer."""
    blocks = {block.tag: block.text for block in request.material.blocks}
    text = "\n".join(text for _role, text in request.material.said)
    for part, pattern in TEMPLATES[name].items():
        match = re.search(pattern, text, re.MULTILINE | re.DOTALL)
        if match and part not in blocks:
            blocks[part] = match[1]
    return {"answer": request.material.main} | blocks


# The log.


KEPT = 2000  # requests kept whole; the counts go on


@dataclass
class RequestLog:
    """bodies: digest -> times. tokens: of every answer that was made, also those that did not get through."""

    requests: int = 0
    answered: int = 0
    open: int = 0
    most_open: int = 0
    elsewhere: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    bodies: Counter[str] = field(default_factory=Counter)
    misbehaved: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    kept: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=KEPT))

    def came(self, digest: str, body: Any) -> int:
        """How often this request came before."""
        previous_count = self.bodies[digest]
        self.requests += 1
        self.bodies[digest] += 1
        self.kept.append({"digest": digest, "body": body})
        return previous_count

    def enters(self) -> None:
        self.open += 1
        self.most_open = max(self.most_open, self.open)

    def leaves(self) -> None:
        self.open -= 1

    def was_answered(self, status: int) -> None:
        self.answered += 1
        self.statuses[str(status)] += 1

    def used(self, tokens_in: int, tokens_out: int) -> None:
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out

    def told(self, *, whole: bool) -> dict[str, Any]:
        """All of it as JSON. whole: with the newest requests as they came."""
        figures = {
            "requests": self.requests,
            "answered": self.answered,
            "open": self.open,
            "most_open": self.most_open,
            "elsewhere": self.elsewhere,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "bodies": dict(self.bodies),
            "misbehaved": dict(self.misbehaved),
            "statuses": dict(self.statuses),
        }
        return figures | ({"kept": list(self.kept)} if whole else {})


# The service itself.


MODEL = "simulated-1"
HEADER = "X-Simulated-Misbehave"
RESOURCE_NOT_FOUND = ServiceFault("Resource not found", 404, GATEWAY, code="404")


class Service:
    """knobs: the current settings; first: the settings at the start, which a reset restores."""

    def __init__(self, knobs: Knobs) -> None:
        self.first = knobs
        self.reset()

    def reset(self) -> None:
        self.knobs, self.received, self.orders = self.first, RequestLog(), MisbehaviourOrders()

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
            body = without_images(_addressed(json.loads(await request.read()), request))
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

    def _read(self, body: Any, request: web.Request) -> ChatRequest:
        understood = read_as(self.profile, body, request.query.get("api-version", ""))
        return read(understood, bare_json=self.profile.is_real)

    def _refused(self, fault: ServiceFault) -> web.Response:
        return web.json_response(DIALECTS[self.profile.dialect](fault), status=fault.status)

    async def _sent(
        self, request: web.Request, reply: ModelReply, order: MisbehaviourOrder | None
    ) -> web.StreamResponse:
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

    def _misbehaviour(
        self, request: web.Request, chat_request: ChatRequest, previous_count: int
    ) -> MisbehaviourOrder | None:
        """The misbehaviour from the header, else from an order for the next requests, else by the configured shares."""
        name = request.headers.get(HEADER)
        if name:
            if name not in LIBRARY:
                raise NotUnderstood(f"There is no misbehaviour {name!r}.", HEADER)
            return MisbehaviourOrder(name)
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


def answer(chat_request: ChatRequest, knobs: Knobs, effort: str = USUAL_EFFORT) -> ModelReply:
    """The same for the same request, seed, skill, biases and profile. Raises NotUnderstood."""
    draw, profile = Draw(knobs.seed, chat_request.digest), PROFILES[knobs.profile]
    reasoning = thought(profile, chat_request, draw, effort)
    if profile.evaluator:
        return ModelReply(chat_request, evaluation(profile.evaluator, chat_request, knobs), thought=reasoning)
    if chat_request.schema is None:
        is_conversation = not chat_request.material.blocks
        text = _said(chat_request, draw, knobs) if is_conversation else _prose(chat_request, draw)
        return ModelReply(chat_request, text, thought=reasoning)
    value = shapes.value_for(chat_request, draw, knobs)
    return ModelReply(chat_request, as_text(value, fenced=chat_request.fenced), value, thought=reasoning)


def _effort(body: Any) -> str:
    return str(body.get("reasoning_effort") or USUAL_EFFORT)


def _addressed(body: Any, request: web.Request) -> Any:
    """With the deployment for a model, where the address names one."""
    deployment = request.match_info.get("deployment")
    return {**body, "model": deployment} if deployment and isinstance(body, dict) else body


def unknown_url(request: web.Request) -> ServiceFault:
    return ServiceFault(f"Unknown request URL: {request.method} {request.path}.", 404, code="unknown_url")


def _said(chat_request: ChatRequest, draw: Draw, knobs: Knobs) -> str:
    """In a conversation: a sum where one was asked for, else a reply whose worth shows."""
    if numbers := chain_in(chat_request.material):
        return added(numbers, skill_of(chat_request.model, knobs), draw, is_chinese=chat_request.material.is_chinese)
    return answered(chat_request, draw, knobs)


def _prose(chat_request: ChatRequest, draw: Draw) -> str:
    return SentenceWording(chat_request.material, draw).prose("answer")


def drawn_fault(knobs: Knobs, digest: str, previous_count: int) -> MisbehaviourOrder | None:
    """Drawn by seed, request and its previous count: a retry may succeed, and a second run repeats the first."""
    if not knobs.faults:
        return None
    threshold = Draw(knobs.seed, digest).of("fault", previous_count).random()
    for name, share in sorted(knobs.faults.items()):
        threshold -= share
        if threshold < 0:
            return MisbehaviourOrder(name)
    return None
