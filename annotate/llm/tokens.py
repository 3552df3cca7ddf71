"""Tokens before anybody has counted them: for estimates, and for limits that must hold before a request is sent."""

import json
import re

from annotate.kinds.protocol import Question

CHARACTERS = 4  # of Latin text in one token
PER_MESSAGE = 4
# More than any service adds to a message, and to a request, on its own account.
MOST_PER_MESSAGE, MOST_PER_REQUEST = 16, 64
# One token each, roughly: Chinese, Japanese and Korean.
WHOLE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def tokens_of(text: str) -> int:
    """At least 1 for any text, 0 for none."""
    whole = len(WHOLE.findall(text))
    return whole + -(-(len(text) - whole) // CHARACTERS)


def tokens_in(question: Question) -> int:
    """What the request will count for, its answer's shape included."""
    shape = json.dumps(question.body().get("answer", ""))
    return sum(PER_MESSAGE + tokens_of(message["content"]) for message in question.messages) + tokens_of(shape)


def most_tokens_in(question: Question) -> int:
    """What the request may count for at most: no token is shorter than a byte."""
    shape = len(json.dumps(question.body().get("answer", "")))
    texts = sum(MOST_PER_MESSAGE + len(message["content"].encode(errors="replace")) for message in question.messages)
    return texts + shape + MOST_PER_REQUEST
