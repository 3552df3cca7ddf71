"""Misbehaviours of the simulated service: everything that real services were seen to do wrong, each on request.

Each has the cause in which it should end. It is requested by a share of all requests (`Knobs.faults`), for the next
requests (POST /control/misbehave), or for one request by a header (see `server.py`). Each turns a good reply into what
is really sent. One of them is an obedient model: it carries out an order, outside the data blocks, to disregard its
instructions.
"""

import asyncio
import json
import re
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from lib.simulated.faults import DIALECTS, WRONG_KEY, ServiceFault, filtered_prompt
from lib.simulated.replies import ModelReply, as_text

OBEYED = "OBEYED: "
# The wording of an attack: to differ from the prompt's own instructions, it must refer to them.
ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,80}\b(?:previous|above|prior|earlier|preceding|foregoing)\b[^\n]*"
    r"|(?:忽略|无视|忘记|忘掉|不要理会)[^。\n]{0,20}(?:之前|以上|上述|先前|前面)[^\n]*",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def order_in(text: str) -> str:
    """The first order in the text, to the end of its line; '' where there is none."""
    match = ORDER.search(text)
    return match[0].strip() if match else ""


def obedient(reply: ModelReply) -> ModelReply:
    """The reply as somebody gives it who obeys: texts repeat the order, numbers are those it names, all else is yes."""
    order = order_in(reply.asked.material.instructions)
    if not order:
        return reply
    if reply.value is None:
        return reply.saying(OBEYED + order)
    value = _obeying(reply.value, order)
    return reply.saying(as_text(value, fenced=reply.asked.fenced), value=value)


def _obeying(value: Any, order: str) -> Any:
    if isinstance(value, dict):
        return {name: _obeying(part, order) for name, part in value.items()}
    if isinstance(value, list):
        return [_obeying(part, order) for part in value]
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        numbers = _NUMBER.findall(order)
        return type(value)(float(numbers[-1])) if numbers else value
    return OBEYED + order if isinstance(value, str) else value


# The library of misbehaviours.


ELSEWHERE = "/elsewhere"
RATE_LIMITED = ServiceFault("Rate limit reached.", 429, "rate_limit_error", code="rate_limit_exceeded")
DRIP = 0.2  # seconds between two bytes


@dataclass(frozen=True)
class Occasion:
    """request: as it came; reply: the good answer to it; retry_after: what a 429 says, in seconds.

    dialect: the form in which errors are sent.
    """

    request: web.Request
    reply: ModelReply
    retry_after: str = "1"
    dialect: str = "openai"


Act = Callable[[Occasion], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Misbehaviour:
    """cause: as the engine names it where every attempt meets it; None where the reply can be read all the same.

    about: what it does, in words. common: whether a share of all faults (`--fault-rate`) takes it in.
    """

    name: str
    cause: str | None
    about: str
    act: Act
    common: bool = True


LIBRARY: dict[str, Misbehaviour] = {}


def misbehaviour(cause: str | None, *, common: bool = True) -> Callable[[Act], Act]:
    """Puts a function into the library under its own name; its docstring says what it does."""

    def kept(act: Act) -> Act:
        name = getattr(act, "__name__", "")
        LIBRARY[name] = Misbehaviour(name, cause, (act.__doc__ or "").strip(), act, common)
        return act

    return kept


def spread(rate: float) -> dict[str, float]:
    """One share of the requests, dealt evenly to the common misbehaviours."""
    common = [name for name, misbehaviour in LIBRARY.items() if misbehaviour.common]
    return {name: rate / len(common) for name in common} if rate else {}


def _error(occasion: Occasion, fault: ServiceFault, **headers: str) -> web.Response:
    return web.json_response(DIALECTS[occasion.dialect](fault), status=fault.status, headers=headers)


def _sent(reply: ModelReply) -> web.Response:
    return web.json_response(reply.body())


# --- the service refuses ---------------------------------------------------------------------------------------------
@misbehaviour("rate_limited")
async def rate_limited(occasion: Occasion) -> web.StreamResponse:
    """429 with Retry-After."""
    return _error(occasion, RATE_LIMITED, **{"Retry-After": occasion.retry_after})


@misbehaviour("rate_limited")
async def rate_limited_without_hint(occasion: Occasion) -> web.StreamResponse:
    """429 that does not say when to come again."""
    return _error(occasion, RATE_LIMITED)


@misbehaviour("server_error")
async def server_error(occasion: Occasion) -> web.StreamResponse:
    """500."""
    return _error(occasion, ServiceFault("The server had an error while processing your request.", 500, "server_error"))


@misbehaviour("server_error")
async def unavailable(occasion: Occasion) -> web.StreamResponse:
    """503."""
    return _error(occasion, ServiceFault("The engine is currently overloaded.", 503, "service_unavailable_error"))


@misbehaviour("unauthorised", common=False)
async def wrong_key(occasion: Occasion) -> web.StreamResponse:
    """401."""
    return _error(occasion, WRONG_KEY["openai"])


@misbehaviour("not_found", common=False)
async def no_such_model(occasion: Occasion) -> web.StreamResponse:
    """404: the model is not there."""
    message = f"The model `{occasion.reply.asked.model}` does not exist or you do not have access to it."
    return _error(occasion, ServiceFault(message, 404, code="model_not_found"))


@misbehaviour("bad_request", common=False)
async def bad_request(occasion: Occasion) -> web.StreamResponse:
    """400: something about the request is not accepted."""
    return _error(occasion, ServiceFault("The request was not accepted."))


@misbehaviour("too_long", common=False)
async def too_long(occasion: Occasion) -> web.StreamResponse:
    """400: the prompt is longer than the context."""
    return _error(occasion, too_long_for(occasion.reply.asked.tokens, 16))


def too_long_for(prompt_tokens: int, most: int) -> ServiceFault:
    message = (
        f"This model's maximum context length is {most} tokens. "
        f"However, your messages resulted in {prompt_tokens} tokens."
    )
    return ServiceFault(message, code="context_length_exceeded")


@misbehaviour("filtered", common=False)
async def filters_prompt(occasion: Occasion) -> web.StreamResponse:
    """400: a content filter caught the prompt, as Azure says it."""
    return web.json_response(filtered_prompt(), status=400)


@misbehaviour("server_error", common=False)
async def fails_within_200(occasion: Occasion) -> web.StreamResponse:
    """200 with an error for a body, as OpenRouter answers when a provider fails late."""
    failed = ServiceFault("The provider failed while it answered.", 502, "server_error")
    return web.json_response(DIALECTS["openrouter"](failed))


# --- the connection ---------------------------------------------------------------------------------------------------
@misbehaviour("timeout")
async def never_answers(occasion: Occasion) -> web.StreamResponse:
    """Takes the request and says nothing until the caller gives up."""
    await asyncio.Event().wait()
    raise AssertionError("nobody sets this event")


@misbehaviour("timeout")
async def drips(occasion: Occasion) -> web.StreamResponse:
    """Sends one byte each 0.2 s, so that no pause between two reads is ever long."""
    body = json.dumps(occasion.reply.body()).encode()
    answer = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(body))})
    await answer.prepare(occasion.request)
    for byte in body:
        await answer.write(bytes([byte]))
        await asyncio.sleep(DRIP)
    return answer


@misbehaviour("connection")
async def resets(occasion: Occasion) -> web.StreamResponse:
    """Resets the connection instead of answering."""
    return _reset(occasion.request)


@misbehaviour("connection")
async def resets_midway(occasion: Occasion) -> web.StreamResponse:
    """Resets the connection in the middle of the answer."""
    body = json.dumps(occasion.reply.body()).encode()
    answer = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(body))})
    await answer.prepare(occasion.request)
    await answer.write(body[: len(body) // 2])
    await asyncio.sleep(0.05)  # a reset discards bytes that have not left the machine yet
    _reset(occasion.request)
    return answer


def _reset(request: web.Request) -> web.Response:
    transport = request.transport
    if transport is not None:
        connection = transport.get_extra_info("socket")
        # A linger time of 0 makes close() send a reset instead of an orderly end.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    return web.Response()


@misbehaviour("not_the_api", common=False)
async def redirects(occasion: Occasion) -> web.StreamResponse:
    """Sends the caller, and with it the key and the texts, to another host."""
    elsewhere = f"http://localhost:{occasion.request.url.port}{ELSEWHERE}"
    return web.Response(status=307, headers={"Location": elsewhere})


# --- the answer is none of the protocol -------------------------------------------------------------------------------
@misbehaviour("not_the_api")
async def html(occasion: Occasion) -> web.StreamResponse:
    """200 with a page, as proxies and sign-in pages answer."""
    page = "<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>"
    return web.Response(text=page, content_type="text/html")


@misbehaviour("not_the_api")
async def broken_body(occasion: Occasion) -> web.StreamResponse:
    """200 with a body that ends in the middle of its JSON."""
    body = json.dumps(occasion.reply.body())
    return web.Response(text=body[: len(body) // 2], content_type="application/json")


@misbehaviour("empty")
async def no_choices(occasion: Occasion) -> web.StreamResponse:
    """200 with an empty list of choices."""
    return web.json_response({**occasion.reply.body(), "choices": []})


# --- the model says something else ------------------------------------------------------------------------------------
@misbehaviour("truncated")
async def truncates(occasion: Occasion) -> web.StreamResponse:
    """The answer ends in the middle; finish_reason is length."""
    content = occasion.reply.content or ""
    return _sent(occasion.reply.saying(content[: len(content) // 2], finish_reason="length"))


@misbehaviour("filtered")
async def filters(occasion: Occasion) -> web.StreamResponse:
    """A content filter stopped the answer; finish_reason is content_filter."""
    return _sent(occasion.reply.saying("", finish_reason="content_filter"))


@misbehaviour("refused")
async def refuses(occasion: Occasion) -> web.StreamResponse:
    """The field `refusal` says no, there is no content."""
    return _sent(occasion.reply.saying(None, refusal="I'm sorry, I cannot assist with that request."))


@misbehaviour("empty")
async def says_nothing(occasion: Occasion) -> web.StreamResponse:
    """Empty content."""
    return _sent(occasion.reply.saying(""))


@misbehaviour("empty")
async def null_content(occasion: Occasion) -> web.StreamResponse:
    """Content null, without a refusal."""
    return _sent(occasion.reply.saying(None))


@misbehaviour("not_json")
async def prose(occasion: Occasion) -> web.StreamResponse:
    """A friendly sentence where JSON was asked for."""
    return _sent(occasion.reply.saying("Of course! I have read it, and on the whole it seems fine to me."))


@misbehaviour("wrong_shape")
async def wrong_types(occasion: Occasion) -> web.StreamResponse:
    """JSON of the right names with every value of a wrong type. Prose stays as it is."""
    value = occasion.reply.value
    if value is None:
        return _sent(occasion.reply)
    wrong = {name: _of_another_type(part) for name, part in value.items()} if isinstance(value, dict) else [value]
    return _sent(occasion.reply.saying(as_text(wrong, fenced=False)))


def _of_another_type(value: Any) -> Any:
    return {"value": value} if isinstance(value, str | int | float | bool | None) else "see above"


@misbehaviour(None)
async def fenced(occasion: Occasion) -> web.StreamResponse:
    """The JSON in a Markdown fence, with a sentence before and after it."""
    inside = f"```json\n{occasion.reply.content}\n```"
    return _sent(occasion.reply.saying(f"Here is the JSON you asked for:\n\n{inside}\n\nLet me know if you need more."))


@misbehaviour(None)
async def trailing_comma(occasion: Occasion) -> web.StreamResponse:
    """JSON with a comma before the last bracket."""
    content = re.sub(r"([}\]])(\s*)$", r",\1\2", occasion.reply.content or "")
    return _sent(occasion.reply.saying(content))


@misbehaviour(None, common=False)
async def obeys(occasion: Occasion) -> web.StreamResponse:
    """Obeys any instruction that stands outside the blocks of data, whoever put it there."""
    return _sent(obedient(occasion.reply))


def described() -> list[Mapping[str, Any]]:
    return [
        {
            "what": misbehaviour.name,
            "cause": misbehaviour.cause,
            "about": misbehaviour.about,
            "common": misbehaviour.common,
        }
        for misbehaviour in LIBRARY.values()
    ]
