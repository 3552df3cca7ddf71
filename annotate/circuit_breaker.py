"""A service that has just failed is left alone for some seconds, so that one request waits for it and not all."""

from threading import Lock
from time import monotonic


class CircuitBreaker:
    """Closed while the service answers. After a failure it is open for `rest` seconds, then one caller tries again.

    Of one process: each finds out for itself.
    """

    def __init__(self, rest: float) -> None:
        self.rest = rest
        self._lock = Lock()
        self._failed_at: float | None = None

    def allows(self) -> bool:
        """Whether to try now. While it is open, the first caller after the rest may; the others wait for its result."""
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
