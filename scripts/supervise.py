"""supervisord as `make run` starts it: it looks ten times a second whether it is told to stop, and not once.

By itself it notices a signal, and the end of a program, up to a second late. Somebody waits for it at Ctrl+C.
"""

from typing import Any

from supervisor import poller, supervisord

LONGEST = 0.1  # seconds


class AttentivePoller(poller.Poller):  # type: ignore[misc]  # supervisor has no types
    def poll(self, timeout: float) -> Any:
        return super().poll(min(timeout, LONGEST))


if __name__ == "__main__":
    poller.Poller = AttentivePoller
    supervisord.main()
