"""A process that is told to end: nothing new is sent, what is in flight has a grace period, the rest is handed back.

The mark lies in memory that a process shares with the children it forks later: Celery hears the signal in the parent,
and the engine runs in its children.
"""

import mmap
import signal
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

GRACE = 6.0  # seconds that calls in flight may still take
CLEARING = 3.0  # seconds after the grace period until the database is not waited for either
MOMENT = struct.Struct("d")  # of the monotonic clock, which all processes of a machine share; 0: not begun


class Mark:
    """When the process was told to end."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, MOMENT.size)

    def set(self) -> None:
        if self.moment is None:
            MOMENT.pack_into(self._shared, 0, time.monotonic())

    @property
    def moment(self) -> float | None:
        return MOMENT.unpack_from(self._shared)[0] or None


mark = Mark()


def begin() -> None:
    """May be called by a signal handler; later calls change nothing."""
    mark.set()


def has_begun() -> bool:
    return mark.moment is not None


def grace_is_over() -> bool:
    return _since_signal() > GRACE


def patience_is_over() -> bool:
    return _since_signal() > GRACE + CLEARING


def _since_signal() -> float:
    moment = mark.moment
    return 0.0 if moment is None else time.monotonic() - moment


@contextmanager
def on_sigterm() -> Iterator[None]:
    """Within, SIGTERM begins the end of the process instead of being it. Only the main thread hears signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old_handler = signal.signal(signal.SIGTERM, lambda _number, _frame: begin())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, old_handler)
