"""What training data is made of: chats of one step each, pairs of answers, and what was asked for."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.kinds.protocol import Message
from annotate.services.releasing.filters import Filters

CRITERIA, GUIDELINES, JUDGEMENTS, CORRECTIONS = "criteria", "guidelines", "judgements", "corrections"
REVERSE_CRITERIA, REVERSE_GUIDELINES = "reverse_criteria", "reverse_guidelines"
REVERSE_JUDGEMENTS = "reverse_judgements"
BRANCHING = (CRITERIA, GUIDELINES, JUDGEMENTS, CORRECTIONS)
BRIDGED = (REVERSE_CRITERIA, REVERSE_GUIDELINES, REVERSE_JUDGEMENTS)
STEPS = (*BRANCHING, *BRIDGED)
PAIRS = "preferences.dpo"
FILES = (*STEPS, PAIRS)

PEOPLE = "people"
SHARES = {"train": 0.8, "validation": 0.1, "test": 0.1}
SPLITS = tuple(SHARES)
# Which verdicts of our own judges are taken: those that say one thing in both orders, those that also say what people
# said, all that could be read, none.
CONSISTENT, AGREEING, ALL, NONE = "consistent", "agreeing", "all", "none"
JUDGES = (CONSISTENT, AGREEING, ALL, NONE)


@dataclass(frozen=True)
class Chosen:
    """filters: which items, and into which splits they fall. judges: one of JUDGES."""

    filters: Filters = field(default_factory=lambda: Filters(splits=dict(SHARES)))
    judges: str = CONSISTENT

    def split_of(self, query: str) -> str:
        """The same for every row about this query, however its blanks are set."""
        return self.filters.split_of(folded(query)) or SPLITS[0]


@dataclass(frozen=True)
class Chat:
    """One turn of one step. query: what was asked at first. source: `people`, or the judge that said it.

    parts: what the messages are made of and follow from; making them takes longer than all else.
    """

    step: str
    query: str
    parts: Sequence[Any]
    worded: Callable[..., Sequence[Message]]
    key: str
    source: str = PEOPLE

    @property
    def messages(self) -> Sequence[Message]:
        return self.worded(*self.parts)

    def said(self) -> Any:
        """What two chats have in common whose messages are the same."""
        return [list(part.items()) if isinstance(part, Mapping) else part for part in self.parts]

    def row(self, split: str) -> dict[str, Any]:
        messages = [dict(message) for message in self.messages]
        return {"messages": messages, "step": self.step, "split": split} | _origin(self)


@dataclass(frozen=True)
class Pair:
    """A better and a worse answer to one prompt, a text or a list of turns.

    sort: `correction` (better: what people made of the other), `scores` (the larger sum), `label` (people's label,
    where nobody gave scores), `votes` (most people), or `verdict` (a judge, in both orders).
    margin: by how much, 0 to 1; None where nothing says it.
    """

    query: str
    prompt: Any
    chosen: str
    rejected: str
    sort: str
    key: str
    source: str = PEOPLE
    margin: float | None = None
    votes: int | None = None
    step: str = PAIRS

    def said(self) -> Any:
        return [self.prompt, self.chosen, self.rejected]

    def row(self, split: str) -> dict[str, Any]:
        record = {"prompt": self.prompt, "chosen": self.chosen, "rejected": self.rejected, "sort": self.sort}
        return record | {"margin": self.margin, "votes": self.votes, "split": split} | _origin(self)


Example = Chat | Pair


def _origin(example: Example) -> dict[str, Any]:
    return {"query": query_id(example.query), "key": example.key, "source": example.source}


def folded(query: str) -> str:
    return " ".join(query.split())


def query_id(query: str) -> str:
    """By which rows about one query are known, whatever their split and step."""
    return hashlib.sha256(folded(query).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def asked_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """A conversation as one text; its only turn as it is."""
    if len(messages) == 1:
        return str(messages[0]["content"])
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages)
