"""What everybody sent to the installation and was told, in the order in which each of them did it."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum


class Outcome(StrEnum):
    """ACKNOWLEDGED: done, as the answer says. REFUSED: the answer says that it was not done.

    UNKNOWN: no answer came, or one of a server that was just breaking; it may have been done or not.
    """

    ACKNOWLEDGED = "acknowledged"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Operation:
    """began, ended: seconds on the clock of the soak. token: of the lease under which it was done."""

    person: str
    verb: str
    slot: int
    token: str
    text: str
    began: float
    ended: float
    outcome: Outcome


@dataclass
class History:
    """statuses: how often each HTTP status was received; 0 where no answer came."""

    operations: list[Operation] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    unexpected: list[str] = field(default_factory=list)

    @property
    def requests(self) -> int:
        return self.statuses.total()

    def outcomes(self) -> Counter[tuple[str, str]]:
        return Counter((operation.verb, operation.outcome.value) for operation in self.operations)
