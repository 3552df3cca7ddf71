"""What came in: how often each request, how many at a time, and what was used. For tests about sending again."""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

KEPT = 2000  # requests kept whole; the counts go on


@dataclass
class Received:
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
