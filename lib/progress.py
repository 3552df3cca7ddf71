"""Progress of long calculations: whoever works reports it, whoever waits listens."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Listener = Callable[[str, int, int], None]  # phase, how much of it is done, how much there is; 0 where it is unknown
READING, RESAMPLING = "reading", "resampling"
EVERY = 2000  # rows

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report(phase: str, done: int, total: int) -> None:
    """Tell the listener. It may raise an error to stop the calculation."""
    listener = _listener.get()
    if listener is not None:
        listener(phase, done, total)


def followed(rows: Iterable[T], total: int = 0, phase: str = READING) -> Iterator[T]:
    """The same rows; reports after every two thousand of them."""
    for number, row in enumerate(rows, 1):
        if number % EVERY == 0:
            report(phase, number, total)
        yield row


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
