"""Orders of misbehaviours for the next requests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lib.simulated.misbehaviours import LIBRARY


class BadOrder(ValueError):
    """An order that cannot be carried out; the message says why."""


@dataclass
class MisbehaviourOrder:
    """what: name of a misbehaviour. times: requests it is still for, None for all. containing: only requests that
    hold this text. after: such requests that are answered well before. retry_after: what a 429 says.
    """

    what: str
    times: int | None = 1
    containing: str = ""
    after: int = 0
    retry_after: str = "1"

    def takes(self, text: str) -> bool:
        """Whether this request is one of its own; counts it."""
        if self.times == 0 or self.containing not in text:
            return False
        if self.after:
            self.after -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True


@dataclass
class MisbehaviourOrders:
    """In the order in which they came; one for each request."""

    waiting: list[MisbehaviourOrder] = field(default_factory=list)

    def add(self, body: Any) -> MisbehaviourOrder:
        """Raises BadOrder."""
        order = ordered(body)
        self.waiting.append(order)
        return order

    def next_for(self, text: str) -> MisbehaviourOrder | None:
        next_order = next((order for order in self.waiting if order.takes(text)), None)
        self.waiting = [order for order in self.waiting if order.times != 0]
        return next_order


def ordered(body: Any) -> MisbehaviourOrder:
    if not isinstance(body, Mapping) or body.get("what") not in LIBRARY:
        raise BadOrder(f"'what' must be one of {', '.join(LIBRARY)}.")
    wrong = [name for name, fits in FIELDS.items() if name in body and not fits(body[name])]
    unknown = sorted(set(body) - {"what", *FIELDS})
    if wrong or unknown:
        raise BadOrder(f"{[*wrong, *unknown][0]!r} is not what an order can have.")
    return MisbehaviourOrder(**body)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


FIELDS = {
    "times": lambda value: value is None or _is_count(value),
    "containing": lambda value: isinstance(value, str),
    "after": _is_count,
    "retry_after": lambda value: isinstance(value, str),
}
