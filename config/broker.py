"""The broker for an installation without a broker server: files in the data folder."""

from typing import Any

from kombu.transport import filesystem

LONGEST = 0.2  # seconds that a worker polls for messages before it checks whether it has to stop


class Transport(filesystem.Transport):
    """A shorter poll: Celery polls for two seconds at a time, and once more after it was told to stop."""

    def drain_events(self, connection: Any, timeout: Any = None) -> Any:  # type: ignore[override]  # as its base
        return super().drain_events(connection, timeout=None if timeout is None else min(timeout, LONGEST))
