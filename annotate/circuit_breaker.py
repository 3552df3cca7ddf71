"""A circuit breaker: after a failure a service is left alone for some seconds, so that only one request waits."""

from threading import Lock
from time import monotonic


class CircuitBreaker:
    """Closed while the service answers. After a failure it is open for `rest` seconds, then one caller tries again.

    The state belongs to one process: each process finds out for itself.
    """

    def __init__(self, rest: float) -> None:
        self.rest = rest
        self._lock = Lock()
        self._failed_at: float | None = None

    def allows(self) -> bool:
        """Whether to try now. After the rest the first caller may try; the others are refused until its result is
        known.
        """
        with self._lock:
            if self._failed_at is None:
                return True
            if monotonic() < self._failed_at + self.rest:
                return False
            self._failed_at = monotonic()
            return True

    def failed(self) -> None:
        with self._lock:
            self._failed_at = monotonic()

    def succeeded(self) -> None:
        with self._lock:
            self._failed_at = None
