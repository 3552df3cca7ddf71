"""What goes into the ledger, and what becomes of a request that somebody wants to send."""

from dataclasses import dataclass
from decimal import Decimal

from annotate.kinds.protocol import Question
from annotate.llm.client import Answered
from annotate.models import Call


@dataclass(frozen=True)
class Opening:
    """A request that somebody wants to send, the nth attempt at a step."""

    job_id: int
    question: Question
    digest: str
    attempt: int
    shares: bool = False  # the reply to an equal question will do


@dataclass(frozen=True)
class Closing:
    """What came back for a call that was opened."""

    call: Call
    answered: Answered


@dataclass(frozen=True)
class Go:
    """Send it. The row is committed."""

    call: Call


@dataclass(frozen=True)
class Shared:
    """Another job was answered the same question: nothing need be sent."""

    call: Call


@dataclass(frozen=True)
class Wait:
    """The minute's requests or tokens are used up."""

    seconds: float


@dataclass(frozen=True)
class Spent:
    """The budget is used up, or its rest is less than the worst price of the next call, and nothing is in flight."""

    budget: Decimal
    worst: Decimal = Decimal(0)

    @property
    def in_words(self) -> str:
        budget, worst = f"{self.budget.normalize():f}", f"{self.worst.normalize():f}"
        if self.worst:
            return f"The budget of {budget} USD is used up. The next call may cost {worst} USD."
        return f"The budget of {budget} USD is used up."


@dataclass(frozen=True)
class Later:
    """What is in flight decides: how the first calls end, or how much of the budget the others leave."""


@dataclass(frozen=True)
class Stop:
    """The run is not running any more."""


@dataclass(frozen=True)
class Lost:
    """The job is no longer this worker's."""


Entry = Opening | Closing
Answer = Go | Shared | Wait | Later | Spent | Stop | Lost | None
STOP, LOST, LATER = Stop(), Lost(), Later()
