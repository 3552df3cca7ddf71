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
from annotate.kinds.protocol import Cause, Question, QuestionImage
from annotate.models import Endpoint, Run

CHARACTERS = 4  # of Latin text in one token
PER_MESSAGE = 4
# Estimate of an image: Anthropic's formula, between OpenAI's and Gemini's for most sizes.
PIXELS_PER_TOKEN, MOST_PER_IMAGE = 750, 1600
# More tokens than any service adds to a message and to a request by itself, and counts for an image: gpt-4o-mini
# counts up to 48,169.
MOST_PER_MESSAGE, MOST_PER_REQUEST, UPPER_BOUND_PER_IMAGE = 16, 64, 50_000
# One token each, roughly: Chinese, Japanese and Korean.
WHOLE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def tokens_of(text: str) -> int:
    """Estimated tokens: at least 1 for any text, 0 for none."""
    whole = len(WHOLE.findall(text))
    return whole + -(-(len(text) - whole) // CHARACTERS)


def tokens_of_image(image: QuestionImage) -> int:
    """Estimated tokens: one for 750 pixels, at most 1,600; the most for an image of unknown size."""
    return min(-(-image.pixels // PIXELS_PER_TOKEN), MOST_PER_IMAGE) or MOST_PER_IMAGE


def tokens_in(question: Question) -> int:
    """Estimated tokens of the request, including its images and the shape of its answer."""
    shape = json.dumps(question.body().get("answer", ""))
    texts = sum(PER_MESSAGE + tokens_of(message["content"]) for message in question.messages)
    images = sum(tokens_of(image.title) + tokens_of_image(image) for image in question.images)
    return texts + images + tokens_of(shape)


def most_tokens_in(question: Question) -> int:
    """The most tokens that the request may have: no token of a text is shorter than a byte."""
    shape = len(json.dumps(question.body().get("answer", "")))
    texts = sum(MOST_PER_MESSAGE + len(message["content"].encode(errors="replace")) for message in question.messages)
    images = sum(UPPER_BOUND_PER_IMAGE + len(image.title.encode(errors="replace")) for image in question.images)
    return texts + images + shape + MOST_PER_REQUEST


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
