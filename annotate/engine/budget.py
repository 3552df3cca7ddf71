"""Budgets: estimated tokens before a request is sent, prices of calls, and the highest price of a call.

Before a request is sent, its highest possible price is reserved in the transaction that writes its row (see ledger.py):
what was spent and what is reserved together never exceed the budget. A reservation ends when the reply tells its price.
"""

import json
import re
from dataclasses import replace
from decimal import Decimal

from annotate.engine.capabilities import Capabilities
from annotate.engine.replies import CallResult
from annotate.kinds.protocol import Cause, Question
from annotate.models import Endpoint, Run

CHARACTERS = 4  # of Latin text in one token
PER_MESSAGE = 4
# More tokens than any service adds to a message and to a request by itself.
MOST_PER_MESSAGE, MOST_PER_REQUEST = 16, 64
# One token each, roughly: Chinese, Japanese and Korean.
WHOLE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def tokens_of(text: str) -> int:
    """Estimated tokens: at least 1 for any text, 0 for none."""
    whole = len(WHOLE.findall(text))
    return whole + -(-(len(text) - whole) // CHARACTERS)


def tokens_in(question: Question) -> int:
    """Estimated tokens of the request, including the shape of its answer."""
    shape = json.dumps(question.body().get("answer", ""))
    return sum(PER_MESSAGE + tokens_of(message["content"]) for message in question.messages) + tokens_of(shape)


def most_tokens_in(question: Question) -> int:
    """The most tokens that the request may have: no token is shorter than a byte."""
    shape = len(json.dumps(question.body().get("answer", "")))
    texts = sum(MOST_PER_MESSAGE + len(message["content"].encode(errors="replace")) for message in question.messages)
    return texts + shape + MOST_PER_REQUEST


# The price of a reply, and its upper bound.


MILLION = Decimal(1_000_000)
SMALLEST = Decimal("0.00000001")
NOTHING = Decimal(0)
MOST = Decimal("999999.99999999")  # the largest value of the ledger's column
CAP = 4096  # tokens of a reply, reasoning included, if a run has a budget and the question sets no limit
# Prefixes of the details of connections that were never made: no service was asked.
NEVER_REACHED = ("ConnectionRefusedError", "gaierror", "ClientConnector")


def cost_of(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> Decimal:
    """USD, in whole hundred-millionths; 0 for an endpoint without prices."""
    if not endpoint.is_priced:
        return NOTHING
    cost = (endpoint.price_in * tokens_in + endpoint.price_out * tokens_out) / MILLION
    return min(cost.quantize(SMALLEST), MOST)


def has_limit(run: Run) -> bool:
    """Whether calls of this run are reserved before they are sent."""
    return run.budget is not None and run.endpoint.is_priced


def capped(run: Run, question: Question) -> Question:
    """The question as it is sent: with a limit on the reply's tokens, because there is no highest price without one."""
    if question.max_tokens is not None or not has_limit(run):
        return question
    return replace(question, max_tokens=CAP)


def worst(endpoint: Endpoint, question: Question) -> Decimal:
    """USD that one attempt costs at most: the longest reply allowed, to a request of one-byte tokens only."""
    return cost_of(endpoint, most_tokens_in(question), question.max_tokens or CAP)


def cap_is_kept(endpoint: Endpoint) -> bool:
    """Whether the service ends a reply at its limit; if not, nothing can be promised about its price."""
    capabilities = Capabilities.stored(endpoint.capabilities)
    return bool(capabilities.length_parameter) and not capabilities.ignores_cap


def price_is_unknown(received: CallResult) -> bool:
    """Whether the service may have answered without reporting a price: the call then counts at its highest price."""
    if received.cause == Cause.TIMEOUT:
        return True
    return received.cause == Cause.CONNECTION and not received.detail.startswith(NEVER_REACHED)
