"""What a reply costs, and what it costs at most.

Before a request is sent, its worst price is reserved in the transaction that writes it down (see ledger.py): what was
spent and what is reserved together never pass the budget. A reservation ends when the reply tells its price.
"""

from dataclasses import replace
from decimal import Decimal

from annotate.kinds.causes import Cause
from annotate.kinds.protocol import Question
from annotate.llm.capabilities import Capabilities
from annotate.llm.replies import Received
from annotate.llm.tokens import most_tokens_in
from annotate.models import Endpoint, Run

MILLION = Decimal(1_000_000)
SMALLEST = Decimal("0.00000001")
MOST = Decimal("999999.99999999")  # what the ledger's column holds
CAP = 4096  # tokens of a reply, reasoning included, where a run has a budget and the question names no limit
# How the details begin of connections that never came about: no service was asked.
NEVER_REACHED = ("ConnectionRefusedError", "gaierror", "ClientConnector")


def cost_of(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> Decimal:
    """USD, in whole hundred-millionths; 0 at an endpoint without prices."""
    cost = (endpoint.price_in * tokens_in + endpoint.price_out * tokens_out) / MILLION
    return min(cost.quantize(SMALLEST), MOST)


def has_limit(run: Run) -> bool:
    """Whether calls of this run are reserved before they are sent."""
    return run.budget is not None and run.endpoint.is_priced


def capped(run: Run, question: Question) -> Question:
    """As it is sent: with a limit on the reply's tokens, without which there is no worst price."""
    if question.max_tokens is not None or not has_limit(run):
        return question
    return replace(question, max_tokens=CAP)


def worst(endpoint: Endpoint, question: Question) -> Decimal:
    """USD that one attempt costs at most: a reply as long as allowed, to a request of nothing but short tokens."""
    return cost_of(endpoint, most_tokens_in(question), question.max_tokens or CAP)


def cap_is_kept(endpoint: Endpoint) -> bool:
    """Whether the service ends a reply at its limit; else nothing can be promised about its price."""
    capabilities = Capabilities.stored(endpoint.capabilities)
    return bool(capabilities.length_parameter) and not capabilities.ignores_cap


def price_is_unknown(received: Received) -> bool:
    """The service may have answered, and nobody heard what it charges: it is counted at its worst."""
    if received.cause == Cause.TIMEOUT:
        return True
    return received.cause == Cause.CONNECTION and not received.detail.startswith(NEVER_REACHED)
